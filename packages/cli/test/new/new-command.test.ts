import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { ruleOptions } from '../../../core/src/review/rules/rule-options.ts';
import { judgeGraph } from '../../../core/src/review/rules/rules.ts';
import { readStack } from '../../../engine/src/stack-files/read-stack.ts';
import { developmentPassphrase } from '../../src/dev/dev.ts';
import { openDeclared } from '../../src/open/open-environment.ts';
import { failed, runCommand } from '../running-command.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** Beside this Node.js are npm and, elsewhere on the machine's PATH, git. */
const asInstalled = { PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}` };
/** It says its version, which is all that it is asked for; the real one takes a quarter of a second for that. */
const quickNpm = temporaryFolder();
writeFileSync(join(quickNpm, 'npm'), '#!/bin/sh\necho 11.0.0\n', { mode: 0o755 });
const env = { PATH: `${quickNpm}${delimiter}${asInstalled.PATH}` };
const run = (argv: string[], variables: NodeJS.ProcessEnv = {}) =>
  runCommand(['new', ...argv], { ...env, ...variables }, folder);
const written = (path: string) => readFileSync(join(folder, 'sign-in', path), 'utf8');

/** A folder for PATH with these programs alone: shell scripts, by name. */
function programs(scripts: Record<string, string>): string {
  const bin = join(folder, '.bin');
  mkdirSync(bin);
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return bin;
}

describe('gatehouse new --no-install', () => {
  test('writes the files of a repository and says what to do next', async () => {
    const { code, out, err } = await run(['sign-in', '--no-install'], asInstalled);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(
      'Next:\n  cd sign-in\n  npm install\n  npm start\n  npx gatehouse stack init staging\n',
    );
    for (const path of ['.gitignore', 'index.ts', 'Pulumi.yaml', 'policies/secrets-read.hcl']) {
      expect(out).toContain(`\n  ${path}\n`);
      expect(existsSync(join(folder, 'sign-in', path))).toBe(true);
    }
  });

  test.each(['--stack', '--namespace'])('refuses %s without --adopt', async (option) => {
    const { code, err } = await run(['sign-in', '--no-install', option, 'prod']);
    expect({ code, isMade: existsSync(join(folder, 'sign-in')) }).toEqual({ code: 1, isMade: false });
    expect(err).toContain('(option_conflict)');
  });

  test.each([
    ['packed/gatehouse-login-0.1.0.tgz', 'vendor/gatehouse-login-0.1.0.tgz'],
    ['file:packed/gatehouse-login-0.1.0.tgz', 'vendor/gatehouse-login-0.1.0.tgz'],
    // A name that addresses and JSON would write otherwise.
    ['packed/gatehouse "1"#%.tgz', 'vendor/gatehouse-login.tgz'],
  ])('copies %s into the repository, and depends on the copy', async (given, copy) => {
    mkdirSync(join(folder, 'packed'));
    writeFileSync(join(folder, given.replace('file:', '')), gzipSync('packed'));
    const { code, out } = await run(['sign-in', '--no-install', '--package', given]);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(`\n  ${copy}\n`) });
    expect(JSON.parse(written('package.json')).dependencies['gatehouse-login']).toBe(`file:${copy}`);
    expect(readFileSync(join(folder, 'sign-in', copy))).toEqual(gzipSync('packed'));
  });

  test.each(['0.9.0', 'next', 'https://example.com/gatehouse-login-0.9.0.tgz'])(
    'depends on %s as it is given',
    async (given) => {
      await run(['sign-in', '--no-install', '--package', given]);
      expect(JSON.parse(written('package.json')).dependencies['gatehouse-login']).toBe(given);
      expect(existsSync(join(folder, 'sign-in/vendor'))).toBe(false);
    },
  );

  test.each([
    ['gone.tgz', 'There is no such packed file.'],
    ['file:gone.tgz', 'There is no such packed file.'],
    ['./packed', 'There is no such packed file.'],
    ['packed/package.json', 'This is no file that npm packed.'],
  ])('refuses --package %s before it writes anything', async (given, what) => {
    mkdirSync(join(folder, 'packed'));
    writeFileSync(join(folder, 'packed/package.json'), '{}');
    const { code, err } = await run(['sign-in', '--no-install', '--package', given]);
    expect({ code, isMade: existsSync(join(folder, 'sign-in')) }).toEqual({ code: 1, isMade: false });
    expect(err).toContain(what);
  });

  test('says how to enter a folder whose name a shell would take apart', async () => {
    const { out } = await run(["Zoë's sign in", '--no-install', '--no-git']);
    expect(out).toContain("\n  cd 'Zoë'\\''s sign in'\n");
  });

  test('is a project of its own below another one', async () => {
    writeFileSync(join(folder, 'Pulumi.yaml'), 'name: other\nruntime: nodejs\n');
    mkdirSync(join(folder, 'below'));
    await runCommand(['new', 'sign-in', '--no-install', '--no-git'], env, join(folder, 'below'));
    expect(existsSync(join(folder, 'below', 'sign-in', 'Pulumi.yaml'))).toBe(true);
  });

  test('leaves no placeholder in any file', async () => {
    await run(['sign-in', '--no-install']);
    const files = readdirSync(join(folder, 'sign-in'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    // A pipeline has expressions of its own.
    expect(files.filter((file) => /(?<!\$)\{\{[^{}]+\}\}/.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  test.each([
    ['npm', 'npm ci'],
    ['pnpm', 'corepack enable && pnpm install --frozen-lockfile'],
    ['yarn', 'corepack enable && yarn install --immutable'],
  ])('writes pipelines that install with %s and review the stack', async (name, install) => {
    await run(['sign-in', '--no-install', '--package-manager', name], {
      PATH: programs({ [name]: 'echo 4.9.0' }),
    });
    const steps = parse(written('.github/workflows/review.yaml')).jobs.review.steps;
    expect(steps.map((step: { run?: string }) => step.run)).toContain(install);
    expect(steps.at(-1)).toEqual({
      uses: './node_modules/gatehouse-login',
      with: {
        stack: expect.stringContaining('matrix.stack'),
        'snapshot-key': expect.stringContaining('secrets.SNAPSHOT_KEY'),
      },
    });
    expect(parse(written('.github/workflows/review.yaml')).jobs.review.strategy.matrix.stack).toEqual([
      'dev',
    ]);
    expect(parse(written('.github/workflows/drift.yaml')).jobs.drift.steps.at(-1).with.check).toBe('drift');
    const { on: triggers, jobs: nightly } = parse(written('.github/workflows/snapshot.yaml'));
    // What can be started otherwise can be started of any branch.
    expect(Object.keys(triggers)).toEqual(['schedule']);
    expect(nightly.snapshot.steps.at(-1).with.check).toBe('snapshot');
    const jobs = parse(written('.gitlab-ci.yml'));
    expect(jobs['gatehouse review'].script[0]).toBe(install);
    expect(jobs['gatehouse review'].parallel.matrix).toEqual([{ STACK: ['dev'] }]);
  });

  test('depends on this very version', async () => {
    await run(['sign-in', '--no-install']);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(JSON.parse(written('package.json'))).toMatchObject({
      name: 'sign-in',
      main: 'index.ts',
      dependencies: { 'gatehouse-login': version, '@pulumi/vault': expect.stringMatching(/\d/) },
    });
  });

  test('declares an environment that is valid, with a person, a workload and a group, and has no error', async () => {
    await run(['sign-in', '--no-install']);
    const passphrase = { PULUMI_CONFIG_PASSPHRASE: developmentPassphrase };
    const stack = await readStack(join(folder, 'sign-in'), 'dev', passphrase);
    const { environment, graph } = await openDeclared(stack, {});
    expect(graph.roles.map(({ roleType }) => roleType)).toEqual(['oidc', 'jwt']);
    expect(graph.aliases).toHaveLength(1);
    const findings = judgeGraph(graph, ruleOptions(environment));
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(environment.rules.preset).toBe('strict');
  });

  test('takes a folder that holds only .git, and makes no second repository in it', async () => {
    mkdirSync(join(folder, 'sign-in'));
    spawnSync('git', ['init', '--quiet'], { cwd: join(folder, 'sign-in') });
    const { code, out } = await run(['sign-in', '--no-install', '--json']);
    expect({ code, git: JSON.parse(out).git }).toEqual({ code: 0, git: 'kept' });
  });

  test('makes a git repository without a commit', async () => {
    expect(JSON.parse((await run(['sign-in', '--no-install', '--json'])).out).git).toBe('made');
    const log = spawnSync('git', ['log'], { cwd: join(folder, 'sign-in'), encoding: 'utf8' });
    expect(log.stderr).toContain('does not have any commits yet');
  });

  test('makes no git repository inside of one', async () => {
    spawnSync('git', ['init', '--quiet'], { cwd: folder });
    expect(JSON.parse((await run(['sign-in', '--no-install', '--json'])).out).git).toBe('kept');
    expect(existsSync(join(folder, 'sign-in', '.git'))).toBe(false);
  });

  test('goes on without git, and says so', async () => {
    const { code, out } = await run(['sign-in', '--no-install'], { PATH: programs({}) });
    expect(code).toBe(0);
    expect(out).toContain('git is not on PATH');
  });

  test.each([
    ['npm/11.0.0 node/v24.0.0 linux x64', 'npm', 'npx gatehouse'],
    ['pnpm/10.1.0 npm/? node/v24.0.0 linux x64', 'pnpm', 'pnpm exec gatehouse'],
    ['yarn/4.9.0 npm/? node/v24.0.0 linux x64', 'yarn', 'yarn gatehouse'],
  ])('takes the package manager that runs it: %s', async (npm_config_user_agent, name, command) => {
    const PATH = programs({ [name]: 'echo 10.1.0' });
    const { out } = await run(['sign-in', '--no-install', '--json'], { npm_config_user_agent, PATH });
    expect(JSON.parse(out)).toMatchObject({ packageManager: name, command, start: `${name} start` });
    expect(written('Pulumi.yaml')).toContain(`packagemanager: ${name}\n`);
    const { packageManager } = JSON.parse(written('package.json'));
    expect(packageManager).toBe(name === 'npm' ? undefined : `${name}@10.1.0`);
  });

  test('takes npm where another package manager runs it, and says so', async () => {
    const { out } = await run(['sign-in', '--no-install'], { npm_config_user_agent: 'bun/1.3.0' });
    expect(out).toContain('bun is none of npm, pnpm and yarn: npm is used.');
    expect(written('Pulumi.yaml')).toContain('packagemanager: npm\n');
  });

  test.each([
    ['Sign In (Käse)', 'sign-in-k-se'],
    ['gatehouse-login', 'our-gatehouse-login'],
    ['---', 'sign-in'],
  ])('names the project after its folder: %s', async (given, name) => {
    expect((await run([`./${given}`, '--no-install'])).code).toBe(0);
    expect(JSON.parse(readFileSync(join(folder, given, 'package.json'), 'utf8')).name).toBe(name);
  });
});

describe('gatehouse new', () => {
  test('refuses a folder with files in it, and leaves them as they are', async () => {
    mkdirSync(join(folder, 'sign-in'));
    writeFileSync(join(folder, 'sign-in', 'README.md'), 'mine');
    const { code, err } = await run(['sign-in', '--no-install']);
    expect(code).toBe(1);
    expect(err).toContain('The folder is not empty, and nothing in it is overwritten.');
    expect(readdirSync(join(folder, 'sign-in'))).toEqual(['README.md']);
    expect(written('README.md')).toBe('mine');
  });

  test('refuses a file in the place of the folder', async () => {
    writeFileSync(join(folder, 'sign-in'), '');
    expect(await run(['sign-in', '--no-install'])).toMatchObject(failed('folder_unwritable'));
  });

  test('writes nothing where there is no package manager', async () => {
    const { code, err } = await run(['sign-in', '--package-manager', 'pnpm'], { PATH: programs({}) });
    expect(code).toBe(1);
    expect(err).toContain('pnpm is not on PATH, or does not start.');
    expect(existsSync(join(folder, 'sign-in'))).toBe(false);
  });

  test('installs in the folder, with the proxy of its own environment', async () => {
    const npm = `if [ "$1" = --version ]; then echo 11.0.0; else printf '%s' "$1 $HTTPS_PROXY" > installed; fi`;
    const PATH = `${programs({ npm })}${delimiter}${env.PATH}`;
    const { code, out } = await run(['sign-in', '--json'], { PATH, HTTPS_PROXY: 'http://proxy:3128' });
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, installed: true });
    expect(written('installed')).toBe('install http://proxy:3128');
  });

  test('says what to run where the installation fails; the files stay', async () => {
    const npm = 'if [ "$1" = --version ]; then echo 11.0.0; else exit 1; fi';
    const PATH = `${programs({ npm })}${delimiter}${env.PATH}`;
    const { code, err } = await run(['sign-in'], { PATH });
    expect(code).toBe(1);
    expect(err).toContain('The repository was written, but `npm install` failed');
    expect(err).toContain(`cd ${join(folder, 'sign-in')} && npm install`);
    expect(existsSync(join(folder, 'sign-in', 'Pulumi.yaml'))).toBe(true);
  });

  // As npm 11, pnpm 12 and yarn 4 write it.
  test.each([
    [
      'npm error code E404\nnpm error 404 Not Found - GET https://r.example/gatehouse-login',
      'the registry does not have gatehouse-login',
      '--package',
    ],
    ['npm error code E403\nnpm error 403 Forbidden', 'the registry refuses: HTTP 403', 'Sign in to it'],
    ['npm error code E401', 'the registry refuses: HTTP 401', 'Sign in to it'],
    [
      '[ERR_PNPM_FETCH_403] GET https://r.example/x: Forbidden - 403',
      'the registry refuses: HTTP 403',
      'Sign in',
    ],
    [
      'YN0035: x: The remote server failed\n  Response Code: 401 (Unauthorized)',
      'refuses: HTTP 401',
      'Sign in',
    ],
    ['npm error code ENOTFOUND', 'the registry does not answer', 'HTTPS_PROXY'],
    ['npm error connect ECONNREFUSED 127.0.0.1:9', 'the registry does not answer', 'HTTPS_PROXY'],
  ])('says why an installation failed, and the next step: %j', async (lines, what, next) => {
    const npm = `if [ "$1" = --version ]; then echo 11.0.0; else echo '${lines}' >&2; exit 1; fi`;
    const PATH = `${programs({ npm })}${delimiter}${env.PATH}`;
    const { code, err } = await run(['sign-in'], { PATH });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(what) });
    expect(err).toContain(next);
  });

  test.each([
    [{}, [], 'token_missing'],
    [{ VAULT_TOKEN: 'x' }, ['--stack', 'dev'], 'stack_exists'],
    [{ VAULT_TOKEN: 'x' }, ['--stack', '../other'], 'stack_name_invalid'],
    [{ VAULT_TOKEN: 'x' }, ['--no-install'], 'option_conflict'],
  ])('--adopt with %j and %j writes nothing: %s', async (variables, options, expected) => {
    const address = 'http://127.0.0.1:9';
    expect(await run(['sign-in', '--adopt', address, ...options], variables)).toMatchObject(failed(expected));
    expect(existsSync(join(folder, 'sign-in'))).toBe(false);
  });
});
