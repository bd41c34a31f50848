import { sortedJson } from '../../graph/resources/field.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import { unknownTexts } from '../../graph/values/unknown-text.ts';
import type { PlannedSide } from './planned-resource.ts';
import type { PulumiStep } from './pulumi-preview.ts';

const providerType = 'pulumi:providers:vault';

/** Says which server a resource of a preview is on, by the provider resource that makes it. */
export class PulumiServers {
  readonly #byUrn = new Map<string, Pick<PlannedSide, 'server' | 'namespace'>>();
  /** Why resources may not be where they seem to be. */
  readonly incomplete: string[] = [];

  constructor(steps: PulumiStep[]) {
    const names = new Map<string, string>();
    for (const { urn, oldState, newState, op } of steps) {
      if (typeOfUrn(urn) !== providerType || op === 'refresh') continue;
      const name = nameOfUrn(urn);
      const [old, wanted] = [oldState?.inputs, newState?.inputs].map((inputs) =>
        inputs === undefined ? undefined : [inputs['address'] ?? null, inputs['namespace'] ?? ''],
      );
      if (old !== undefined && wanted !== undefined && sortedJson(old) !== sortedJson(wanted)) {
        this.incomplete.push(
          `The provider ${JSON.stringify(name)} goes to another address or namespace: what is there is not known.`,
        );
      }
      const [address, namespace] = wanted ?? old ?? [];
      const isKnown = typeof address === 'string' && !unknownTexts.has(address) && address !== '[secret]';
      const within = typeof namespace === 'string' && !unknownTexts.has(namespace) ? namespace : undefined;
      const identity = isKnown ? sortedJson([address, within === undefined ? urn : null]) : urn;
      const server = getOrMake(names, identity, () => this.#free(name, urn));
      this.#byUrn.set(urn, { server, namespace: within ?? '' });
    }
  }

  /** @param reference of a provider: its URN, and its id after another `::` */
  of(reference: string | undefined): Pick<PlannedSide, 'server' | 'namespace'> {
    if (reference === undefined) return { server: 'default', namespace: '' };
    const urn = reference.slice(0, reference.lastIndexOf('::'));
    return getOrMake(this.#byUrn, urn, () => ({ server: this.#free(nameOfUrn(urn), urn), namespace: '' }));
  }

  /** The name of a provider; its URN where another one has the name. */
  #free(name: string, urn: string): string {
    // Each version of the package has a default provider, and all of them have one configuration.
    if (/^default(?:_|$)/.test(name)) return 'default';
    return [...this.#byUrn.values()].some(({ server }) => server === name) ? urn : name;
  }
}

export function typeOfUrn(urn: string): string {
  const types = urn.split('::')[2] ?? '';
  return types.slice(types.lastIndexOf('$') + 1);
}

export function nameOfUrn(urn: string): string {
  return urn.split('::').slice(3).join('::');
}
