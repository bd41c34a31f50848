import { readdir, readFile, realpath } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { KeptReview } from '@gatehouse/core/statement';
import { GatehouseError } from '@gatehouse/core/values';
import type { RunClient } from '@gatehouse/run-tasks/client';
import { Repository } from '../git/repository.ts';
import { headCommit } from '../git/revision.ts';
import { changedFiles } from '../git/working-tree.ts';

/** Where a project keeps statements, from its folder. */
const folder = 'gatehouse/reviews';
const ending = '.sigstore.json';

/**
 * The statements that a project keeps, with the time since which git has each as it is.
 *
 * @throws GatehouseError `file_unreadable`, `repository_unreadable`, `git_missing`
 */
export async function reviewsInFolder(directory: string, env: NodeJS.ProcessEnv): Promise<KeptReview[]> {
  const place = join(directory, folder);
  const entries = await readdir(place, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw new GatehouseError('file_unreadable', { given: place, cause, values: { file: 'folder' } });
  });
  const names = entries
    .filter((entry) => !entry.isDirectory() && entry.name.endsWith(ending))
    .map(({ name }) => posix.join(folder, name))
    .sort();
  if (names.length === 0) return [];
  const times = await keptTimes(directory, env);
  return Promise.all(
    names.map(async (name) => ({
      name,
      keptAt: times.get(name),
      // A file that cannot be read is listed as one that does not count.
      text: await readFile(join(directory, name), 'utf8').catch(() => ''),
    })),
  );
}

/** When each file got its present content in git. Files that differ from the last commit are left out. */
async function keptTimes(directory: string, env: NodeJS.ProcessEnv): Promise<Map<string, string>> {
  const repository = await Repository.of(directory, env);
  const head = repository && (await headCommit(repository));
  const times = new Map<string, string>();
  if (repository === undefined || head === undefined) return times;
  const project = await realpath(directory);
  const list = ['log', '--relative', '--name-only', '--format=%x00%cI', head, '--', folder];
  const [log, changed] = await Promise.all([
    repository.ask(list, project),
    changedFiles(repository, join(project, folder), env),
  ]);
  // The log begins with the newest commit.
  for (const commit of log.split('\0').slice(1)) {
    const [time = '', ...names] = commit.split('\n').filter((line) => line !== '');
    for (const name of names) if (!times.has(name)) times.set(name, time);
  }
  const changedNow = new Set(changed);
  const inRepository = (name: string) => posix.join(repository.pathOf(project), name);
  return new Map([...times].filter(([name]) => !changedNow.has(inRepository(name))));
}

/** The statements that a platform keeps of a stack. @throws what `RunClient` throws */
export async function reviewsOfPlatform(client: RunClient, stack: string): Promise<KeptReview[]> {
  const reviews: KeptReview[] = [];
  for await (const { number, statement, run, takenBy, takenAt, appliedAt } of client.reviews(stack)) {
    const known = Object.entries({ run, takenBy, takenAt, appliedAt }).filter(([, value]) => value !== null);
    reviews.push({
      ...Object.fromEntries(known),
      name: `statement ${number} of ${client.address}`,
      text: statement,
    });
  }
  return reviews;
}
