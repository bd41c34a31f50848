import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { GatehouseError } from '../../../core/src/graph/values/errors.ts';
import type { Engine } from '../../../engine/src/engine.ts';
import { projectFolder, runCommand } from '../running-command.ts';

const stackFile = `config:
  gatehouse:service: { address: 'https://secrets.example.com:8200' }
  gatehouse:policies:
    - { name: declared, policy: 'path "a" { capabilities = ["read"] }' }
`;
const urn = 'urn:pulumi:dev::own::vault:index/policy:Policy::p';
const policy = (name: string, further: object = {}) => ({
  urn,
  type: 'vault:index/policy:Policy',
  custom: true,
  id: name,
  inputs: { name, policy: '' },
  outputs: { name, policy: '' },
  ...further,
});

describe('gatehouse token-policy', () => {
  const folder = projectFolder({ 'Pulumi.dev.yaml': stackFile });
  /** Runs it with the state that an engine exports. */
  async function run(exportState: Engine['exportState']) {
    const engine: Engine = { exportState, run: () => Promise.reject(new Error('nothing is run')) };
    const openEngine = async () => ({ engine });
    const { err } = await runCommand(['token-policy', '-s', 'dev'], {}, folder, { openEngine });
    const text = await readFile(join(folder, 'token-policies/dev/deploying.hcl'), 'utf8');
    return { err, text };
  }

  test('has what the state has, and what is still to be deleted, to be deleted alone', async () => {
    const resources = [policy('renamed'), policy('left', { delete: true })];
    const { err, text } = await run(async () => ({ version: 3, deployment: { resources } }));
    expect(err).toBe('');
    const of = (name: string) => new RegExp(`acl/${name}" {\\n  capabilities = (.*)\\n`).exec(text)?.[1];
    expect(['declared', 'renamed', 'left'].map(of)).toEqual([
      '["read", "update", "delete"]',
      '["read", "delete"]',
      '["read", "delete"]',
    ]);
  });

  test('is made of what is declared where the state cannot be read, and says so', async () => {
    const { err, text } = await run(() =>
      Promise.reject(new GatehouseError('pulumi_cli_failed', { values: { args: 'x', reason: 'no stack' } })),
    );
    expect(err).toContain('The state of the stack is not known.');
    expect(text).toContain('sys/policies/acl/declared');
  });
});
