import { beforeAll, expect, test } from '@jest/globals';
import { environmentFor } from '../../../../test/harness/environment-under-test.ts';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { runCommand } from '../running-command.ts';
import { declareProject, Hand, roleBody } from './hand.ts';

const promise = { never: ['anyone'], can: ['sudo'], on: 'sys/raw/*', because: 'no one needs it' };

describeWithOpenBao('drift --fix', (server) => {
  const environment = environmentFor(() => ({ ...server(), kind: 'openbao' as const }));
  let folder: string;
  let hand: Hand;
  const gatehouse = (...argv: string[]) =>
    runCommand(argv, { ...environment().env, VAULT_TOKEN: server().token }, folder);

  beforeAll(async () => {
    folder = await environment().writeProjectWithoutStack();
    hand = new Hand(environment().client);
    declareProject(folder, server().address, { 'gatehouse:promises': [promise] });
    expect(await gatehouse('up', '-s', 'prod', '--yes')).toMatchObject({ code: 0 });
    expect(await gatehouse('drift', '-s', 'prod')).toMatchObject({ code: 0 });
  });

  test('ends as the next drift does, where a promise is kept again', async () => {
    await hand.change('auth/ci/role/build', { token_policies: ['shop', 'admin'] });
    expect((await gatehouse('drift', '-s', 'prod')).out).toContain('The promise is broken');
    const { code, out } = await gatehouse('drift', '-s', 'prod', '--fix', '--yes');
    expect([code, out]).toEqual([0, expect.stringMatching(/: no drift\n$/)]);
    expect((await gatehouse('drift', '-s', 'prod')).code).toBe(0);
  });

  test('a role by hand that breaks a promise is left, and blocks no fix of the rest', async () => {
    await hand.make('auth/ci/role/backdoor', roleBody(['admin']));
    await hand.change('auth/ci/role/build', { token_ttl: '10h' });
    const { code, out } = await gatehouse('drift', '-s', 'prod', '--fix', '--yes');
    expect(out).toContain('ttl: 10h → 1h');
    expect((await hand.read('auth/ci/role/build'))['token_ttl']).toBe(3600);
    expect(code).toBe(2);
    const next = await gatehouse('drift', '-s', 'prod');
    expect(next).toMatchObject({ code: 2, out: expect.stringContaining('role ci/backdoor was added') });
    expect(next.out).not.toContain('ttl');
  });
});
