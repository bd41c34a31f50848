import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { environmentFor } from '../../../test/harness/environment-under-test.ts';
import { describeOnEmbeddedService } from '../../../test/harness/two-servers.ts';
import { failed, projectFolder, runCommand } from './running-command.ts';

describe('gatehouse explain, offline', () => {
  const env = { PULUMI_CONFIG_PASSPHRASE: 'x' };
  const claims = {
    sub: 'system:serviceaccount:shop:web',
    aud: 'https://c.example',
    iss: 'https://c.example',
  };
  const folder = projectFolder({
    'Pulumi.one.yaml': `config:
  gatehouse:service: { address: http://127.0.0.1:9 }
  gatehouse:providers:
    - kind: container_orchestrator
      name: cluster
      issuer: https://c.example
      roles: [{ name: web, namespace: shop, serviceAccount: web, policies: [read] }]
`,
    'claims.json': JSON.stringify(claims),
  });
  const explain = (args: string[], piped?: string) =>
    runCommand(['explain', '-s', 'one', '--role', 'web', ...args], env, folder, { piped });

  test('exits with 0 and the policies where it signs in', async () => {
    const { code, out } = await explain(['--claims', 'claims.json']);
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(
        /^Signs in as system:serviceaccount:shop:web[\s\S]*read {2}from role cluster\/web/,
      ),
    });
  });

  test('exits with 2, the step, the reason and the way in where it does not', async () => {
    const { code, out } = await explain(['--claims', '-'], JSON.stringify({ ...claims, aud: 'x' }));
    expect(code).toBe(2);
    expect(out).toContain('at token: error validating token: invalid audience (aud) claim');
    expect(out).toContain('add "x" to boundAudiences (role)');
  });

  test('prints the same as JSON', async () => {
    const { out } = await explain(['--claims', 'claims.json', '--json']);
    expect(JSON.parse(out)).toMatchObject({ signsIn: true, method: 'cluster', source: 'declared' });
  });

  test.each([
    ['nothing to explain', [], 'option_missing'],
    ['a file that is not there', ['--token', 'gone.jwt'], 'file_unreadable'],
    ['a role that is not there', ['--claims', 'claims.json', '--role', 'nobody'], 'role_unknown'],
  ])('exits with 1 for %s', async (_, args, code) => {
    const ended = await explain(args);
    expect({ code: ended.code, err: ended.err }).toEqual({
      code: 1,
      err: expect.stringContaining(`(${code})`),
    });
  });

  test('never prints a token', async () => {
    const { out, err } = await explain(['--token', '-'], 'eyJhbGciOiJSUzI1NiJ9.hush.hush');
    expect(out + err).not.toContain('hush');
  });
});

describeOnEmbeddedService('the commands that judge a service', (server) => {
  let folder: string;
  const environment = environmentFor(server);
  beforeAll(async () => {
    folder = await environment().writeProject();
    const up = await runCommand(['up', '-s', 'dev', '--yes'], environment().env, folder);
    expect(up.code === 0 ? '' : up.err).toBe('');
  });
  const gatehouse = (...argv: string[]) => runCommand(argv, environment().env, folder);

  test('drift exits with 0, then with 2 and the change, and --fix fixes it', async () => {
    const clean = await gatehouse('drift', '-s', 'dev');
    expect(clean).toMatchObject({
      code: 0,
      out: expect.stringMatching(/: no drift; 7 secrets that no service shows\n$/),
    });

    const role = (await environment().client.read('auth/cluster/role/web'))?.data ?? {};
    await environment().client.put('auth/cluster/role/web', { ...role, token_ttl: 7200 });
    expect(await gatehouse('drift', '-s', 'dev')).toMatchObject({
      code: 2,
      out: expect.stringContaining('~  role cluster/web  ttl: 2h, declared 10m'),
    });
    const asked = await gatehouse('drift', '-s', 'dev', '--fix');
    expect(asked).toMatchObject(failed('confirmation_needed'));

    const fixed = await gatehouse('drift', '-s', 'dev', '--fix', '--yes', '--json');
    expect(fixed.code).toBe(0);
    expect(JSON.parse(fixed.out)).toMatchObject({
      fixed: 'succeeded',
      differences: [{ field: 'ttl', live: 7200 }],
    });
    expect((await gatehouse('drift', '-s', 'dev')).code).toBe(0);
  });

  test('drift of several stacks names those that differ, and exits with 2', async () => {
    const text = readFileSync(join(folder, 'Pulumi.dev.yaml'), 'utf8');
    const other = text.replace('policies: [secrets-read], ttl', 'policies: [secrets-admin], ttl');
    for (const [name, written] of Object.entries({ a: text, b: text, c: other }))
      writeFileSync(join(folder, `Pulumi.prod-${name}.yaml`), written);
    expect(await gatehouse('drift', '-s', 'prod-*')).toMatchObject({
      code: 2,
      out: expect.stringContaining('3 stacks; the same in 2; differs in 1 (prod-c)\n'),
    });
    for (const name of ['a', 'b', 'c']) rmSync(join(folder, `Pulumi.prod-${name}.yaml`));
  });

  test('verify exits with 0, and with 2 for what fails', async () => {
    expect(await gatehouse('verify', '-s', 'dev')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/\d+ ok, 0 failed, 4 not known\n$/),
    });
    const failed = await gatehouse('verify', '-s', 'dev', '--token-command', 'web=echo nonsense');
    expect(failed).toMatchObject({ code: 2, out: expect.stringMatching(/failed {2}a sign-in: /) });
  });
});
