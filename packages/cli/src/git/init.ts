import { sep } from 'node:path';
import { GatehouseError } from '@gatehouse/core/values';
import { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

/** What became of a repository for a folder: `kept` where the folder is in one, `missing` where there is no git. */
export type Initialized = 'made' | 'kept' | 'missing' | 'failed';

/** Makes a repository unless the folder is in one, as `cargo new` does. It makes no commit, which is left to the user. */
export async function initialize(folder: string, env: NodeJS.ProcessEnv): Promise<Initialized> {
  try {
    if ((await Repository.of(folder, env)) !== undefined) return 'kept';
    const branch = await personal('init.defaultBranch', env);
    const named = branch === '' ? [] : [`--initial-branch=${branch}`];
    const { status } = await runGit({ args: ['init', '--quiet', ...named], cwd: folder, env });
    return status === 0 ? 'made' : 'failed';
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    return error.code === 'git_missing' ? 'missing' : 'kept';
  }
}

/** The address of the person, as git knows them; empty where it does not. */
export async function emailOf(directory: string, env: NodeJS.ProcessEnv): Promise<string> {
  const repository = await Repository.of(directory, env).catch(() => undefined);
  return repository?.email ?? (await personal('user.email', env).catch(() => ''));
}

/** A setting of the person or the machine, which is only read; empty where there is none. @throws GatehouseError `git_missing` */
async function personal(setting: string, env: NodeJS.ProcessEnv): Promise<string> {
  for (const place of ['--global', '--system']) {
    const variables = { GIT_CONFIG_GLOBAL: undefined, GIT_CONFIG_NOSYSTEM: undefined };
    const run = { args: ['config', place, '--get', setting], cwd: sep, env, variables };
    const { status, stdout } = await runGit(run);
    if (status === 0) return stdout.toString().trim();
  }
  return '';
}
