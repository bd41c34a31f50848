import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { environmentFor, root } from '../../../../test/harness/environment-under-test.ts';
import { longTest } from '../../../../test/harness/long-run.ts';
import { describeOnEmbeddedService } from '../../../../test/harness/two-servers.ts';
import { failed, projectFolder, runCommand } from '../running-command.ts';

const settings = (rules: string, keys = '') => `config:
  gatehouse:service: { address: http://127.0.0.1:9 }
  gatehouse:providers:
    - kind: container_orchestrator
      name: cluster
      issuer: https://c.example
      roles:
        - { name: web, namespace: shop, serviceAccount: web, policies: [Shop] }
        - { name: spare, namespace: shop, serviceAccount: spare, policies: [elsewhere] }
    - kind: source_hosting
      name: git
      clientId: gatehouse
      roles: [{ name: reader, policies: [guest] }]
      groups: [{ name: admins, alias: "7", policies: [prod] }]
  gatehouse:clientSecrets: { git: { secure: "v1:AAAA:BBBB" } }
  gatehouse:policies:
    - { name: shop, policy: 'path "secret/data/shop/*" { capabilities = ["read"] }' }
    - { name: guest, policy: '${rules}' }
    - { name: prod, policy: 'path "secret/data/prod/*" { capabilities = ["read", "update"] required_parameters = ["why"] }' }
${keys}`;

describe('gatehouse who-can and access, offline', () => {
  const folder = projectFolder();
  const env = { PULUMI_CONFIG_PASSPHRASE: 'x' };
  const write = (stack: string, text: string) => writeFile(join(folder, `Pulumi.${stack}.yaml`), text);
  const guest = 'path "secret/data/guest/*" { capabilities = ["list"] }';
  beforeAll(async () => {
    await write('one', settings(guest));
    await write('known', settings(guest).replace('[elsewhere]', '[shop]'));
    await writeFile(
      join(folder, 'claims.json'),
      JSON.stringify({ aud: 'gatehouse', sub: 'a', groups_direct: ['7'] }),
    );
  });
  const whoCan = (...args: string[]) => runCommand(['who-can', ...args], env, folder);
  const access = (...args: string[]) => runCommand(['access', ...args], env, folder);

  test('exits with 0 and every way', async () => {
    const { code, out } = await whoCan('update', '/secret/data/prod/*', '-s', 'known');
    expect({ code, out }).toEqual({
      code: 0,
      out: `1 principal can update secret/data/prod/* (declared)
+ group admins (alias git/7) by role reader
    policy prod: secret/data/prod/*; for example secret/data/prod/x
    limited by required_parameters
    signs in to reader with {"aud":"gatehouse", "sub":"x", "groups_direct":"7"}
`,
    });
  });

  test('exits with 2 where it is proved that nobody can, and with 1 where it is not', async () => {
    const asked = ['delete', 'secret/data/prod/x', '-s'];
    expect(await whoCan(...asked, 'known')).toEqual({
      code: 2,
      out: 'No one can delete secret/data/prod/x (declared)\n',
      err: '',
    });
    expect(await whoCan(...asked, 'one')).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /^Whether anyone can is not known[\s\S]*\? role cluster\/spare\n.*elsewhere/,
      ),
    });
  });

  test('adds who could give it to themselves', async () => {
    const text = settings('path "identity/group/name/*" { capabilities = ["update"] }');
    await write('run', text.replace('[elsewhere]', '[shop]'));
    const { code, out } = await whoCan('delete', 'secret/data/prod/x', '-s', 'run');
    expect({ code, out }).toEqual({
      code: 2,
      out: `No one can delete secret/data/prod/x (declared)
These could give themselves access, as they write policies, roles, groups or entities:
! role git/reader: identity/group/name/x
`,
    });
  });

  test.each([
    'v1/secret/data/prod/x',
    '/v1/secret/data/prod/x',
    '  secret/data/prod/x ',
    'https://vault.example:8200/v1/secret/data/prod/x?version=2',
    'https://vault.example/v1/secret/data/prod%2Fx#top',
  ])('reads %j as the path', async (path) => {
    const { out } = await whoCan('delete', path, '-s', 'known');
    expect(out).toBe('No one can delete secret/data/prod/x (declared)\n');
  });

  test('prints the same as JSON', async () => {
    const { out } = await whoCan('read', 'secret/data/shop/db', '-s', 'known', '--json');
    expect(JSON.parse(out)).toMatchObject({
      source: 'declared',
      capability: 'read',
      path: 'secret/data/shop/db',
      answer: 'yes',
      missing: [],
      abilities: [
        { by: { kind: 'role', name: 'spare', method: 'cluster' }, can: 'yes', everywhere: true },
        { by: { kind: 'role', name: 'web' }, policies: ['shop'], pattern: 'secret/data/shop/*' },
      ],
    });
  });

  test.each([
    ['a capability that there is not', ['raed', 'secret/x']],
    ['a + before the *', ['read', 'secret/+*']],
    ['a * in the middle', ['read', 'secret/*/x']],
    ['a path that is empty', ['read', '/']],
    ['a plan and a service', ['read', 'x', '--plan', 'p', '--live']],
    ['a plan that is not there', ['read', 'x', '--plan', 'gone.json']],
  ])('exits with 1 for %s', async (_, argv) => {
    const { code, err } = await whoCan(...argv, '-s', 'known');
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/error/i) });
  });

  test('asks what a plan leads to', async () => {
    const plan = join(root, 'examples/plans/terraform-plan.json');
    const { code, out } = await whoCan('update', 'secret/data/prod/*', '--plan', plan, '--json');
    expect(code).toBe(0);
    const { source, abilities, missing } = JSON.parse(out);
    expect(source).toBe('plan');
    expect(abilities.map(({ by }: any) => by.name)).toEqual(['build', 'reader', 'on-call']);
    expect(missing).toEqual([]);
    expect((await whoCan('sudo', 'sys/x', '--plan', plan)).code).toBe(2);
  });

  test('lists what a role reaches, and what its groups would add', async () => {
    const { code, out } = await access('-s', 'known', '--role', 'reader');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^role git\/reader \(declared\): policies default, guest\nPATH +CAPABILITIES +POLICY/,
    );
    expect(out).toMatch(/^secret\/data\/guest\/\* +list +guest$/m);
    expect(out).toMatch(/^group admins \(7\) adds: prod$/m);
    expect(out).not.toContain('secret/data/prod');
  });

  test('takes groups from claims, and exits with 2 where these do not sign in', async () => {
    const within = await access('-s', 'known', '--role', 'reader', '--claims', 'claims.json', '--json');
    expect(within.code).toBe(0);
    expect(JSON.parse(within.out)).toMatchObject({
      groups: ['admins'],
      policies: ['default', 'guest', 'prod'],
      rows: expect.arrayContaining([
        {
          pattern: 'secret/data/prod/*',
          path: 'secret/data/prod/x',
          capabilities: ['read', 'update'],
          policies: ['prod'],
          from: { read: ['prod'], update: ['prod'] },
          limits: ['required_parameters'],
        },
      ]),
    });
    const refused = await access('-s', 'known', '--role', 'web', '--claims', 'claims.json');
    expect(refused).toMatchObject({
      code: 2,
      out: expect.stringMatching(/^Does not sign in, role cluster\/web/),
    });
    expect(await access('-s', 'known', '--role', 'gone')).toMatchObject(failed('role_unknown'));
  });

  test('says where a role has a policy that is not here', async () => {
    const { code, out } = await access('-s', 'one', '--role', 'spare');
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringContaining('? not known: what policy elsewhere allows\n'),
    });
  });

  test('is about one principal', async () => {
    expect(await access('-s', 'known')).toMatchObject(failed('option_missing'));
    const two = await access('-s', 'known', '--role', 'web', '--group', 'admins');
    expect(two).toMatchObject(failed('option_missing'));
  });

  test.each([
    ['a group that there is not', 'only: [group admin]', 'no group is named "admin"; did you mean `admins`?'],
    ['a role that there is not', 'never: [role raeder]', 'no role is named "raeder"; did you mean `reader`?'],
    [
      'a role of another method',
      'never: [role git/web]',
      'no role of "git" is named "web"; it is one of cluster',
    ],
    ['neither group nor role', 'only: [admins]', 'must be `group NAME`, `role NAME` or `role METHOD/NAME`'],
    ['someone who never may', 'never: [someone]', '`someone` says nothing here; write anyone'],
    ['anyone who may', 'only: [anyone]', '`anyone` says nothing here; name groups and roles'],
    ['two of a kind', 'only: [group admins], never: [role web]', 'exactly one of only, never and always'],
    ['nobody', 'only: []', 'must name at least one'],
  ])('a promise about %s is a problem, with its place', async (_, who, text) => {
    const promise = `  gatehouse:promises:\n    - { ${who}, can: [read], on: secret/*, because: x }\n`;
    await write('wrong', settings(guest, promise));
    const { code, err } = await whoCan('read', 'x', '-s', 'wrong');
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(text) });
    expect(err).toMatch(/Pulumi\.wrong\.yaml:21:\d+: gatehouse:promises\[0\]/);
  });

  test.each([
    ['no reason', { because: undefined }, 'because'],
    ['an empty reason', { because: ' ' }, 'give the reason'],
    ['a capability that there is not', { can: ['raed'] }, 'can'],
    ['a path with a slash before it', { on: '/secret/*' }, 'slash'],
    ['a * in the middle', { on: 'a/*/b' }, 'only at its end'],
    ['a word that is misspelled', { nevr: ['group admins'] }, 'did you mean `never`?'],
  ])('a promise with %s is a problem', async (_, given, text) => {
    const good = { only: ['group admins'], can: ['read'], on: 'secret/*', because: 'x' };
    const promises = JSON.stringify([{ ...good, ...given }]);
    await write('wrong', settings(guest, `  gatehouse:promises: ${promises}\n`));
    const { code, err } = await whoCan('read', 'x', '-s', 'wrong');
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(text) });
  });

  test('a policy file that is missing is named with its place', async () => {
    await write(
      'wrong',
      settings(guest).replace(/policy: 'path "secret\/data\/prod[^']*'/, 'file: gone.hcl'),
    );
    const { code, err } = await whoCan('read', 'x', '-s', 'wrong');
    expect(code).toBe(1);
    expect(err).toMatch(/Pulumi\.wrong\.yaml:19:\d+: gatehouse:policies\[2\]\.file: cannot read policy file/);
  });
});

describeOnEmbeddedService('a promise of a stack', (server) => {
  let folder: string;
  const promise = `  gatehouse:promises:
    - { only: [role backup], can: [update], on: secret/data/prod/*, because: it alone restores }
`;
  const withPromise = (yaml: string) =>
    yaml.replace('  gatehouse:messages:', `${promise}  gatehouse:messages:`);
  const broken = (yaml: string) =>
    withPromise(yaml).replace('policies: [secrets-read], ttl: 10m', 'policies: [secrets-admin], ttl: 10m');
  const environment = environmentFor(server);
  beforeAll(async () => {
    folder = await environment().writeProject(withPromise);
    const up = await runCommand(['up', '-s', 'dev', '--yes'], environment().env, folder);
    expect(up.code === 0 ? '' : up.err).toBe('');
  });
  const gatehouse = (...argv: string[]) => runCommand(argv, environment().env, folder);
  const pattern =
    /promise \(only role backup: update on secret\/data\/prod\/\*\).*broken: role cluster\/web can update "secret\/data\/prod\/x", by policy secrets-admin.*system:serviceaccount:shop:web.*Promised because: it alone restores/;

  test('that is kept lets preview, review and drift pass', async () => {
    expect((await gatehouse('preview', '-s', 'dev')).code).toBe(0);
    expect((await gatehouse('review', '-s', 'dev')).code).toBe(0);
    expect(await gatehouse('drift', '-s', 'dev')).toMatchObject({
      code: 0,
      out: expect.stringContaining('no drift'),
    });
  });

  longTest('stops preview, up and review where it is broken, with who breaks it', async () => {
    const plan = join(folder, 'plan.json');
    const without = broken(await readFile(join(root, 'Pulumi.dev.yaml'), 'utf8')).replace(promise, '');
    await environment().writeProject(() => without);
    await writeFile(plan, (await gatehouse('preview', '-s', 'dev', '--json')).out);

    await environment().writeProject(broken);
    for (const argv of [['preview'], ['up', '--yes'], ['review']]) {
      const { code, out, err } = await gatehouse(...argv, '-s', 'dev');
      expect({ argv, code, isTold: pattern.test(out + err) }).toEqual({ argv, code: 1, isTold: true });
    }
    const reviewed = await gatehouse('review', plan, '-s', 'dev', '--json');
    expect(reviewed.code).toBe(2);
    expect(JSON.parse(reviewed.out).findings).toContainEqual(
      expect.objectContaining({
        rule: 'promise-broken',
        severity: 'error',
        subject: { type: 'promise', name: 'only role backup: update on secret/data/prod/*' },
      }),
    );
    const sarif = JSON.parse((await gatehouse('review', plan, '-s', 'dev', '--format', 'sarif')).out);
    const [result] = sarif.runs[0].results.filter(({ ruleId }: any) => ruleId === 'promise-broken');
    const written = (await readFile(join(folder, 'Pulumi.dev.yaml'), 'utf8')).split('\n');
    const { startLine } = result.locations[0].physicalLocation.region;
    expect(written[startLine - 1]).toContain('it alone restores');
    await environment().writeProject(withPromise);
  });

  test('is broken on the service by an entity', async () => {
    const { client } = environment();
    await client.post('identity/entity', { name: 'bot', policies: ['secrets-admin'] });
    expect(await gatehouse('drift', '-s', 'dev')).toMatchObject({
      code: 2,
      out: expect.stringContaining('entity bot can update'),
    });
    await client.delete('identity/entity/name/bot');
    expect((await gatehouse('drift', '-s', 'dev')).code).toBe(0);
  });
});
