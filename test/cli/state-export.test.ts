import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { main } from '../../cli/main.ts';
import { FakeEngine, result } from '../operations/fake-engine.ts';
import { FakeTerminal } from './fake-terminal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-export-'));
  writeFileSync(join(folder, 'Pulumi.yaml'), 'name: gatehouse\nruntime: nodejs\n');
  writeFileSync(join(folder, 'Pulumi.dev.yaml'), 'config: {}\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function exported(state: object) {
  const terminal = new FakeTerminal(folder);
  const engine = new FakeEngine(result([]));
  engine.exportState = async () => state;
  const code = await main(['state', 'export', '-s', 'dev'], {
    terminal,
    openEngine: async () => ({ engine }),
  });
  expect(code).toBe(0);
  return { state: JSON.parse(terminal.stdout.text), warnings: terminal.stderr.text };
}

test('state export prints the deployment', async () => {
  const state = { version: 3, deployment: {} };
  expect(await exported(state)).toEqual({ state, warnings: '' });
});

test('state export warns of operations that an interrupted run left', async () => {
  const state = { version: 3, deployment: { pending_operations: [{ type: 'creating' }] } };
  expect(await exported(state)).toEqual({ state, warnings: expect.stringMatching(/^warning: 1 pending/) });
});
