import { officialTypes, type Unmodeled, unmodeled } from '../../graph/resources/unmodeled.ts';
import { cleaned, inertTypes, templatesOf } from '../../graph/resources/writes.ts';
import { textOf, trimmed } from '../../graph/values/loose-values.ts';
import { namespaceOf } from './identities.ts';
import type { PlannedResource, PlannedSide } from './planned-resource.ts';

/** Types of secrets engines by server, namespace and path: `pki`. */
export function enginesIn(resources: readonly PlannedResource[]): ReadonlyMap<string, string> {
  return new Map(
    resources.flatMap(({ of, before, after }): [string, string][] => {
      const side = after ?? before;
      const type = side && textOf(side.fields['type']);
      const path = side && textOf(side.fields['path']);
      if (of !== 'mount' || side === undefined || type === undefined || path === undefined) return [];
      return [[JSON.stringify([namespaceOf(side), trimmed(path)]), type]];
    }),
  );
}

/** What a write to any path of a secrets engine may be: by the shape of the path, where its engine is not in sight. */
export function rowsAt(side: PlannedSide, engines: ReadonlyMap<string, string>): Unmodeled[] {
  const path = cleaned(textOf(side.fields['path']) ?? '') ?? '';
  const segments = path.split('/');
  const known = segments.flatMap(
    (_, at) => engines.get(JSON.stringify([namespaceOf(side), segments.slice(0, at + 1).join('/')])) ?? [],
  );
  return unmodeled.filter(({ types }) =>
    shapesOf(types).some(
      ({ engine, shape }) => shape.test(path) && known.every((type) => mayBeEngine(type, engine)),
    ),
  );
}

const shapes = new Map<string, { engine: string; shape: RegExp }[]>();

/** Paths that types write to, below a secrets engine that may be anywhere. */
function shapesOf(types: string) {
  const known = shapes.get(types);
  if (known !== undefined) return known;
  const ofTypes = officialTypes(types).flatMap((type) => {
    const engine = engineOf(type);
    return templatesOf(type)
      .filter((template) => /^\{\w+\}\/\w/.test(template))
      .map((template) => {
        const rest = template.replace(/^\{\w+\}/, '').replace(/\{[^}]+\}|:id/g, '[^/]+');
        return { engine, shape: new RegExp(`^.+${rest}$`, 's') };
      });
  });
  shapes.set(types, ofTypes);
  return ofTypes;
}

/** Types of engines that no row is of. */
const otherEngines = ['cubbyhole', 'generic', 'identity', 'kv', 'kv-v1', 'kv-v2', 'totp'];

/** Types of mounts that differ from the names of resources. */
const engineTypes: Readonly<Record<string, string>> = {
  pki_external_ca: 'pki-external-ca',
  terraform_cloud: 'terraform',
};

/** The type of the secrets engine that a type of resources is of: `pki`. */
function engineOf(type: string): string {
  const [, name = ''] = /^vault_(keymgmt|transform|\w+?(?=_secret))/.exec(type) ?? [];
  return engineTypes[name] ?? name;
}

const engineNames = new Set([...otherEngines, ...inertTypes.map(engineOf)]);

/** Whether a mount of a type may be such an engine: a program of someone else may be any. */
function mayBeEngine(type: string, engine: string): boolean {
  return type === engine || !engineNames.has(type);
}
