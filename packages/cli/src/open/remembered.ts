import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import {
  parsePublished,
  publishedDifferences,
  publishedOf,
  publishedText,
} from '@gatehouse/core/environment';
import { namespaceBelow } from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { readProject, replaceFile, stackFilePath } from '@gatehouse/engine/stack-files';
import type { Check } from './check.ts';
import { openNamespaces } from './open-environment.ts';
import { type DocumentsByPath, documentsOf, type ProviderDocuments } from './provider-documents.ts';

/** What providers published when it was last read. */
export interface Remembered {
  /** Absolute path. */
  file: string;
  /** What differs from before, by method. */
  changes: { method: string; change: string }[];
}

/**
 * Writes what the providers of a stack publish to a file next to its stack file. A provider that cannot be read stays as
 * it was remembered.
 *
 * @throws GatehouseError `remembered_invalid`, and what `openDeclared` throws
 */
export async function remember(stack: Stack, env: NodeJS.ProcessEnv): Promise<Remembered> {
  const documents = new Map(
    (await openNamespaces(stack, env)).flatMap(({ path, graph }) =>
      [...documentsOf(graph)].map(([method, one]) => [namespaceBelow(path, method), one] as const),
    ),
  );
  const { file, remembered = parsePublished('{}') } = await readRemembered(stack);
  const read = [...documents].map(async ([method, one]) => {
    const found = await publishedBy(one).catch(() => remembered.get(method));
    return found === undefined ? [] : [[method, found] as const];
  });
  const now = new Map((await Promise.all(read)).flat());
  const changes = [...new Set([...remembered.keys(), ...now.keys()])].flatMap((method) =>
    publishedDifferences(remembered.get(method), now.get(method)).map((change) => ({ method, change })),
  );
  await replaceFile(file, publishedText(now));
  return { file, changes };
}

/** Holds what is remembered of the providers, if anything is, against what they publish. */
export async function compareRemembered(
  stack: Stack,
  documents: DocumentsByPath,
  namespace = '',
): Promise<Check[]> {
  const { remembered } = await readRemembered(stack);
  if (remembered === undefined) return [];
  const checks = [...documents].map(async ([method, one]): Promise<Check[]> => {
    const check = { subject: { type: 'method', name: method }, what: 'what it published before' } as const;
    const before = remembered.get(namespaceBelow(namespace, method));
    if (before === undefined) {
      return [{ ...check, outcome: 'unverified', detail: 'nothing is remembered of it: verify --remember' }];
    }
    try {
      const differences = publishedDifferences(before, await publishedBy(one));
      if (differences.length === 0) return [{ ...check, outcome: 'ok', detail: 'unchanged' }];
      return differences.map((detail) => ({ ...check, outcome: 'failed', detail }));
    } catch (error) {
      return [{ ...check, outcome: 'unverified', detail: (error as Error).message }];
    }
  });
  return (await Promise.all(checks)).flat();
}

async function publishedBy(documents: ProviderDocuments) {
  const document = documents.hasDiscovery ? (await documents.discovery()).document : undefined;
  const keys = await Promise.all((await documents.keyPlaces()).map((place) => documents.keys(place)));
  return publishedOf(document, keys.flat());
}

/** `providers.<stack>.json`: Pulumi takes every `Pulumi.*` for a stack file. */
async function readRemembered(
  stack: Stack,
): Promise<{ file: string; remembered?: ReturnType<typeof parsePublished> }> {
  const folder = dirname(stackFilePath(await readProject(stack.directory), stack.name));
  const file = join(folder, `providers.${stack.name}.json`);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return { file };
    throw cause;
  }
  try {
    return { file, remembered: parsePublished(text) };
  } catch (cause) {
    throw new GatehouseError('remembered_invalid', {
      where: relative(process.cwd(), file),
      allowed: 'what gatehouse verify --remember writes',
      cause,
    });
  }
}
