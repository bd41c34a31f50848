import { clusterOf } from '../graph/kinds/container-orchestrator.ts';
import { promiseSettings, promiseText } from '../graph/promise-settings.ts';
import { method } from '../graph/resources/auth-method.ts';
import { resources } from '../graph/resources/resources.ts';
import { type Subject, subjectKey } from '../graph/subject.ts';
import { textOf } from '../graph/values/loose-values.ts';
import { type ConfigSource, locationsIn } from './environment-config.ts';

/** Where in a file something is declared. */
export interface Position {
  /** Relative to the folder of the project, with `/`. */
  file: string;
  /** From 1. */
  line: number;
  column: number;
  /** The use of the template, for a part that a template made. */
  use?: Position;
}

/** An auth method is a provider, or a cluster of one. */
const declarable = resources.filter(({ type, yaml }) => yaml !== undefined && type !== method.type);

type YamlPath = PropertyKey[];
type YamlObject = Record<string, unknown>;

/** The auth method that a part belongs to, and its namespace. */
interface MethodOwner {
  method: string;
  namespace: string | undefined;
}

/**
 * Finds where in a stack's YAML a method, role, group, alias, policy, promise or message is declared: its own entry, or the
 * line of a field of it. For a part that a template made, the place is in the template.
 *
 * @throws GatehouseError `environment_invalid`, `environment_file_invalid`
 */
export function stackPositions(source: ConfigSource): (subject: Subject) => Position | undefined {
  const { keys, originOf, locate } = locationsIn(source);
  const declared = new Map<string, YamlPath>([['service', ['service', 'address']]]);
  const addAll = (within: YamlObject, at: YamlPath, below: 'providers' | undefined, owner?: MethodOwner) => {
    for (const { type, yaml: place, methodOf } of declarable.filter(
      (resource) => resource.yaml?.below === below,
    )) {
      for (const { entry, path } of entriesOf(within, place?.list ?? '', at)) {
        const name = textOf(entry[place?.name ?? '']) ?? '';
        const namespace = owner ? owner.namespace : textOf(entry['namespace']);
        const subject = { type, name, ...(methodOf && owner && { method: owner.method }) };
        declared.set(subjectKey({ ...subject, ...(namespace !== undefined && { namespace }) }), path);
      }
    }
  };
  for (const { entry: provider, path: at } of entriesOf(keys, 'providers')) {
    const mount = textOf(provider['path'] ?? provider['name']) ?? '';
    const namespace = textOf(provider['namespace']);
    const inNamespace = namespace === undefined ? {} : { namespace };
    const clusters = entriesOf(provider, 'clusters', at).map(({ entry, path }) => ({
      name: clusterOf(mount, textOf(entry['name']) ?? ''),
      entry,
      path,
    }));
    for (const { name, entry, path } of clusters.length > 0
      ? clusters
      : [{ name: mount, entry: provider, path: at }]) {
      declared.set(subjectKey({ type: method.type, name, ...inNamespace }), path);
      addAll(provider, at, 'providers', { method: name, namespace });
      if (entry !== provider) addAll(entry, path, 'providers', { method: name, namespace });
    }
  }
  addAll(keys, [], undefined);
  for (const { entry, path } of entriesOf(keys, 'promises')) {
    const { data } = promiseSettings.safeParse(entry);
    if (data !== undefined) declared.set(subjectKey({ type: 'promise', name: promiseText(data) }), path);
  }
  return (subject) => {
    const path = declared.get(subject.type === 'service' ? 'service' : subjectKey(subject));
    if (path === undefined) return undefined;
    const origin = originOf(subject.field === undefined ? path : [...path, subject.field]);
    const position = positionFrom(locate(origin.path));
    const use = origin.use === undefined ? undefined : positionFrom(locate(['use', origin.use]));
    return position && { ...position, ...(use && { use }) };
  };
}

/** `Pulumi.dev.yaml:3:5` → line and column. */
function positionFrom(place: string | undefined): Position | undefined {
  const [, file, line, column] = /^(.+):(\d+):(\d+)$/.exec(place ?? '') ?? [];
  return file === undefined ? undefined : { file, line: Number(line), column: Number(column) };
}

function entriesOf(
  within: YamlObject,
  list: string,
  at: YamlPath = [],
): { entry: YamlObject; path: YamlPath }[] {
  const entries = within[list];
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry, index) =>
    typeof entry === 'object' && entry !== null ? [{ entry, path: [...at, list, index] }] : [],
  );
}
