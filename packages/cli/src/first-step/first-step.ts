import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What a folder is best begun with.
 * - `plan`: a plan as JSON. - `archive`: a plan file that only its own program reads. - `stack`: stacks of a project, each with an
 *   environment. - `terraform`: files that no plan was made of yet. - `nothing`: none of these.
 */
export type FirstStep =
  | { kind: 'plan'; file: string; tool: 'terraform' | 'pulumi' }
  | { kind: 'archive'; file: string }
  | { kind: 'stack'; stacks: string[] }
  | { kind: 'terraform' }
  | { kind: 'nothing' };

/** Names of a folder, and files of it, that are looked at; and bytes of each. */
const most = { names: 2_000, files: 60, bytes: 4_096 };

/** What to do first in a folder. Only looks at the beginnings of its own files; never fails. */
export async function firstStepIn(folder: string): Promise<FirstStep> {
  const names = await namesIn(folder);
  const [plan] = await planFiles(folder, names);
  if (plan !== undefined) return plan;
  const stacks = await stacksIn(folder, names);
  if (stacks.length > 0) return { kind: 'stack', stacks };
  return names.some((name) => /\.(?:tf|tofu)(?:\.json)?$/.test(name))
    ? { kind: 'terraform' }
    : { kind: 'nothing' };
}

/** Plans of the folder, those that can be read first. */
async function planFiles(folder: string, names: readonly string[]): Promise<FirstStep[]> {
  const candidates = names.filter(
    (name) =>
      /\.json$|plan|preview/i.test(name) &&
      !/^\.|\.(?:tf|tofu|md|sh|ya?ml|[cm]?[jt]s)$|\.tf\.json$/i.test(name),
  );
  const found = await Promise.all(
    candidates.slice(0, most.files).map(async (file): Promise<FirstStep | undefined> => {
      const start = await startOf(join(folder, file));
      if (start.startsWith('PK\x03\x04')) return { kind: 'archive', file };
      if (!start.trimStart().startsWith('{')) return undefined;
      // A state in the same form has values, and nothing that is planned.
      if (/"format_version"/.test(start) && !/^[^[]*"values"/.test(start))
        return { kind: 'plan', file, tool: 'terraform' };
      const isPreview = /^\s*\{\s*"(?:config|steps)"/.test(start) && /"(?:steps|urn)"/.test(start);
      return isPreview ? { kind: 'plan', file, tool: 'pulumi' } : undefined;
    }),
  );
  const steps = found.filter((step) => step !== undefined);
  return [...steps.filter(({ kind }) => kind === 'plan'), ...steps.filter(({ kind }) => kind === 'archive')];
}

/** Stacks of the project that declare an environment. */
async function stacksIn(folder: string, names: readonly string[]): Promise<string[]> {
  if (!names.some((name) => /^Pulumi\.ya?ml$/.test(name))) return [];
  const stacks = names.flatMap((file) => {
    const [, stack] = /^Pulumi\.(.+)\.ya?ml$/.exec(file) ?? [];
    return stack === undefined ? [] : [{ file, stack }];
  });
  const declaring = await Promise.all(
    stacks
      .slice(0, most.files)
      .map(async ({ file, stack }) =>
        /^\s*["']?gatehouse:/m.test(await startOf(join(folder, file))) ? [stack] : [],
      ),
  );
  return declaring.flat();
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .slice(0, most.names)
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

/** The beginning of a file; empty for what cannot be read. */
async function startOf(file: string): Promise<string> {
  const handle = await open(file).catch(() => undefined);
  try {
    const { buffer, bytesRead } = (await handle?.read(Buffer.alloc(most.bytes), 0, most.bytes, 0)) ?? {};
    return buffer?.toString('utf8', 0, bytesRead) ?? '';
  } catch {
    return '';
  } finally {
    await handle?.close();
  }
}
