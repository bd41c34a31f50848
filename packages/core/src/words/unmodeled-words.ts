import type { UnmodeledEffect } from '../graph/change.ts';
import { shortened } from '../graph/values/cut.ts';
import { partName } from '../graph/values/visible.ts';

/** Names that a line lists. */
const mostNamed = 3;

const named = (names: readonly string[]) => shortened(names, mostNamed);
const mountsAt = (methods: readonly string[]) => named(methods.map((path) => `auth/${path}`));

/** Who could gain a token by it: `who signs in at auth/self by identity tokens of this service (identity oidc role w)`. */
export function unmodeledWords(effect: UnmodeledEffect): string {
  switch (effect.of) {
    case 'gains':
      return `who gains ${effect.by} (${named(effect.through)})`;
    case 'sign-ins': {
      const { by, through, methods } = effect;
      const at = methods.length === 0 ? 'elsewhere' : `at ${mountsAt(methods)}`;
      return `who signs in ${at} by ${by} (${named(through)})`;
    }
    case 'identity-tokens':
      return `who signs in at ${mountsAt(effect.methods)} by identity tokens of this service, which may name groups and entities`;
    case 'credential': {
      const { field, whose, keptAt } = effect;
      if ('path' in whose && whose.path === keptAt) return `who reads ${field} at ${keptAt}`;
      const part = 'path' in whose ? whose.path : partName(whose.type, whose.name);
      return `who reads ${field} of ${part} at ${keptAt}`;
    }
    case 'path':
      return `what a write to ${effect.path} does`;
    case 'source': {
      const { source, signsInBy } = effect;
      return `who asks ${source}${signsInBy === undefined ? '' : `, and signs in as ${signsInBy}`}`;
    }
    case 'first-set':
      return `who signs in at auth/${effect.method}, whose ${effect.fields.join(' and ')} is set for the first time`;
    case 'administration': {
      const by = effect.policies.map((policy) => partName('policy', policy));
      const whose = by.length === 0 ? '' : `, which ${named(by)} ${by.length === 1 ? 'reaches' : 'reach'}`;
      return `who administers ${partName('namespace', effect.namespace)}${whose}`;
    }
    case 'policies-elsewhere':
      return `policies elsewhere that reach into ${partName('namespace', effect.namespace)}`;
  }
}
