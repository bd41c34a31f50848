import { beforeAll, describe, expect, test } from '@jest/globals';
import { someOf } from '../../../../test/harness/long-run.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import type { DriftReport } from '../../src/drift/drift.ts';
import { runCommand } from '../running-command.ts';
import { changes } from './by-hand.ts';
import { declareProject, Hand, setUp } from './hand.ts';

describeOnBothServers('drift of what came by hand', (server) => {
  const folder = temporaryFolder();
  let hand: Hand;
  const env = () => ({ PATH: process.env['PATH'], VAULT_TOKEN: server().token });
  const command = (...args: string[]) => runCommand(['drift', '-s', 'prod', ...args], env(), folder);
  const report = async (): Promise<DriftReport> => JSON.parse((await command('--json')).out);

  beforeAll(async () => {
    declareProject(folder, server().address);
    hand = new Hand(new ServiceClient({ address: server().address, token: server().token }));
    await setUp(hand);
    expect(await command()).toMatchObject({ code: 0, out: expect.stringMatching(/: no drift\n$/) });
  });

  describe.each(someOf(4, changes))('%s', (_, expected, change) => {
    test('is named, with who gains by it, and nothing is left once it is undone', async () => {
      const undo = await change(hand);
      const [{ code, out }, { access }] = [await command(), await report()];
      await undo();
      const after = await command();
      expect(out).toContain(expected.line);
      expect(code).toBe(expected.code ?? 2);
      if (expected.gains !== undefined) expect(access?.gains).toBe(expected.gains);
      if (expected.life !== undefined) expect(access?.life).toBe(expected.life);
      if (expected.losses !== undefined) expect(access?.losses).toBe(expected.losses);
      const rows = (access?.access ?? []).map(({ principals: { kind, name } }) => `${kind} ${name}`);
      if (expected.who !== undefined) expect(rows.join('; ')).toContain(expected.who);
      expect(after).toMatchObject({ code: 0, out: expect.stringMatching(/: no drift\n$/) });
    });
  });
});
