import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Environment } from '@gatehouse/core/environment';
import type { GateOptions } from '@gatehouse/core/review';
import { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { readProject, stackFilePath } from '@gatehouse/engine/stack-files';
import { git } from './git.ts';
import { openEnvironment } from './open-environment.ts';
import { readCompared } from './open-stack.ts';

/**
 * Reads something of a stack as it was at a revision of its repository.
 *
 * @param revision as git takes it: a branch, a tag, `HEAD^1`
 * @returns undefined if there was no such stack
 * @throws GatehouseError `revision_unreadable`, and what `read` throws
 */
export async function atRevision<Answer>(
  { directory, name }: Stack,
  revision: string,
  env: NodeJS.ProcessEnv,
  read: (stack: Stack) => Promise<Answer>,
): Promise<Answer | undefined> {
  const shown = git(['rev-parse', '--show-prefix'], directory, env);
  if (shown.status !== 0) throw unreadable(revision, shown.stderr);
  const commit = commitOf(revision, directory, env);
  const prefix = shown.stdout.trim().replace(/\/$/, '');
  // The project's folder alone is checked out: around it may be all that a company has.
  if (git(['cat-file', '-e', `${commit}:${prefix}`], directory, env).status !== 0) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-since-'));
  const tree = join(folder, 'tree');
  try {
    const added = git(
      ['worktree', 'add', '--quiet', '--detach', '--no-checkout', tree, commit],
      directory,
      env,
    );
    const filled =
      added.status === 0 ? git(['checkout', '--quiet', commit, '--', prefix || '.'], tree, env) : added;
    if (filled.status !== 0) throw unreadable(revision, filled.stderr);
    return await read({ ...(await readCompared(join(tree, prefix), name, env)), isPast: true });
  } catch (error) {
    if (!(error instanceof GatehouseError) || error.code === 'revision_unreadable') throw error;
    if (error.code === 'stack_unknown' || error.code === 'project_missing') return undefined;
    throw new GatehouseError({ ...error.parts, where: `${revision}: ${error.parts.where ?? name}` });
  } finally {
    git(['worktree', 'remove', '--force', tree], directory, env);
    await rm(folder, { recursive: true, force: true });
  }
}

function commitOf(revision: string, directory: string, env: NodeJS.ProcessEnv): string {
  // A revision that begins with a hyphen would be an option of git.
  const args = ['rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`];
  const { status, stdout, stderr } = git(args, directory, env);
  // What git says of one that it found: a tag of the same name, which a change may bring, would be taken for a branch.
  if (status !== 0 || stderr !== '') throw unreadable(revision, stderr);
  return stdout.trim();
}

function unreadable(revision: string, message: string): GatehouseError {
  const circumstances = { given: revision, allowed: 'what git knows: a branch, a tag, a commit' };
  const reason = message.trim().split('\n')[0];
  if (!reason) return new GatehouseError('revision_unreadable', circumstances);
  return new GatehouseError('revision_unreadable.git', { ...circumstances, values: { reason } });
}

/**
 * What the environment of a stack accepted at the base revision: what a change adds to it does not count yet.
 *
 * @param revision defaults to where the branch left the default branch of `origin`, or, without a remote, to HEAD
 * @returns `unknown` where no base revision is found; undefined for a stack that accepts nothing and promises nothing
 * @throws GatehouseError `revision_unreadable` for one that is named
 */
export async function gateAtBase(
  stack: Stack,
  env: NodeJS.ProcessEnv,
  revision?: string,
): Promise<GateOptions['was']> {
  const { directory } = stack;
  const base = baseRevision(directory, env, revision);
  if (base === undefined) return 'unknown';
  if (await isUnchanged(stack, base, env)) return undefined;
  try {
    const before = await atRevision(stack, base, env, async (there) => openEnvironment(there, env));
    return before !== undefined && isSameService(before, openEnvironment(stack, env)) ? before : 'unknown';
  } catch (error) {
    if (revision === undefined && error instanceof GatehouseError) return 'unknown';
    throw error;
  }
}

/** What a stack asks of signed reviews, and the exceptions in force then. */
interface ReviewsAsked extends Pick<Environment, 'exceptions'> {
  policy: NonNullable<Environment['reviews']>;
  /** Whether the stack's files ask for something else. */
  changesPolicy: boolean;
}

/**
 * What a stack asks of signed reviews at the base revision: a change does not choose who may let it in.
 *
 * @param revision defaults as `gateAtBase`'s does
 * @returns undefined where none are asked for
 * @throws GatehouseError `review_missing` where that cannot be told, and what `atRevision` throws
 */
export async function reviewsAtBase(
  stack: Stack,
  env: NodeJS.ProcessEnv,
  revision?: string,
): Promise<ReviewsAsked | undefined> {
  const { directory } = stack;
  const is = openEnvironment(stack, env);
  const base = baseRevision(directory, env, revision);
  if (base === undefined) {
    if (is?.reviews === undefined) return undefined;
    throw new GatehouseError('review_missing.policy');
  }
  const was = (await isUnchanged(stack, base, env))
    ? is
    : await atRevision(stack, base, env, async (there) => openEnvironment(there, env));
  if (was?.reviews === undefined) return undefined;
  const changesPolicy = !isDeepStrictEqual(was.reviews, is?.reviews);
  return { policy: was.reviews, exceptions: was.exceptions, changesPolicy };
}

/**
 * Whether the files of a project are those of a base revision, which was reviewed: of the default branch of `origin`, or, without
 * a remote, of HEAD. A folder that is in no repository has no other files.
 */
export function isAtBase({ directory }: Stack, env: NodeJS.ProcessEnv): boolean {
  if (git(['rev-parse', '--git-dir'], directory, env).status === notARepository) return true;
  const base = baseRevision(directory, env);
  if (base === undefined || base !== git(['rev-parse', 'HEAD'], directory, env).stdout.trim()) return false;
  const { status, stdout } = git(['status', '--porcelain', '--', '.'], directory, env);
  return status === 0 && stdout === '';
}

const notARepository = 128;

/** An exception for one service does not count at another. */
function isSameService({ service }: Environment, now: Environment | undefined): boolean {
  return service.address === now?.service.address && service.namespace === now.service.namespace;
}

/**
 * The commit that a change is compared with; undefined where none is found.
 *
 * @param named a revision. Defaults to where the branch left the default branch of `origin`, or, without a remote, to HEAD.
 * @throws GatehouseError `revision_unreadable` for one that is named
 */
export function baseRevision(directory: string, env: NodeJS.ProcessEnv, named?: string): string | undefined {
  if (named !== undefined) return commitOf(named, directory, env);
  const ask = (...args: string[]) => {
    const { status, stdout } = git(args, directory, env);
    return status === 0 ? stdout.trim() : undefined;
  };
  // A change may choose the repository of a submodule, and with it the default branch of its origin.
  if (ask('rev-parse', '--show-superproject-working-tree') !== '') return undefined;
  const remotes = ask('remote');
  if (remotes === '') return ask('rev-parse', '--verify', 'HEAD');
  return remotes === undefined ? undefined : ask('merge-base', 'HEAD', 'refs/remotes/origin/HEAD');
}

/**
 * Whether the files of the environment are those of a revision: it need not be read, then. For links, git would compare their targets.
 */
async function isUnchanged(stack: Stack, revision: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { directory, name, config } = stack;
  const own = config.get('gatehouse:file')?.value;
  const stackFile = stackFilePath(await readProject(directory), name);
  const files = ['Pulumi.yaml', relative(directory, stackFile), ...(own === undefined ? [] : [own])];
  const found = git(['ls-tree', '--end-of-options', revision, '--', ...files], directory, env);
  const regular = found.stdout.split('\n').filter((line) => line.startsWith('100'));
  if (found.status !== 0 || regular.length !== files.length) return false;
  return git(['diff', '--quiet', '--end-of-options', revision, '--', ...files], directory, env).status === 0;
}
