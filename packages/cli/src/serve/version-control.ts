import type { RunDescription } from '@gatehouse/run-tasks';
import { askGit } from '../open/git.ts';

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
>;

/** Asks git about a folder. */
export async function readVersionControl(directory: string): Promise<VersionControl> {
  const [branch, head, remote, folder, changes, subject] = await Promise.all([
    git(directory, 'symbolic-ref', '--short', '-q', 'HEAD'),
    git(directory, 'rev-parse', 'HEAD'),
    git(directory, 'remote', 'get-url', 'origin'),
    git(directory, 'rev-parse', '--show-prefix'),
    git(directory, 'status', '--porcelain', '--', '.'),
    git(directory, 'log', '-1', '--format=%s'),
  ]);
  const repoUrl = remote === null ? null : webAddress(remote);
  return {
    workspaceWorkingDirectory: folder?.replace(/\/$/, '') ?? '',
    // None of files that are not those of the commit.
    configurationVersionId: (changes === '' && head) || '',
    vcsBranch: branch || null,
    vcsCommitUrl: repoUrl === null || head === null ? null : `${repoUrl}/commit/${head}`,
    vcsRepoUrl: repoUrl,
    commit: head,
    commitMessage: subject?.slice(0, 200) || null,
  };
}

/**
 * What a folder's files are, as git says it: `text` for people, such as `commit 1a2b3c4d5e6f`. While `identity` stays the same,
 * the committed files stay the same.
 */
export async function checkoutOf(directory: string): Promise<{ text: string; identity: string }> {
  const options = { timeoutMs: 10_000, env: { ...process.env, LC_ALL: 'C' } };
  try {
    const args = ['--no-optional-locks', 'status', '--porcelain=v2', '--branch', '--', '.'];
    const stdout = await askGit(directory, args, options);
    const commit = /^# branch\.oid ([0-9a-f]+)$/m.exec(stdout)?.[1];
    const name = commit === undefined ? 'no commit yet' : `commit ${commit.slice(0, 12)}`;
    const isChanged = stdout.split('\n').some((line) => line !== '' && !line.startsWith('#'));
    return { text: isChanged ? `${name}, with uncommitted changes` : name, identity: stdout };
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    const text = stderr.includes('not a git repository')
      ? 'not a git checkout'
      : `git cannot read the checkout: ${(stderr || message).trim().split('\n')[0]}`;
    return { text, identity: text };
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

async function git(directory: string, ...args: string[]): Promise<string | null> {
  try {
    return (await askGit(directory, args, { timeoutMs: 10_000 })).trim();
  } catch {
    return null;
  }
}
