import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { startIdentity } from '../../../embedded/identity/identity.ts';
import { readStack } from '../../../engine/stack-files/read-stack.ts';
import { startEmbeddedService } from '../../harness/embedded-service.ts';
import { failed, projectFolder, runCommand, wordsOf } from '../running-command.ts';

const passphrase = { PULUMI_CONFIG_PASSPHRASE: 'for tests only' };

describe('gatehouse init', () => {
  let folder: string;
  beforeEach(() => {
    folder = projectFolder({ 'secret.txt': 'hush-hush\n' });
  });

  const run = (line: string, env: NodeJS.ProcessEnv = passphrase, typed?: string[]) =>
    runCommand(wordsOf(`init staging ${line}`), env, folder, { typed });
  const written = () => parse(readFileSync(join(folder, 'Pulumi.staging.yaml'), 'utf8')).config;

  const tenantId = '3f0e9d5c-1a2b-4c3d-8e4f-5a6b7c8d9e0f';
  const authority = 'https://id.example.com';
  const people: [string, string, object][] = [
    ['cloud_directory', `--tenant-id ${tenantId}`, { tenantId }],
    ['hosted_identity_platform', '--domain example.eu.auth0.com', { domain: 'example.eu.auth0.com' }],
    [
      'access_management_suite',
      `--authority ${authority} --scopes 'profile, mail'`,
      { authority, scopes: ['profile', 'mail'] },
    ],
    ['source_hosting', '', {}],
    ['workspace_suite', '', {}],
    ['open_source_identity_server', `--authority ${authority} --realm main`, { authority, realm: 'main' }],
    ['enterprise_identity_provider', `--authority ${authority}`, { authority }],
    ['oidc', `--issuer ${authority}`, { issuer: authority }],
  ];
  const common = '--address https://secrets.example.com:8200 --name staff --client-id abc';
  const secret = '--client-secret-file secret.txt';

  test.each(people)('%s from options', async (kind, options, settings) => {
    const { code, err } = await run(`${common} --kind ${kind} ${options} ${secret}`);
    expect([code, err]).toEqual([0, '']);
    expect(written()['gatehouse:service']).toEqual({ address: 'https://secrets.example.com:8200' });
    expect(written()['gatehouse:providers']).toEqual([
      {
        kind,
        name: 'staff',
        ...settings,
        clientId: 'abc',
        defaultRole: 'reader',
        roles: [{ name: 'reader', policies: ['default'] }],
      },
    ]);
  });

  test('container_orchestrator from options, without a client secret', async () => {
    const cluster = '--kind container_orchestrator --name cluster --issuer https://kubernetes.default.svc';
    const role = '--service-account shop/checkout --role checkout';
    const { code, err } = await run(`--address http://127.0.0.1:8200 ${cluster} ${role}`);
    expect([code, err]).toEqual([0, '']);
    expect(written()['gatehouse:clientSecrets']).toBeUndefined();
    expect(written()['gatehouse:providers'][0].roles).toEqual([
      { name: 'checkout', policies: ['default'], namespace: 'shop', serviceAccount: 'checkout' },
    ]);
  });

  test('a workload of any issuer from options', async () => {
    const own = `--kind jwt --name robots --issuer ${authority} --audiences 'a, b' --bound-subject robot-7`;
    const { code, err } = await run(`--address http://127.0.0.1:8200 ${own}`);
    expect([code, err]).toEqual([0, '']);
    expect(written()['gatehouse:providers']).toEqual([
      {
        ...{ kind: 'jwt', name: 'robots', issuer: 'https://id.example.com', audiences: ['a', 'b'] },
        defaultRole: 'reader',
        roles: [{ name: 'reader', policies: ['default'], boundSubject: 'robot-7' }],
      },
    ]);
  });

  test('a pipeline from options, by an id', async () => {
    const own = "--kind 'github actions' --name ci --audience secrets --repository-id 42";
    const { code, err } = await run(`--address http://127.0.0.1:8200 ${own}`);
    expect([code, err]).toEqual([0, '']);
    const roles = [{ name: 'reader', policies: ['default'], repositoryId: '42' }];
    expect(written()['gatehouse:providers']).toEqual([
      { kind: 'github_actions', name: 'ci', audience: 'secrets', defaultRole: 'reader', roles },
    ]);
  });

  // Nothing can listen there.
  const nowhere = 'http://127.0.0.1:1';
  const ask = (answers: string[]) => run('', passphrase, answers);

  test('from questions, and warns where nothing answers', async () => {
    const answers = [nowhere, 'Keycloak', '', nowhere, 'main', 'abc', 'admin', 'a, b', 'typed-secret'];
    const { code, err } = await ask(answers);
    expect(code).toBe(0);
    expect(err).not.toContain('typed-secret');
    expect(err).toContain('warning: no secrets service answers there yet (service_unreachable)');
    expect(err).toContain('warning: its issuer cannot be discovered from here');
    expect(written()['gatehouse:providers']).toEqual([
      {
        kind: 'open_source_identity_server',
        ...{ name: 'staff', authority: nowhere, realm: 'main', clientId: 'abc', defaultRole: 'admin' },
        roles: [{ name: 'admin', policies: ['a', 'b'] }],
      },
    ]);
    const stack = await readStack(folder, 'staging', passphrase);
    expect(JSON.parse(stack.config.get('gatehouse:clientSecrets')?.value ?? '')).toEqual({
      staff: 'typed-secret',
    });
  });

  test('warns of nothing where service and provider answer', async () => {
    const [service, identity] = await Promise.all([startEmbeddedService(), startIdentity()]);
    try {
      const authority = `${identity.address}/open-source-identity-server`;
      const answers = [service.address, 'keycloak', '', authority, 'main', 'abc', '', '', ''];
      const { code, err } = await ask(answers);
      expect(code).toBe(0);
      expect(err).not.toContain('warning');
    } finally {
      await Promise.all([service.close(), identity.close()]);
    }
  });

  test('asks again for each answer that is wrong, and says what is', async () => {
    const { code, err } = await ask([
      ...['nonsense', 'http://127.0.0.1:1/path', nowhere],
      ...['keyclaok', '99', '6'],
      ...['not a name', 'staff'],
      ...['id.example.com', nowhere, 'a/b', 'main', 'abc'],
      ...['admin', 'root', 'secrets-read', 'typed-secret'],
    ]);
    expect(code).toBe(0);
    for (const line of [
      'must be an http or https URL',
      'scheme, host and port are all that it may hold',
      'did you mean open_source_identity_server (Keycloak)?',
      'unknown provider kind',
      'a provider name has only letters, digits, `_` and `-`',
      'a realm is a name without slashes and blanks',
    ]) {
      expect(err).toContain(`  ${line}\n`);
    }
    expect(written()['gatehouse:providers'][0]).toMatchObject({
      ...{ kind: 'open_source_identity_server', name: 'staff', authority: nowhere, realm: 'main' },
      roles: [{ name: 'admin', policies: ['secrets-read'] }],
    });
  });

  test('asks again for a tenant id that the service would refuse', async () => {
    const { err } = await ask([nowhere, 'Microsoft Entra ID', '', 'common']);
    expect(err).toContain('common stands for many tenants');
  });

  test('ends where the answers end, and writes nothing', async () => {
    expect(await ask([nowhere, 'keycloak', '', 'nonsense'])).toMatchObject(failed('answers_missing'));
    expect(existsSync(join(folder, 'Pulumi.staging.yaml'))).toBe(false);
  });

  test('asks nothing without a passphrase, or where the stack exists', async () => {
    const { code, err: missing } = await run('', {}, []);
    expect([code, missing]).toEqual([1, expect.stringContaining('(passphrase_missing)')]);
    writeFileSync(join(folder, 'Pulumi.staging.yaml'), 'config: {}\n');
    const { err } = await ask([]);
    expect(err).toContain('(stack_exists)');
    expect(err).not.toContain('Address');
  });

  test('without a secret yet, says how to set it after the redirect URIs are registered', async () => {
    const { code, out } = await ask([nowhere, 'keycloak', '', nowhere, 'main', 'abc', '', '', '']);
    expect(code).toBe(0);
    expect(out).toBe(
      [
        'Wrote Pulumi.staging.yaml.',
        'Register these redirect URIs with the identity provider:',
        '  http://localhost:8250/oidc/callback',
        `  ${nowhere}/ui/vault/auth/staff/oidc/callback`,
        'Next:',
        '  gatehouse secret set -s staging clientSecrets.staff',
        '  gatehouse preview -s staging',
        '  gatehouse up -s staging --preflight',
        '  gatehouse verify -s staging',
        '',
      ].join('\n'),
    );
    const stack = await readStack(folder, 'staging', passphrase);
    expect(stack.encryptionSalt).toMatch(/^v1:/);
    expect(stack.config.get('gatehouse:clientSecrets')).toBeUndefined();
  });

  test('takes the name of a product for its kind', async () => {
    const { err } = await run(`${common} --kind Okta --authority https://example.okta.com ${secret}`);
    expect(err).toBe('');
    expect(written()['gatehouse:providers'][0].kind).toBe('enterprise_identity_provider');
  });

  test('says which kinds there are, with their products, and which one was meant', async () => {
    const { code, err } = await run(`${common} --kind gitlap`);
    expect(code).toBe(1);
    expect(err).toContain('(kind_unknown)');
    expect(err).toContain('open_source_identity_server (Keycloak)');
    expect(err).toContain('did you mean source_hosting (GitLab)?');
  });

  const source = `${common} --kind source_hosting`;

  test('encrypts the client secret', async () => {
    await run(`${source} ${secret}`);
    expect(readFileSync(join(folder, 'Pulumi.staging.yaml'), 'utf8')).not.toContain('hush-hush');
    const stack = await readStack(folder, 'staging', passphrase);
    expect(stack.config.get('gatehouse:clientSecrets')).toEqual({
      value: '{"staff":"hush-hush"}',
      secret: true,
      secrets: ['hush-hush'],
    });
  });

  test('takes the client secret from the environment, too', async () => {
    const env = { ...passphrase, GATEHOUSE_CLIENT_SECRET: 'from-env' };
    expect((await run(source, env)).code).toBe(0);
  });

  test('--json names the file, and what comes next', async () => {
    const { out } = await run(`${source} ${secret} --json`);
    expect(JSON.parse(out)).toEqual({
      ...{ stack: 'staging', file: join(folder, 'Pulumi.staging.yaml') },
      redirectUris: [
        'http://localhost:8250/oidc/callback',
        'https://secrets.example.com:8200/ui/vault/auth/staff/oidc/callback',
      ],
      next: [
        'gatehouse preview -s staging',
        'gatehouse up -s staging --preflight',
        'gatehouse verify -s staging',
      ],
    });
  });

  test.each([
    ['everything', '', 'answers_missing'],
    ['the client secret', source, 'answers_missing'],
    ['an address that is one', `${source} --address nonsense ${secret}`, 'environment_invalid'],
    ['a file that is there', `${source} --client-secret-file nowhere.txt`, 'file_unreadable'],
    [
      'a service account with its namespace',
      `${common} --kind container_orchestrator --issuer https://x --service-account x`,
      'setting_invalid',
    ],
  ])('without %s it writes nothing', async (_, line, code) => {
    expect(await run(line)).toMatchObject(failed(code));
    expect(existsSync(join(folder, 'Pulumi.staging.yaml'))).toBe(false);
  });

  test('names every option that is missing', async () => {
    const { err } = await run('--kind open_source_identity_server');
    for (const flag of ['--address', '--authority', '--realm', '--client-id', '--client-secret-file']) {
      expect(err).toContain(flag);
    }
  });

  test('leaves a stack that exists as it is', async () => {
    await run(`${source} ${secret}`);
    const before = readFileSync(join(folder, 'Pulumi.staging.yaml'), 'utf8');
    expect(await run(`${source} ${secret}`)).toMatchObject(failed('stack_exists'));
    expect(readFileSync(join(folder, 'Pulumi.staging.yaml'), 'utf8')).toBe(before);
  });
});
