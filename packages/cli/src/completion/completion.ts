import { readFile } from 'node:fs/promises';
import { objectOf, textOf, yamlValue } from '@gatehouse/core/graph';
import { listStacks, readProject, stackFilePath } from '@gatehouse/engine/stack-files';

/** The project's stacks; none where there is no project. */
export async function completeStack(directory: string): Promise<string[]> {
  return (await listStacks(directory).catch(() => [])).filter(isPlain);
}

/** Nothing that a shell expands, in quotes either: a stack's file may come from anybody. */
const isPlain = (name: string) => /^[\p{L}\p{N}_.,/@:+= -]+$/u.test(name);

/**
 * Names for `--target` and `--exclude`, as a stack's file has them: the file alone, so that it takes a moment and no
 * passphrase. None where it cannot be read.
 */
export async function completeName(directory: string, stack: string): Promise<string[]> {
  try {
    const file = stackFilePath(await readProject(directory), stack);
    const config = objectOf(objectOf(yamlValue(file, await readFile(file, 'utf8')))?.['config']) ?? {};
    const parts = (list: unknown) =>
      Array.isArray(list) ? list.map(objectOf).filter((one) => one !== undefined) : [];
    const names = (list: unknown) => parts(list).flatMap(({ name }) => textOf(name) ?? []);
    const providers = config['gatehouse:providers'];
    const inner = (field: string) =>
      parts(providers).flatMap((one) => names(one[field]).map((name) => `${one['name']}/${name}`));
    return [
      ...names(providers).map((name) => `provider ${name}`),
      ...inner('roles').map((name) => `role ${name}`),
      ...inner('groups').map((name) => `group ${name}`),
      ...names(config['gatehouse:policies']).map((name) => `policy ${name}`),
    ].filter(isPlain);
  } catch {
    return [];
  }
}
