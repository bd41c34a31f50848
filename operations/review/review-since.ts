import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Change } from '../../core/model/change.ts';
import { emptyGraph } from '../../core/model/graph.ts';
import { graphDifferences } from '../../core/model/graph-difference.ts';
import { methodSubject, subjectText } from '../../core/model/subject.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { type Review, type ReviewOptions, reviewChange } from '../../core/review/review.ts';
import { readPassphrase } from '../../engine/passphrase.ts';
import type { Stack } from '../../engine/stack.ts';
import { readStack, readStackWithoutSecrets } from '../../engine/stack-files/read-stack.ts';
import { git } from '../git.ts';
import { type Declared, openDeclared, stackSecrets } from '../open-environment.ts';
import { chooseStack } from '../open-stack.ts';

/** A stack, and what it declares. Its secrets may be encrypted. */
interface Version extends Declared {
  stack: Stack;
}

/**
 * Opens a command's stack for `reviewSince`: without a passphrase, each secret is its ciphertext.
 *
 * @param name of `--stack`; defaults to `PULUMI_STACK`
 * @throws GatehouseError `stack_not_chosen`, and what `readStack` throws
 */
export async function openStackSince(
  directory: string,
  name: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Stack> {
  return readVersion(directory, await chooseStack(directory, name, env), env);
}

async function readVersion(directory: string, name: string, env: NodeJS.ProcessEnv): Promise<Stack> {
  const canDecrypt = (await readPassphrase(env)) !== undefined;
  if (canDecrypt) return readStack(directory, name, env);
  return readStackWithoutSecrets(directory, name, env, (ciphertext) => ciphertext);
}

/**
 * Reviews what a stack's files declare against what they declared at a revision of their repository. It needs no token, no
 * passphrase and no service, and does not know what was applied.
 *
 * @param revision as git takes it: a branch, a tag, `HEAD^1`
 * @throws GatehouseError `revision_unreadable`, and what `openDeclared` throws for either version
 */
export async function reviewSince(
  stack: Stack,
  revision: string,
  options: ReviewOptions,
  env: NodeJS.ProcessEnv,
): Promise<Review> {
  const after = { stack, ...(await openDeclared(stack, env)) };
  const before = await versionAt(stack, revision, env);
  const isElsewhere = before !== undefined && placeOf(before) !== placeOf(after);
  const change = changeOf(isElsewhere ? undefined : before, after);
  const differing = graphDifferences(change.after, change.before).map(({ subject }) => subjectText(subject));
  const { graph } = after;
  return {
    ...reviewChange(change, options),
    tool: 'gatehouse',
    resources: {
      reviewed: [
        graph.methods,
        graph.roles,
        graph.groups,
        graph.aliases,
        graph.policies,
        graph.messages,
      ].flat().length,
      changed: new Set(differing).size,
    },
    passedOver: [],
    notes: [
      `Compared with what the stack declared at ${revision}: what was applied since may be something else, and resources that the program adds by itself are not looked at.`,
      ...(before === undefined ? [`There was no such stack at ${revision}: all of it is new.`] : []),
      ...(isElsewhere ? ['It is for another service than before: all of it is new there.'] : []),
    ],
  };
}

function changeOf(before: Version | undefined, after: Version): Change {
  const was = before?.graph ?? emptyGraph();
  const secrets = (version: Version) => stackSecrets(version.stack, 'clientSecrets');
  const providers = after.environment.providers.filter(({ name }) => {
    const old = before && secrets(before)[name];
    return old !== undefined && old !== secrets(after)[name];
  });
  return {
    before: was,
    after: after.graph,
    replaced: after.graph.methods
      .filter(({ path, type }) => was.methods.some((method) => method.path === path && method.type !== type))
      .map((method) => methodSubject(method)),
    rotated: providers.map(({ name, path = name }) => ({
      type: 'method',
      name: path,
      field: 'oidcClientSecret',
    })),
    unknown: [],
  };
}

function placeOf({ environment: { service } }: Version): string {
  return JSON.stringify([service.address, service.namespace ?? '']);
}

/** @returns undefined if there was no such stack */
async function versionAt(
  { directory, name }: Stack,
  revision: string,
  env: NodeJS.ProcessEnv,
): Promise<Version | undefined> {
  const prefix = git(['rev-parse', '--show-prefix'], directory, env);
  // A revision that begins with a hyphen would be an option of git.
  const commit = git(['rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`], directory, env);
  if (prefix.status !== 0 || commit.status !== 0) throw unreadable(revision, prefix.stderr || commit.stderr);
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-since-'));
  const tree = join(folder, 'tree');
  try {
    const added = git(['worktree', 'add', '--quiet', '--detach', tree, commit.stdout.trim()], directory, env);
    if (added.status !== 0) throw unreadable(revision, added.stderr);
    const stack = await readVersion(join(tree, prefix.stdout.trim()), name, env);
    return { stack, ...(await openDeclared(stack, env)) };
  } catch (error) {
    if (!(error instanceof GatehouseError) || error.code === 'revision_unreadable') throw error;
    if (error.code === 'stack_unknown' || error.code === 'project_missing') return undefined;
    throw new GatehouseError({ ...error.parts, where: `${revision}: ${error.parts.where ?? name}` });
  } finally {
    git(['worktree', 'remove', '--force', tree], directory, env);
    await rm(folder, { recursive: true, force: true });
  }
}

function unreadable(revision: string, said: string): GatehouseError {
  return new GatehouseError({
    code: 'revision_unreadable',
    what: 'The revision cannot be read from the repository of this folder.',
    given: revision,
    allowed: 'what git knows: a branch, a tag, a commit',
    fix: said.trim().split('\n')[0] || 'Install git, and run the command in a clone that has the revision.',
  });
}
