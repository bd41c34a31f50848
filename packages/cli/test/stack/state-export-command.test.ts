import { expect, test } from '@jest/globals';
import { FakeEngine, result } from '../fake-engine.ts';
import { projectFolder, runCommand } from '../running-command.ts';

const folder = projectFolder({ 'Pulumi.dev.yaml': 'config: {}\n' });

async function exported(state: object) {
  const engine = new FakeEngine(result([]));
  engine.exportState = async () => state;
  const openEngine = async () => ({ engine });
  const { code, out, err } = await runCommand(['state', 'export', '-s', 'dev'], {}, folder, { openEngine });
  expect(code).toBe(0);
  return { state: JSON.parse(out), warnings: err };
}

test('state export prints the deployment', async () => {
  const state = { version: 3, deployment: {} };
  expect(await exported(state)).toEqual({ state, warnings: '' });
});

test('state export warns of operations that an interrupted run left', async () => {
  const state = { version: 3, deployment: { pending_operations: [{ type: 'creating' }] } };
  expect(await exported(state)).toEqual({ state, warnings: expect.stringMatching(/^warning: 1 pending/) });
});
