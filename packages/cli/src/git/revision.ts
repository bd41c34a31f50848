import { GatehouseError } from '@gatehouse/core/values';
import { firstLine, isObjectId, type Repository } from './repository.ts';

/**
 * The commit of a revision that a person names: whatever git resolves to one thing.
 *
 * @throws GatehouseError `revision_unreadable`
 */
export async function commitNamed(repository: Repository, revision: string): Promise<string> {
  const [name = ''] = /^[^~^@:{]+/.exec(revision) ?? [];
  // Git warns of a ref that has the form of an id. The id is what counts.
  const isId = isObjectId(name);
  // A revision that begins with a hyphen would be an option of git.
  const revParse = ['rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`];
  const args = isId ? ['-c', 'core.warnAmbiguousRefs=false', ...revParse] : revParse;
  const { status, stdout, stderr } = await repository.run(args);
  // Git warns where two refs have the name: a tag, which a change may bring, would be taken for the branch.
  if (status !== 0 || stderr !== '') throw revisionUnreadable(revision, firstLine(stderr));
  if (!isId) await requireMeant(repository, name, revision);
  return stdout.toString().trim();
}

/**
 * Git looks for a name in several places, and takes the first where it is. A tag, which a change may bring, must not stand in
 * for what the name says: a ref in full, a branch of a remote. Where two have the name, git says so itself.
 *
 * @throws GatehouseError `revision_unreadable.meaning`
 */
async function requireMeant(repository: Repository, name: string, revision: string): Promise<void> {
  const args = ['rev-parse', '--symbolic-full-name', '--verify', '--quiet', '--end-of-options', name];
  const { stdout } = await repository.run(args);
  const ref = stdout.toString().trim();
  if (ref === '') return;
  const [remote = ''] = name.split('/', 1);
  const isOfRemote = name.includes('/') && repository.remotes.includes(remote);
  const isOther =
    (name.startsWith('refs/') && ref !== (await fullNameOf(repository, name))) ||
    (isOfRemote && !ref.startsWith('refs/remotes/'));
  if (isOther) throw new GatehouseError('revision_unreadable.meaning', { given: revision, values: { ref } });
}

/** The ref that a full name leads to: the name itself, or that of a branch for a symbolic ref; undefined where there is none. */
async function fullNameOf(repository: Repository, name: string): Promise<string | undefined> {
  const { status, stdout } = await repository.run(['symbolic-ref', '--quiet', name]);
  if (status === 0) return stdout.toString().trim();
  return (await refIn(repository, name)) === undefined ? undefined : name;
}

/** The id of what a ref leads to, by its full name and no other; undefined where it is not there. */
async function refIn(repository: Repository, name: string): Promise<string | undefined> {
  const listed = await repository.ask(['for-each-ref', '--format=%(refname) %(objectname)', name]);
  const refs = listed.split('\n').map((line) => line.split(' '));
  return refs.find(([ref]) => ref === name)?.[1];
}

/** The commit of HEAD; undefined before the first. @throws GatehouseError `repository_unreadable` */
export async function headCommit(repository: Repository): Promise<string | undefined> {
  const head = await repository.head();
  return 'commit' in head ? head.commit : refIn(repository, head.branch);
}

/**
 * The commit that a change is compared with where no one names one: where the branch left the default branch of `origin`, or,
 * without a remote, HEAD.
 *
 * @returns undefined where there is none
 * @throws GatehouseError `repository_unreadable`
 */
export async function defaultBase(repository: Repository): Promise<string | undefined> {
  // A change may choose the repository of a submodule, and with it the default branch of its origin.
  if ((await repository.superproject()) !== undefined) return undefined;
  const head = await headCommit(repository);
  if (head === undefined || repository.remotes.length === 0) return head;
  const branch = await defaultBranch(repository);
  if (branch === undefined) return undefined;
  const { status, stdout, stderr } = await repository.run(['merge-base', head, branch]);
  if (status === 0) return stdout.toString().trim();
  // The two share no commit, or a shallow clone does not have it.
  if (status === 1 && stderr === '') return undefined;
  throw revisionUnreadable(`merge base of ${head} and ${branch}`, firstLine(stderr));
}

const ofOrigin = 'refs/remotes/origin/';

/**
 * The commit of the default branch of `origin`. Only a clone says which one that is, by a symbolic ref: a branch of the remote
 * that is called HEAD would be a ref of the same name.
 */
async function defaultBranch(repository: Repository): Promise<string | undefined> {
  const { status, stdout, stderr } = await repository.run(['symbolic-ref', '--quiet', `${ofOrigin}HEAD`]);
  if (status === 1 && stderr === '') return undefined;
  if (status !== 0) throw revisionUnreadable(`${ofOrigin}HEAD`, firstLine(stderr));
  const branch = stdout.toString().trim();
  return branch.startsWith(ofOrigin) ? refIn(repository, branch) : undefined;
}

export function revisionUnreadable(revision: string, reason: string): GatehouseError {
  const circumstances = { given: revision, allowed: 'what git knows: a branch, a tag, a commit' };
  if (reason === '') return new GatehouseError('revision_unreadable', circumstances);
  return new GatehouseError('revision_unreadable.git', { ...circumstances, values: { reason } });
}
