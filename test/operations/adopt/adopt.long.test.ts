import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { adopt } from '../../../operations/adopt/adopt.ts';
import { EnvironmentUnderTest, root } from '../../harness/environment-under-test.ts';
import { describeOnBothServers } from '../../harness/two-servers.ts';

describeOnBothServers('adopting the dev service', (server) => {
  let environment: EnvironmentUnderTest;
  let output: string;
  beforeAll(async () => {
    output = await mkdtemp(join(tmpdir(), 'gatehouse-adopted-'));
    environment = await EnvironmentUnderTest.start(server());
    const { succeeded } = await environment.run('up');
    expect(succeeded).toBe(true);
  });
  afterAll(async () => {
    await environment?.close();
    await rm(output, { recursive: true, force: true });
  });

  test('writes an environment whose import leaves nothing to do', async () => {
    const before = await environment.live();
    const adoption = await adopt({
      directory: root,
      output,
      stack: 'adopted',
      service: { address: server().address, dialect: 'vault', features: { messages: true } },
      env: environment.env,
    });
    expect(adoption.problems).toEqual([]);
    expect(adoption.isProven).toBe(true);
    expect(adoption.left).toEqual([]);
    expect(await environment.live()).toEqual(before);
    const text = await readFile(join(output, 'Pulumi.adopted.yaml'), 'utf8');
    expect(text).toContain('REQUIRED');
  });
});
