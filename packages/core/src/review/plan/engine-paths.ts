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
  const path = pathIn(side);
  const known = enginesAround(path, side, engines);
  return unmodeled.filter(({ types }) => isWrittenBy(officialTypes(types), path, known));
}

/**
 * Whether a write to a path of a secrets engine is one that types without an answer by its path make, or keeps a value. Any other may
 * do anything: `pki/root/replace`.
 */
export function isKnownPath(side: PlannedSide, engines: ReadonlyMap<string, string>): boolean {
  const path = pathIn(side);
  const known = enginesAround(path, side, engines);
  // What was deleted is there again.
  if (/^[^/]+(?:\/.*)?\/undelete\/./s.test(path)) return false;
  return known.some((type) => /^(?:kv|generic|cubbyhole)/.test(type)) || isWrittenBy(inertTypes, path, known);
}

/** Keys of an engine that no type is of, at paths that keys of another one have, too: who reads the codes of one has a second factor. */
const factorKey = { engine: 'totp', shape: /^.+\/keys\/[^/]+$/s };

/** Whether a write to a path may be of a key for the codes of a second factor. */
export function mayBeFactorKey(side: PlannedSide, engines: ReadonlyMap<string, string>): boolean {
  const path = pathIn(side);
  const { engine, shape } = factorKey;
  return shape.test(path) && enginesAround(path, side, engines).every((type) => mayBeEngine(type, engine));
}

function pathIn({ fields }: PlannedSide): string {
  return cleaned(textOf(fields['path']) ?? '') ?? '';
}

/** Types of the engines at the beginning of a path. */
function enginesAround(path: string, side: PlannedSide, engines: ReadonlyMap<string, string>): string[] {
  const segments = path.split('/');
  return segments.flatMap(
    (_, at) => engines.get(JSON.stringify([namespaceOf(side), segments.slice(0, at + 1).join('/')])) ?? [],
  );
}

function isWrittenBy(types: readonly string[], path: string, known: readonly string[]): boolean {
  return shapesOf(types).some(
    ({ engine, shape }) => shape.test(path) && known.every((type) => mayBeEngine(type, engine)),
  );
}

const shapes = new Map<string, { engine: string; shape: RegExp }[]>();

/** Paths that types write to, below a secrets engine that may be anywhere. */
function shapesOf(types: readonly string[]) {
  const key = types.join();
  const known = shapes.get(key);
  if (known !== undefined) return known;
  const ofTypes = types.flatMap((type) => {
    const engine = engineOf(type);
    return templatesOf(type)
      .filter((template) => /^\{\w+\}\/\w/.test(template))
      .map((template) => {
        const rest = template.replace(/^\{\w+\}/, '').replace(/\{[^}]+\}|:id/g, '[^/]+');
        return { engine, shape: new RegExp(`^.+${rest}$`, 's') };
      });
  });
  shapes.set(key, ofTypes);
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
