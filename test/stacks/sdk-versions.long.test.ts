import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DeploymentResult } from '../../packages/engine/src/engine.ts';
import { testedVersions } from '../../stacks/lazy-properties.ts';
import { environmentFor, root } from '../harness/environment-under-test.ts';
import { pinned } from '../harness/pinned.ts';
import { describeOnEmbeddedService } from '../harness/two-servers.ts';

const clone = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const range: string = clone.peerDependencies['@pulumi/pulumi'];

/** Copies the program, and installs an SDK for it. @returns the SDK's version */
async function makeProgram(folder: string, wanted: string): Promise<string> {
  const rooms = ['stacks', 'providers', 'components', 'packages/core', 'packages/service-client', 'policies'];
  for (const name of [...rooms, 'main.mjs', 'index.ts', 'Pulumi.yaml'])
    await cp(join(root, name), join(folder, name), { recursive: true });
  const dependencies = { '@pulumi/vault': pinned['@pulumi/vault'], '@pulumi/pulumi': wanted };
  const description = { private: true, type: 'module', workspaces: ['packages/*'], dependencies };
  await writeFile(join(folder, 'package.json'), JSON.stringify(description));
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await promisify(execFile)('npm', ['install', ...flags], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '', PATH },
  });
  return JSON.parse(await readFile(join(folder, 'node_modules/@pulumi/pulumi/package.json'), 'utf8')).version;
}

const stepsOf = ({ steps }: DeploymentResult) =>
  steps
    .map(({ op, urn, newState }) => ({ op, urn, inputs: newState?.inputs }))
    .sort((a, b) => (a.urn < b.urn ? -1 : 1));
const errorsOf = ({ diagnostics }: DeploymentResult) =>
  diagnostics.filter(({ severity }) => severity === 'error');
/** What says that something is off. */
const messagesOf = ({ diagnostics }: DeploymentResult) =>
  diagnostics.map(({ message }) => message).filter((message) => message.includes('@pulumi/pulumi'));

describeOnEmbeddedService('the program with another SDK', (service) => {
  const environment = environmentFor(service);
  let pinned: DeploymentResult;
  const folders: string[] = [];

  beforeAll(async () => {
    pinned = await environment().run('preview');
    expect(errorsOf(pinned)).toEqual([]);
    expect(pinned.steps.length).toBeGreaterThan(40);
  });
  afterAll(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  const scratch = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-sdk-'));
    folders.push(folder);
    return folder;
  };

  test.each([
    ['the oldest that the range allows', range.replace('^', '')],
    ['the newest that is published in the range', range],
  ])('plans the same with %s, known or not', async (_, wanted) => {
    const folder = await scratch();
    const version = await makeProgram(folder, wanted);
    const stack = { ...environment().stack(), directory: folder };
    const known = await environment().run('preview', stack);
    expect(errorsOf(known)).toEqual([]);
    expect(stepsOf(known)).toEqual(stepsOf(pinned));
    if (testedVersions.includes(version)) expect(messagesOf(known)).toEqual([]);

    const file = join(folder, 'stacks/lazy-properties.ts');
    const text = await readFile(file, 'utf8');
    const without = text.replace(/(const testedVersions).*;/, '$1: string[] = [];');
    expect(without).not.toBe(text);
    await writeFile(file, without);
    const unknown = await environment().run('preview', stack);
    expect(errorsOf(unknown)).toEqual([]);
    expect(stepsOf(unknown)).toEqual(stepsOf(pinned));
    expect(messagesOf(unknown)).toHaveLength(1);
  });
});
