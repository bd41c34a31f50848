import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ProviderKind } from '../../core/model/kinds/kind.ts';
import { root } from '../environment-under-test.ts';
import { describeWithOpenBao, home } from '../openbao.ts';

describeWithOpenBao('gatehouse dev --exit', () => {
  const dev = (...more: string[]) =>
    spawnSync(
      process.execPath,
      [
        join(root, 'cli/gatehouse.mjs'),
        'dev',
        '--exit',
        '--port',
        '0',
        '--identity-port',
        '0',
        '-C',
        root,
        ...more,
      ],
      { encoding: 'utf8', env: { ...process.env, GATEHOUSE_HOME: home } },
    );

  test('applies the eight kinds, signs a workload in, says so and stops with 0', () => {
    const { status, stdout, stderr } = dev();
    expect(stderr).toBe('');
    expect(status).toBe(0);
    for (const kind of Object.values(ProviderKind)) expect(stdout).toContain(kind);
    expect(stdout).toMatch(/Signed in +system:serviceaccount:shop:web/);
    expect(stdout).toMatch(/policies: default, secrets-read/);
  });

  test('--json prints the same as data', () => {
    const { status, stdout } = dev('--json');
    expect(status).toBe(0);
    const report = JSON.parse(stdout);
    expect(report.methods).toHaveLength(8);
    expect(report.workload.policies).toEqual(['default', 'secrets-read']);
  });
});
