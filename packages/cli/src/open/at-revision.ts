import { lstat, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Environment } from '@gatehouse/core/environment';
import type { GateOptions } from '@gatehouse/core/review';
import { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { readProject, stackFilePath } from '@gatehouse/engine/stack-files';
import { hasFiles, writeTree } from '../git/read-tree.ts';
import { Repository } from '../git/repository.ts';
import { commitNamed, defaultBase, headCommit, revisionUnreadable } from '../git/revision.ts';
import { changedFiles } from '../git/working-tree.ts';
import { openEnvironment } from './open-environment.ts';
import { forComparison, readDeclaring } from './open-stack.ts';

/**
 * Reads something of a stack as it was at a revision of its repository.
 *
 * @param revision as git takes it: a branch, a tag, `HEAD^1`
 * @returns undefined if there was no such stack
 * @throws GatehouseError `revision_unreadable`, `repository_unreadable`, and what `read` throws
 */
export async function atRevision<Answer>(
  { directory, name }: Stack,
  revision: string,
  env: NodeJS.ProcessEnv,
  read: (stack: Stack) => Promise<Answer>,
): Promise<Answer | undefined> {
  return await readAtRevision({ directory, name }, revision, env, read);
}

/** @param isNeeded whether `read` may need a file, by its path from the folder. Defaults to all. */
async function readAtRevision<Answer>(
  { directory, name }: Pick<Stack, 'directory' | 'name'>,
  revision: string,
  env: NodeJS.ProcessEnv,
  read: (stack: Stack) => Promise<Answer>,
  isNeeded?: (path: string) => boolean,
): Promise<Answer | undefined> {
  const repository = await Repository.of(directory, env);
  if (repository === undefined) throw revisionUnreadable(revision, '');
  const commit = await commitNamed(repository, revision);
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-since-'));
  // Only the project's folder is written: the rest of the repository may be large.
  const path = repository.pathOf(await realpath(directory));
  const project = join(folder, 'tree', path);
  try {
    if (!(await writeTree(repository, commit, path, project, isNeeded))) return undefined;
    const stack = await forComparison(await readDeclaring(project, name, env), env);
    return await read({ ...stack, isPast: true });
  } catch (error) {
    if (!(error instanceof GatehouseError) || isOfRevision(error)) throw error;
    if (error.code === 'stack_unknown' || error.code === 'project_missing') return undefined;
    throw new GatehouseError({ ...error.parts, where: `${revision}: ${error.parts.where ?? name}` });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Files of a project that say what a stack declares, unless `gatehouse:file` names another one. */
const isYaml = (path: string) => /\.ya?ml$/i.test(path);

/** The environment that a stack had at a commit; undefined if there was no such stack. @throws what `atRevision` throws */
async function environmentAt(
  stack: Stack,
  commit: string,
  env: NodeJS.ProcessEnv,
): Promise<Environment | undefined> {
  const environmentOf = async (stackAtBase: Stack) => openEnvironment(stackAtBase, env);
  let isElsewhere = false;
  const environment = await readAtRevision(
    stack,
    commit,
    env,
    async (stackAtBase) => {
      isElsewhere = !isYaml(stackAtBase.config.get('gatehouse:file')?.value ?? '.yaml');
      return isElsewhere ? undefined : await environmentOf(stackAtBase);
    },
    isYaml,
  );
  return isElsewhere ? await readAtRevision(stack, commit, env, environmentOf) : environment;
}

function isOfRevision({ code }: GatehouseError): boolean {
  return ['revision_unreadable', 'repository_unreadable', 'tree_unsafe', 'git_missing'].includes(code);
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
  const base = await baseRevision(stack.directory, env, revision);
  if (base === undefined) return 'unknown';
  if (await isEnvironmentUnchanged(stack, base, env)) return undefined;
  try {
    const before = await environmentAt(stack, base, env);
    return before !== undefined && isSameService(before, openEnvironment(stack, env)) ? before : 'unknown';
  } catch (error) {
    const isOfStack = error instanceof GatehouseError && !isOfRevision(error);
    if (revision === undefined && isOfStack) return 'unknown';
    throw error;
  }
}

/** What a stack asks of signed reviews, and the exceptions in force then. */
interface ReviewDemand extends Pick<Environment, 'exceptions'> {
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
): Promise<ReviewDemand | undefined> {
  const after = openEnvironment(stack, env);
  const base = await baseRevision(stack.directory, env, revision);
  if (base === undefined) {
    if (after?.reviews === undefined) return undefined;
    throw new GatehouseError('review_missing.policy');
  }
  const before = (await isEnvironmentUnchanged(stack, base, env))
    ? after
    : await environmentAt(stack, base, env);
  if (before?.reviews === undefined) return undefined;
  const changesPolicy = !isDeepStrictEqual(before.reviews, after?.reviews);
  return { policy: before.reviews, exceptions: before.exceptions, changesPolicy };
}

/**
 * Whether the files of a project are those of a base revision, which was reviewed: of the default branch of `origin`, or, without
 * a remote, of HEAD. A folder that is in no repository has no other files.
 *
 * @throws GatehouseError `repository_unreadable`: what git does not read is not known to be reviewed
 */
export async function isAtBase({ directory }: Stack, env: NodeJS.ProcessEnv): Promise<boolean> {
  const repository = await Repository.of(directory, env).catch(onlyWithoutGit);
  if (repository === undefined) return true;
  if (repository === 'no git') return false;
  const base = await defaultBase(repository);
  if (base === undefined || base !== (await headCommit(repository))) return false;
  return (await changedFiles(repository, await realpath(directory), env)).length === 0;
}

/** An image without git knows no revision (docs/serve.md). @throws what is another problem */
function onlyWithoutGit(error: unknown): 'no git' {
  if (error instanceof GatehouseError && error.code === 'git_missing') return 'no git';
  throw error;
}

/** Whether a project has revisions, and git to read them. @throws GatehouseError `repository_unreadable` */
export async function hasRevisions({ directory }: Stack, env: NodeJS.ProcessEnv): Promise<boolean> {
  return (await Repository.of(directory, env).catch(onlyWithoutGit)) instanceof Repository;
}

/** An exception for one service does not count at another. */
function isSameService({ service }: Environment, now: Environment | undefined): boolean {
  return service.address === now?.service.address && service.namespace === now.service.namespace;
}

/**
 * The commit that a change is compared with; undefined where none is found.
 *
 * @param named a revision. Defaults to where the branch left the default branch of `origin`, or, without a remote, to HEAD.
 * @throws GatehouseError `repository_unreadable`, and `revision_unreadable` for one that is named
 */
export async function baseRevision(
  directory: string,
  env: NodeJS.ProcessEnv,
  named?: string,
): Promise<string | undefined> {
  if (named === undefined) {
    const enclosing = await Repository.of(directory, env).catch(onlyWithoutGit);
    return enclosing instanceof Repository ? defaultBase(enclosing) : undefined;
  }
  const repository = await Repository.of(directory, env);
  if (repository === undefined) throw revisionUnreadable(named, '');
  return commitNamed(repository, named);
}

/** Whether the files of the environment are those of a revision, byte by byte: it need not be read, then. */
async function isEnvironmentUnchanged(
  stack: Stack,
  revision: string,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const { directory, name, config } = stack;
  const repository = await Repository.of(directory, env);
  if (repository === undefined) return false;
  const own = config.get('gatehouse:file')?.value;
  const stackFile = stackFilePath(await readProject(directory), name);
  const files = ['Pulumi.yaml', relative(directory, stackFile), ...(own === undefined ? [] : [own])];
  const root = await realpath(directory);
  const read = new Map<string, Buffer>();
  for (const file of files) {
    const path = join(root, file);
    const isRegular = (await lstat(path).catch(() => undefined))?.isFile();
    // A link counts as changed: it may lead elsewhere than it did.
    if (!isRegular || (await realpath(path)) !== path) return false;
    read.set(repository.pathOf(path), await readFile(path));
  }
  return hasFiles(repository, revision, read);
}
