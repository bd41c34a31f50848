import { realpath } from 'node:fs/promises';
import { GatehouseError } from '@gatehouse/core/values';
import type { RunDescription } from '@gatehouse/run-tasks';
import { Repository } from '../git/repository.ts';
import { headCommit } from '../git/revision.ts';
import { changedFiles } from '../git/working-tree.ts';

/** What a run says of its stack's folder; null or empty for what git does not know. */
type VersionControl = Pick<
  RunDescription,
  | 'workspaceWorkingDirectory'
  | 'configurationVersionId'
  | 'vcsBranch'
  | 'vcsCommitUrl'
  | 'vcsRepoUrl'
  | 'commit'
  | 'commitMessage'
  | 'uncommitted'
>;

/** What is said where there is no repository, or no git. */
const unversioned: VersionControl = {
  workspaceWorkingDirectory: '',
  configurationVersionId: '',
  vcsBranch: null,
  vcsCommitUrl: null,
  vcsRepoUrl: null,
  commit: null,
  commitMessage: null,
};

/** Asks git about a folder. @throws GatehouseError `repository_unreadable` */
export async function readVersionControl(directory: string): Promise<VersionControl> {
  const { env } = process;
  const repository = await repositoryOf(directory, env);
  if (repository === undefined) return unversioned;
  const folder = await realpath(directory);
  const [head, place, changed] = await Promise.all([
    headCommit(repository),
    repository.head(),
    changedFiles(repository, folder, env),
  ]);
  const subject = head === undefined ? '' : (await repository.ask(['log', '-1', '--format=%s', head])).trim();
  const remote = repository.addressOf('origin');
  const repoUrl = remote === undefined ? null : webAddress(remote);
  return {
    workspaceWorkingDirectory: repository.pathOf(folder),
    // Files that differ from the commit have no version.
    configurationVersionId: (changed.length === 0 && head) || '',
    vcsBranch: 'branch' in place ? place.branch.replace(/^refs\/heads\//, '') : null,
    vcsCommitUrl: repoUrl === null || head === undefined ? null : `${repoUrl}/commit/${head}`,
    vcsRepoUrl: repoUrl,
    commit: head ?? null,
    commitMessage: subject.slice(0, 200) || null,
    ...(changed.length > 0 && { uncommitted: changed.slice(0, mostUncommitted) }),
  };
}

/** Paths that a run lists of files that are not committed. */
const mostUncommitted = 20;

/**
 * What a folder's files are, as git says it: `text` for people, such as `commit 1a2b3c4d5e6f`. While `identity` stays the same,
 * the committed files stay the same.
 */
export async function checkoutOf(directory: string): Promise<{ text: string; identity: string }> {
  const { env } = process;
  try {
    const repository = await Repository.of(directory, env);
    if (repository === undefined) return { text: 'not a git checkout', identity: '' };
    const [head, changed] = await Promise.all([
      headCommit(repository),
      changedFiles(repository, await realpath(directory), env),
    ]);
    const name = head === undefined ? 'no commit yet' : `commit ${head.slice(0, 12)}`;
    const text = changed.length > 0 ? `${name}, with uncommitted changes` : name;
    return { text, identity: [head, ...changed].join('\0') };
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    const text = `git cannot read the checkout: ${error.parts.what}`;
    return { text, identity: text };
  }
}

async function repositoryOf(directory: string, env: NodeJS.ProcessEnv): Promise<Repository | undefined> {
  try {
    return await Repository.of(directory, env);
  } catch (error) {
    if (error instanceof GatehouseError && error.code === 'git_missing') return undefined;
    throw error;
  }
}

/**
 * The web address of a remote, without user and password; null if it is not on a host.
 *
 * @param remote `https://…`, `ssh://…` or `git@host:path`
 */
export function webAddress(remote: string): string | null {
  const [, host, path] = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(remote) ?? [];
  const url = URL.parse(host === undefined ? remote : `ssh://${host}/${path}`);
  if (url === null || url.hostname === '' || !/^(https?|ssh|git):$/.test(url.protocol)) return null;
  const isWeb = /^https?:$/.test(url.protocol);
  const origin = isWeb ? url.origin : `https://${url.hostname}`;
  return `${origin}${url.pathname.replace(/\/+$/, '').replace(/\.git$/, '')}`;
}
