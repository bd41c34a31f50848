import { join } from 'node:path';
import { isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml';
import { clusterOf } from '../../core/model/kinds/container-orchestrator.ts';
import { promiseSettings, promiseText } from '../../core/model/promise-settings.ts';
import type { Position } from '../../core/review/reports/sarif.ts';
import type { Subject } from '../../core/rules/finding.ts';
import type { Stack } from '../../engine/stack.ts';
import { readProject } from '../../engine/stack-files/project-file.ts';
import { stackFilePath } from '../../engine/stack-files/read-stack.ts';
import { entriesOf, readYamlFile, resolved, type YamlFile } from '../../engine/stack-files/yaml-file.ts';

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
    for (const provider of mapsIn(yaml, config, `${prefix}providers`)) {
      const path = textIn(yaml, provider, 'path') ?? textIn(yaml, provider, 'name') ?? '';
      const addMethod = (method: string, map: YAMLMap, roles: YAMLMap[]) => {
        add(keyOf({ type: 'method', name: method }), map);
        for (const role of roles) {
          const name = (textIn(yaml, role, 'name') ?? '').toLowerCase();
          add(keyOf({ type: 'role', name, method }), role);
        }
      };
      const roles = mapsIn(yaml, provider, 'roles');
      const clusters = mapsIn(yaml, provider, 'clusters');
      if (clusters.length === 0) addMethod(path, provider, roles);
      for (const cluster of clusters) {
        const method = clusterOf(path, textIn(yaml, cluster, 'name') ?? '');
        addMethod(method, cluster, [...roles, ...mapsIn(yaml, cluster, 'roles')]);
      }
      for (const group of mapsIn(yaml, provider, 'groups')) {
        add(keyOf({ type: 'group', name: textIn(yaml, group, 'name') ?? '' }), group);
        add(keyOf({ type: 'alias', name: textIn(yaml, group, 'alias') ?? '', method: path }), group);
      }
    }
    for (const group of mapsIn(yaml, config, `${prefix}groups`)) {
      add(keyOf({ type: 'group', name: textIn(yaml, group, 'name') ?? '' }), group);
    }
    for (const policy of mapsIn(yaml, config, `${prefix}policies`)) {
      add(keyOf({ type: 'policy', name: (textIn(yaml, policy, 'name') ?? '').toLowerCase() }), policy);
    }
    for (const promise of mapsIn(yaml, config, `${prefix}promises`)) {
      const { data } = promiseSettings.safeParse(promise.toJSON());
      if (data !== undefined) add(keyOf({ type: 'promise', name: promiseText(data) }), promise);
    }
    for (const message of mapsIn(yaml, config, `${prefix}messages`)) {
      add(keyOf({ type: 'message', name: textIn(yaml, message, 'title') ?? '' }), message);
    }
  }
  return (subject) => {
    const found = declared.get(subject.type === 'service' ? 'service' : keyOf(subject));
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

function keyOf({ type, name, method }: Subject): string {
  return JSON.stringify([type, method ?? null, name]);
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
