import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { ServiceSettings } from '@gatehouse/core/environment';
import { GatehouseError } from '@gatehouse/core/values';
import { stackFilePath } from '@gatehouse/engine/stack-files';
import { type Adoption, adopt } from '../adopt/adopt.ts';
import { checkToken } from '../deployment/check-ready.ts';
import { type Initialized, initialize } from '../git/init.ts';
import { openNamespaceClient } from '../open/open-client.ts';
import { shellWord } from '../terminal/shell-word.ts';
import {
  commandsOf,
  findPackageManager,
  type Installation,
  install,
  type PackageManager,
  requireVersion,
  versionOf,
} from './installer.ts';
import type { GivenPackage } from './packed-file.ts';
import { ownPackage, repositoryFiles } from './repository-files.ts';

export interface NewRequest {
  /** Absolute path of the repository's folder, which is made where it is missing. */
  folder: string;
  /** Defaults to the one that runs this command, or npm. */
  packageManager?: PackageManager;
  /** What to depend on as `gatehouse`. Defaults to this version. */
  package?: GivenPackage;
  /** Without it, the files are only written. */
  install: boolean;
  git: boolean;
  /** A live service whose set-up becomes a stack. */
  adopt?: { stack: string; service: ServiceSettings };
  env: NodeJS.ProcessEnv;
  /** Called with what is being done, in a few words. */
  onProgress?: (what: string) => void;
}

/** A repository that was made. */
export interface NewRepository {
  folder: string;
  /** Written files, relative to the folder. */
  files: string[];
  packageManager: PackageManager;
  /** What runs the command there: `npx gatehouse`. */
  command: string;
  /** `npm start` */
  start: string;
  installed: boolean;
  git: Initialized | 'left out';
  adoption?: Adoption;
  /** Decisions that differ from the request, and steps that failed. */
  notes: string[];
}

/**
 * Writes a team's repository: a Pulumi program, an environment to try things in, pipelines. Then installs what it needs,
 * and takes a live service over where one is given. Nothing that is there is written over.
 *
 * @throws GatehouseError `folder_not_empty`, `folder_unwritable`, `package_manager_missing`, `install_failed`, and what
 *   `checkAdoptable` and `adopt` throw
 */
export async function makeRepository(request: NewRequest): Promise<NewRepository> {
  const { folder, env, onProgress = () => {} } = request;
  const notes: string[] = [];
  const runningManager = findPackageManager(env);
  const packageManager = request.packageManager ?? runningManager.name;
  if (request.packageManager === undefined && runningManager.unknown !== undefined) {
    notes.push(`${runningManager.unknown} is none of npm, pnpm and yarn: npm is used.`);
  }
  await requireEmpty(folder);
  const place = { cwd: existsSync(folder) ? folder : dirname(folder), env };
  const version = request.install ? requireVersion(packageManager, place) : versionOf(packageManager, place);
  const files = repositoryFiles({
    folder,
    packageManager,
    packageManagerVersion: version,
    stacks: ['dev', ...(request.adopt ? [request.adopt.stack] : [])],
    gatehouse: request.package?.dependency ?? ownPackage().version,
  });
  if (request.adopt !== undefined) await checkAdoptable(request.adopt, files, env);
  await writeFiles(folder, files);
  const copied = request.package?.copied;
  if (copied !== undefined) await copyPackage(folder, copied);
  const initialized = request.git ? await initialize(folder, env) : 'left out';
  if (initialized === 'missing') notes.push('git is not on PATH: run `git init` once it is.');
  if (initialized === 'failed') notes.push('`git init` failed: run it, to see why.');

  const commands = commandsOf(packageManager, version);
  if (request.install) {
    onProgress(`installing with ${packageManager}`);
    requireInstalled(await install(packageManager, { cwd: folder, env }), folder, packageManager);
  }
  let adoption: Adoption | undefined;
  if (request.adopt !== undefined) {
    onProgress('reading the service');
    adoption = await adopt({ ...request.adopt, directory: folder, output: folder, env }).catch((error) => {
      throw notAdopted(error, request, commands.gatehouse);
    });
  }
  return {
    folder,
    files: [...files.map(({ path }) => path), ...(copied ? [copied.to] : []), ...(adoption?.files ?? [])],
    packageManager,
    command: commands.gatehouse,
    start: commands.start,
    installed: request.install,
    git: initialized,
    ...(adoption && { adoption }),
    notes,
  };
}

async function requireEmpty(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw unwritable(folder, cause);
  });
  const [first, ...rest] = entries.filter((name) => name !== '.git');
  if (first === undefined) return;
  throw new GatehouseError('folder_not_empty', {
    where: folder,
    given: rest.length === 0 ? first : `${first} and ${rest.length} more`,
  });
}

/**
 * Checks, before anything is written, that there can be such a stack, and that the service takes the token.
 *
 * @throws GatehouseError `stack_exists`, `stack_name_invalid`, `token_missing`, `token_refused`, and what the client throws
 */
async function checkAdoptable(
  { stack, service }: NonNullable<NewRequest['adopt']>,
  files: { path: string }[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const file = stackFilePath({ stackFolder: '' }, stack);
  if (files.some(({ path }) => path === file)) {
    throw new GatehouseError('stack_exists.new_repository', { given: stack });
  }
  const client = openNamespaceClient(service, env);
  try {
    await checkToken(client);
  } finally {
    client.close();
  }
}

/** The error of an adoption that failed. Its fix is `gatehouse adopt`, as the repository is written and stays. */
function notAdopted(error: unknown, { adopt: requested }: NewRequest, command: string): unknown {
  if (!(error instanceof GatehouseError) || requested === undefined) return error;
  const again = `${command} adopt --address ${requested.service.address} -s ${requested.stack}`;
  const fix = [error.parts.fix, `The repository is written. Once this is solved, run there: ${again}`];
  return new GatehouseError({ ...error.parts, fix: fix.filter(Boolean).join('\n  '), cause: error });
}

async function writeFiles(folder: string, files: { path: string; text: string }[]): Promise<void> {
  try {
    for (const { path, text } of files) {
      const target = join(folder, path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text, { flag: 'wx' });
    }
  } catch (cause) {
    throw unwritable(folder, cause as NodeJS.ErrnoException);
  }
}

async function copyPackage(folder: string, { from, to }: NonNullable<GivenPackage['copied']>): Promise<void> {
  try {
    await mkdir(join(folder, dirname(to)), { recursive: true });
    await copyFile(from, join(folder, to), constants.COPYFILE_EXCL);
  } catch (cause) {
    throw unwritable(folder, cause as NodeJS.ErrnoException);
  }
}

function unwritable(folder: string, cause: NodeJS.ErrnoException): GatehouseError {
  return new GatehouseError('folder_unwritable', {
    where: folder,
    cause,
    values: { reason: String(cause.code) },
  });
}

const failures = {
  failed: 'install_failed',
  'no network': 'install_failed.network',
  refused: 'install_failed.refused',
  'not found': 'install_failed.not_found',
} as const;

/** @throws GatehouseError `install_failed` */
function requireInstalled(
  { outcome, reason }: Installation,
  folder: string,
  packageManager: PackageManager,
): void {
  if (outcome === 'installed') return;
  throw new GatehouseError(failures[outcome], {
    where: resolve(folder),
    values: { packageManager, folder: shellWord(folder), reason },
  });
}
