import { join } from 'node:path';
import { isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml';
import { clusterOf } from '../../core/model/kinds/container-orchestrator.ts';
import { promiseSettings, promiseText } from '../../core/model/promise-settings.ts';
import { method } from '../../core/model/resources/auth-method.ts';
import { resources } from '../../core/model/resources/resources.ts';
import { type Subject, subjectKey } from '../../core/model/subject.ts';
import type { Position } from '../../core/review/reports/sarif.ts';

import type { Stack } from '../../engine/stack.ts';
import { readProject } from '../../engine/stack-files/project-file.ts';
import { stackFilePath } from '../../engine/stack-files/read-stack.ts';
import { entriesOf, readYamlFile, resolved, type YamlFile } from '../../engine/stack-files/yaml-file.ts';

/** An auth method is a provider, or a cluster of one. */
const declarable = resources.filter(({ type, yaml }) => yaml !== undefined && type !== method.type);

/** The auth method that a part belongs to, and its namespace. */
interface Owner {
  method: string;
  namespace: string | undefined;
}

type Declared = { file: string; yaml: YamlFile; map: YAMLMap };

/**
 * Finds where in a stack's YAML a method, role, group, alias, policy, promise or message is declared: its own entry, or the
 * line of a field of it.
 */
export async function stackPositions(stack: Stack): Promise<(subject: Subject) => Position | undefined> {
  const declared = new Map<string, Declared>();
  for (const { file, yaml, prefix } of await configFiles(stack)) {
    if (yaml.root === undefined) continue;
    const config = prefix === '' ? yaml.root : mapIn(yaml, yaml.root, 'config');
    if (config === undefined) continue;
    const add = (key: string, map: YAMLMap) => declared.set(key, { file, yaml, map });
    const service = mapIn(yaml, config, `${prefix}service`);
    if (service !== undefined) add('service', service);
    const addAll = (within: YAMLMap, before: string, below: 'providers' | undefined, owner?: Owner) => {
      for (const { type, yaml: place, methodOf } of declarable.filter((one) => one.yaml?.below === below)) {
        for (const map of mapsIn(yaml, within, `${before}${place?.list}`)) {
          const name = textIn(yaml, map, place?.name ?? '') ?? '';
          const namespace = owner?.namespace ?? textIn(yaml, map, 'namespace');
          const { method } = owner ?? {};
          const subject = { type, name, ...(methodOf && method !== undefined && { method }) };
          add(subjectKey({ ...subject, ...(namespace !== undefined && { namespace }) }), map);
        }
      }
    };
    for (const provider of mapsIn(yaml, config, `${prefix}providers`)) {
      const path = textIn(yaml, provider, 'path') ?? textIn(yaml, provider, 'name') ?? '';
      const namespace = textIn(yaml, provider, 'namespace');
      const there = namespace === undefined ? {} : { namespace };
      const clusters = mapsIn(yaml, provider, 'clusters').map((cluster) => ({
        method: clusterOf(path, textIn(yaml, cluster, 'name') ?? ''),
        map: cluster,
      }));
      for (const { method: name, map } of clusters.length > 0
        ? clusters
        : [{ method: path, map: provider }]) {
        add(subjectKey({ type: method.type, name, ...there }), map);
        for (const within of new Set([provider, map]))
          addAll(within, '', 'providers', { method: name, namespace });
      }
    }
    addAll(config, prefix, undefined);
    for (const promise of mapsIn(yaml, config, `${prefix}promises`)) {
      const { data } = promiseSettings.safeParse(promise.toJSON());
      if (data !== undefined) add(subjectKey({ type: 'promise', name: promiseText(data) }), promise);
    }
  }
  return (subject) => {
    const found = declared.get(subject.type === 'service' ? 'service' : subjectKey(subject));
    if (found === undefined) return undefined;
    const { file, yaml, map } = found;
    const field = subject.field === undefined ? undefined : entriesOf(yaml, map).get(subject.field)?.key;
    return position(file, yaml, field ?? map);
  };
}

/** The stack's own file, and the one that `gatehouse:file` names. */
async function configFiles(stack: Stack): Promise<{ file: string; yaml: YamlFile; prefix: string }[]> {
  const path = stackFilePath(await readProject(stack.directory), stack.name);
  const own = await readYamlFile(path);
  const named = stack.config.get('gatehouse:file')?.value;
  const other = named === undefined ? undefined : await readYamlFile(join(stack.directory, named));
  const relative = path.startsWith(`${stack.directory}/`) ? path.slice(stack.directory.length + 1) : path;
  return [
    ...(own === undefined ? [] : [{ file: relative, yaml: own, prefix: 'gatehouse:' }]),
    ...(other === undefined || named === undefined ? [] : [{ file: named, yaml: other, prefix: '' }]),
  ];
}

/** `Pulumi.dev.yaml:3:5` → line and column. */
function position(file: string, yaml: YamlFile, node: Node): Position | undefined {
  const [, line, column] = /:(\d+):(\d+)$/.exec(yaml.at(node)) ?? [];
  return line === undefined ? undefined : { file, line: Number(line), column: Number(column) };
}

function valueIn(yaml: YamlFile, map: YAMLMap, key: string): Node | null {
  return resolved(yaml, entriesOf(yaml, map).get(key)?.value);
}

function mapIn(yaml: YamlFile, map: YAMLMap, key: string): YAMLMap | undefined {
  const value = valueIn(yaml, map, key);
  return isMap(value) ? value : undefined;
}

function mapsIn(yaml: YamlFile, map: YAMLMap, key: string): YAMLMap[] {
  const value = valueIn(yaml, map, key);
  return isSeq(value) ? value.items.map((item) => resolved(yaml, item)).filter((item) => isMap(item)) : [];
}

function textIn(yaml: YamlFile, map: YAMLMap, key: string): string | undefined {
  const value = valueIn(yaml, map, key);
  return isScalar(value) ? String(value.value) : undefined;
}
