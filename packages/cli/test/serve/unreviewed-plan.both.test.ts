import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { serveRequests } from '../../../../test/harness/bare-server.ts';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { EnvironmentUnderTest, root } from '../../../../test/harness/environment-under-test.ts';
import { longTest } from '../../../../test/harness/long-run.ts';
import type { PlannedFile } from '../../../core/src/run-task/run.ts';
import { whyNotContained } from '../../../engine/src/local/containment.ts';
import type { Planned } from '../../../run-tasks/src/platform/work.ts';
import { PlanReviewer } from '../../src/serve/plan-reviewer.ts';
import { platformWork } from '../../src/serve/platform-work.ts';
import { changeStack } from './served-stack.ts';

let service: Awaited<ReturnType<typeof startEmbeddedService>>;
let environment: EnvironmentUnderTest;
let directory: string;
const reviewer = new PlanReviewer();
beforeAll(async () => {
  service = await startEmbeddedService();
  environment = await EnvironmentUnderTest.start(service);
});
afterAll(async () => {
  await reviewer.close();
  await environment.close();
  await service.close();
});
beforeEach(async () => {
  directory = await environment.writeProject();
  rmSync(join(directory, '.git'), { recursive: true, force: true });
  writeFileSync(join(directory, '.gitignore'), 'ignored.mjs\n.gatehouse\n');
  git('init', '-q', '-b', 'main');
  commit();
});

const git = (...args: string[]) =>
  execFileSync('git', ['-C', directory, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    encoding: 'utf8',
  });
function commit(): void {
  git('add', '-A');
  git('commit', '-qm', 'one', '--allow-empty');
}
/** Makes what is committed so far the reviewed revision, and what follows a change. */
function branchOff(): void {
  git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
  git('config', 'remote.origin.url', directory);
}
const work = (env: NodeJS.ProcessEnv = {}) =>
  platformWork(directory, { ...environment.env, ...env }, reviewer, '');
const plan = (isSpeculative = true) => work().plan('dev', { isSpeculative });
function addToProgram(line: string): void {
  appendFileSync(join(directory, 'main.mjs'), `${line}\n`);
  commit();
}
/** Has the program do this alone. */
function replaceProgram(line: string): void {
  writeFileSync(join(directory, 'main.mjs'), `${line}\n`);
  commit();
}
const filesOf = ({ json }: Planned) => (json as { files: PlannedFile[] }).files;

describe('the files of a plan', () => {
  longTest('are in it with their digests, and are those that can be downloaded', async () => {
    replaceProgram('');
    const planned = await plan();
    const described = await work().describe('dev');
    expect(planned.filesDigest).toBe(described.filesDigest);
    const input = await work().archive(planned.filesDigest ?? '');
    const extracted = join(directory, '..', 'extracted');
    mkdirSync(extracted, { recursive: true });
    execFileSync('tar', ['-xzf', '-', '-C', extracted], { input });
    const sums = filesOf(planned).map(({ path, digest }) => `${digest}  ${path}\n`);
    expect(sums.length).toBeGreaterThan(5);
    execFileSync('sha256sum', ['--check', '--strict', '-'], { cwd: extracted, input: sums.join('') });
    expect(planned.changes?.files).toEqual(filesOf(planned));
  });

  test('are read byte by byte, whatever attributes say', async () => {
    writeFileSync(join(directory, '.gitattributes'), 'hidden.mjs export-ignore\n');
    writeFileSync(join(directory, 'hidden.mjs'), '');
    replaceProgram(`import './hidden.mjs';`);
    expect(filesOf(await plan()).map(({ path }) => path)).toContain('hidden.mjs');
  });

  // Where the system cannot keep a program apart, the log of a platform's start says so.
  const isApart = whyNotContained() === undefined;

  longTest.each([
    ['git ignores', 'ignored.mjs', `import './ignored.mjs';`],
    ['is outside of the project', '../outside.mjs', `import '../outside.mjs';`],
    ['is read, and not imported', 'ignored.mjs', `(await import('node:fs')).readFileSync('ignored.mjs');`],
    ['is in the state', '.gatehouse/secret', `(await import('node:fs')).readFileSync('.gatehouse/secret');`],
  ])('end it where the program reads one that %s', async (_, path, line) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), '');
    replaceProgram(line);
    const planned = plan();
    if (isApart)
      await expect(planned).rejects.toMatchObject({
        code: 'file_unplanned',
        parts: { given: join(directory, path) },
      });
    else await planned;
    rmSync(join(directory, path));
  });

  longTest('are all there is of the repository where a program looks around', async () => {
    replaceProgram(`console.log('seen: ' + (await import('node:fs')).readdirSync('.').join());`);
    const { json } = await plan();
    const seen =
      JSON.stringify(json)
        .match(/seen: ([^"]*)/)?.[1]
        ?.split(',') ?? [];
    if (isApart) expect(seen).not.toEqual(expect.arrayContaining(['.git']));
    expect(seen).toContain('main.mjs');
  });
});

describe('a change that no one has reviewed', () => {
  longTest('is planned with placeholders, says so, and shows no secret as changed', async () => {
    const { json } = await plan(false);
    expect(await work().apply('dev', json, { isResumed: false })).toMatchObject({ succeeded: true });
    branchOff();
    addToProgram(
      `console.log('it has: ' + JSON.parse(process.env.PULUMI_CONFIG)['gatehouse:clientSecrets']);`,
    );
    const planned = await plan();
    expect(planned.changes?.limits).toEqual([expect.stringContaining('placeholders')]);
    expect(JSON.stringify(planned.json)).toContain('placeholders for the secrets');
    expect(JSON.stringify(planned.json)).toMatch(/it has: .*"staff\\+":\\+"withheld while planning/);
    expect(planned.hasChanges).toBe(false);
    expect((await plan(false)).changes?.limits).toEqual([]);
  });

  longTest('gets its token to no service of its own', async () => {
    const asked: unknown[] = [];
    const elsewhere = await serveRequests(({ headers }, _, response) => {
      asked.push(headers['x-vault-token']);
      response.end('{}');
    });
    const { address } = elsewhere;
    branchOff();
    replaceProgram(`
const vault = (await import(${JSON.stringify(join(root, 'node_modules/@pulumi/vault/index.js'))})).default;
const provider = new vault.Provider('other', { address: '${address}', skipChildToken: true });
new vault.Policy('other', { name: 'other', policy: '' }, { provider });`);
    await expect(plan()).rejects.toThrow('no reviewed revision names it');
    await changeStack(directory, (config) => {
      config['gatehouse:service'].address = address;
    });
    git('checkout', '-q', 'HEAD', '--', 'main.mjs');
    const ofOther = work({ GATEHOUSE_SERVICE_ADDRESS: undefined, VAULT_ADDR: service.address });
    await expect(ofOther.plan('dev', { isSpeculative: true })).rejects.toMatchObject({
      code: 'token_withheld',
    });
    expect(asked).toEqual([]);
    await elsewhere.close();
  });
});
