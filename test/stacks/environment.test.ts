import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { parseEnvironment } from '../../packages/core/src/environment/environment.ts';
import { policy, policyFields } from '../../packages/core/src/graph/resources/policy.ts';
import { buildEnvironment, DescribedResource, officialInputs, resolve } from '../../stacks/environment.ts';
import { named, ofType, type Registration, register, secret } from '../harness/pulumi-mocks.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { type RegisteredStack, registerConfig, registerStack } from './register-stack.ts';

const service = { address: 'http://127.0.0.1:8200' };
const withoutMessages = { 'gatehouse:service': { ...service, features: { messages: false } } };

/** Runs something with what it logs taken away from the console, and given back. */
async function logging<Result>(run: () => Promise<Result>): Promise<{ result: Result; logged: string[] }> {
  const logged: string[] = [];
  const take = (line: unknown) => void logged.push(String(line));
  const taken = [mock.method(console, 'log', take), mock.method(console, 'warn', take)];
  try {
    return { result: await run(), logged };
  } finally {
    for (const { mock } of taken) mock.restore();
  }
}

describe('the dev stack', () => {
  let stack: RegisteredStack;
  let logged: string[];
  const all = (type: string): Registration[] => ofType(stack.registered, type);

  beforeAll(async () => {
    ({ result: stack, logged } = await logging(() => registerStack('dev', 'gatehouse')));
  });

  test('keeps every client secret a secret', () => {
    for (const { inputs } of all('AuthBackend').filter(({ inputs }) => inputs['type'] === 'oidc')) {
      expect(inputs['oidcClientSecret']).toEqual(secret('gatehouse-development-only'));
    }
  });

  test('registers one plugin resource, without a token, and everything below it', () => {
    const [plugin, ...rest] = ofType(stack.registered, 'vault');
    expect(rest).toEqual([]);
    expect(plugin).toMatchObject({ name: 'service', inputs: { address: 'http://127.0.0.1:8200' } });
    expect(plugin?.inputs).not.toHaveProperty('token');
    const ours = stack.registered.filter(({ type }) => type.startsWith('vault:'));
    for (const { provider } of ours) expect(provider).toBe(`${plugin?.urn}::service-id`);
  });

  test('leaves the messages out, where the service has none, with a word', async () => {
    const { result, logged } = await logging(() => registerStack('dev', 'gatehouse', withoutMessages));
    expect(ofType(result.registered, 'UiCustomMessage')).toEqual([]);
    expect(result.outputs.messages).toEqual([]);
    expect(logged).toEqual([
      'info: [runtime] 6 custom messages are left out: gatehouse:service says that the service does not support them.',
    ]);
  });

  test('exports its address, methods with their roles, groups and policies', () => {
    const { address, methods, groups, policies } = stack.outputs;
    expect(address).toBe('http://127.0.0.1:8200');
    expect(methods['cluster']).toMatchObject({ kind: 'container_orchestrator', roles: ['web', 'backup'] });
    expect(methods['cluster']).not.toHaveProperty('tokenVolumes');
    expect(methods['staff']).not.toHaveProperty('tokenVolumes');
    expect(groups).toEqual(['staff-admins', 'maintainers']);
    expect(policies).toEqual(['secrets-read', 'secrets-admin', 'login-admin']);
    expect(logged).toEqual([]);
  });
});

describe('an environment', () => {
  test('says nothing of messages where it declares none', async () => {
    const config = { 'gatehouse:service': JSON.stringify({ ...service, features: { messages: false } }) };
    const { logged, result } = await logging(() => registerConfig(config));
    expect(logged).toEqual([]);
    expect(result.registered.map(({ name }) => name)).toEqual(['service']);
  });

  test('is set up in its namespace', async () => {
    const { registered } = await registerConfig({
      'gatehouse:service': JSON.stringify({ ...service, namespace: 'platform' }),
    });
    expect(named(registered, 'service').inputs).toMatchObject({ ...service, namespace: 'platform' });
  });

  test('that is not right registers nothing, and says where', async () => {
    await expect(registerConfig({ 'gatehouse:service': '{}' })).rejects.toThrow(
      'gatehouse:service.address: this field is required (text)',
    );
  });

  describe('with secrets that are not encrypted', () => {
    const config = {
      'gatehouse:service': JSON.stringify(service),
      'gatehouse:providers': JSON.stringify(
        ['git', 'shop'].map((name) => ({ kind: 'source_hosting', name, clientId: 'c' })),
      ),
      'gatehouse:clientSecrets': '{"git":"hunter2","shop":"hunter3"}',
    };

    test('registers nothing where the engine says that the key holds no secret, as after a plain config set', async () => {
      const refused = registerConfig(config, []);
      await expect(refused).rejects.toThrow(
        /clientSecrets\.git: is not encrypted; seal it with: gatehouse secret set -s test clientSecrets\.git\n.*clientSecrets\.shop: is not encrypted/,
      );
      await expect(refused).rejects.not.toThrow('hunter');
    });

    test('registers nothing where one of several stands in clear in the stack file', async () => {
      const yaml = 'config:\n  gatehouse:clientSecrets:\n    git: { secure: "v1:x" }\n    shop: hunter3\n';
      const folder = temporaryFolder({ 'Pulumi.test.yaml': yaml });
      const refused = register(() => buildEnvironment(folder), {
        config,
        secretKeys: ['gatehouse:clientSecrets'],
      });
      await expect(refused).rejects.toThrow(
        'the configuration has one problem:\n  Pulumi.test.yaml:4:5: gatehouse:clientSecrets.shop: is not encrypted',
      );
    });
  });

  describe('that the rules object to', () => {
    const environment = (roles: object[], keys: Record<string, unknown> = {}) =>
      Object.fromEntries(
        Object.entries({
          'gatehouse:service': service,
          'gatehouse:providers': [
            {
              kind: 'open_source_identity_server',
              name: 'staff',
              authority: 'https://id.example.com',
              realm: 'main',
              clientId: 'c',
              roles,
            },
          ],
          'gatehouse:clientSecrets': { staff: 'hidden' },
          ...keys,
        }).map(([key, value]) => [key, JSON.stringify(value)]),
      );
    const register = (config: Record<string, string>) => registerConfig(config, ['gatehouse:clientSecrets']);
    const mapped = { name: 'reader', claimMappings: { groups: 'teams' } };

    test('registers nothing, with every error, its fix and the rule', async () => {
      const uris = ['http://secrets.example.com/ui/vault/auth/other/oidc/callback'];
      const refused = logging(() => register(environment([{ ...mapped, allowedRedirectUris: uris }])));
      await expect(refused).rejects.toMatchObject({ code: 'rules_object' });
      await expect(refused).rejects.toThrow(
        /role staff\/reader: [\s\S]*\(redirect-uri-missing\)[\s\S]*\(redirect-uri-other-method\)[\s\S]*\(list-claim-mapping\)/,
      );
    });

    test('is registered where the rule is off', async () => {
      const rules = { disabled: { 'list-claim-mapping': 'a text at this provider' } };
      const { registered } = await register(environment([mapped], { 'gatehouse:rules': rules }));
      expect(named(registered, 'staff-reader').inputs).toMatchObject({ claimMappings: { groups: 'teams' } });
    });

    test('warns, once for a rule, and goes on', async () => {
      const roles = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({
        name,
        userClaim: 'email',
        policies: ['read'],
      }));
      const { logged, result } = await logging(() => register(environment(roles)));
      expect(logged).toEqual([
        expect.stringMatching(/^warning: .*role staff\/e and 1 more: .*\(mutable-user-claim\)$/),
      ]);
      expect(ofType(result.registered, 'AuthBackendRole')).toHaveLength(6);
    });
  });
});

describe('resource options', () => {
  const config = {
    'gatehouse:service': JSON.stringify(service),
    'gatehouse:policies': JSON.stringify([
      { name: 'a', policy: 'path "secret/a" { capabilities = ["read"] }' },
    ]),
    'gatehouse:providers': JSON.stringify([
      {
        kind: 'jwt',
        name: 'jobs',
        issuer: 'https://ci.example.com',
        audiences: ['a'],
        roles: [{ name: 'build', policies: ['a'], boundSubject: 'b' }],
      },
    ]),
  };

  test('are those of all that is made', async () => {
    const { registered } = await registerConfig(config, [], () => ({
      parent: new pulumi.ComponentResource('test:index:Parent', 'parent'),
      dependsOn: new vault.Policy('before', { policy: 'x' }),
    }));
    const below = registered.filter(({ name }) => name !== 'parent' && name !== 'before');
    const top = below.filter(({ parent }) => parent === 'parent').map(({ name }) => name);
    expect(top.sort()).toEqual(['a', 'jobs', 'service']);
    expect(below.filter(({ parent }) => parent === '')).toEqual([]);
    for (const name of top.filter((one) => one !== 'jobs')) {
      expect([name, named(registered, name).dependencies]).toEqual([name, ['before']]);
    }
  });

  test('can have a plugin, which is then that of all', async () => {
    const { registered } = await registerConfig(config, [], () => ({
      provider: new vault.Provider('mine', { address: 'https://other.example.com' }),
    }));
    expect(ofType(registered, 'vault').map(({ name }) => name)).toEqual(['mine']);
    for (const { type, provider } of registered.filter(({ type }) => type.startsWith('vault:')))
      expect([type, provider]).toEqual([type, expect.stringMatching(/::mine::mine-id$/)]);
  });
});

test('a resource that its description says all of is what its class registers', async () => {
  const inputs = officialInputs(policyFields, { name: 'read', text: 'path "a" {}' });
  expect(await register(() => new DescribedResource(policy.official?.pulumi ?? '', 'read', inputs))).toEqual(
    await register(() => new vault.Policy('read', { name: 'read', policy: 'path "a" {}' })),
  );
});

const environment = (keys: Record<string, unknown>) =>
  parseEnvironment({ service: { address: 'https://secrets.example.com' }, ...keys });
const cluster = (settings: Record<string, unknown>) =>
  environment({ providers: [{ kind: 'container_orchestrator', name: 'cluster', ...settings }] });

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString().trim();
const jwks = JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] });

describe('resolve', () => {
  let directory: string;
  let server: Server;
  let address: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'gatehouse-resolve-'));
    writeFileSync(join(directory, 'read.hcl'), 'path "a" {}');
    server = createServer(({ url }, response) => {
      response.end(url === '/openid/v1/jwks' ? jwks : '{"issuer":"https://oidc.cluster.example.com"}');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true, force: true });
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  test('reads policy files below the folder of Pulumi.yaml', async () => {
    const given = environment({ policies: [{ name: 'read', file: 'read.hcl' }] });
    expect((await resolve(given, directory)).policies).toEqual([{ name: 'read', policy: 'path "a" {}' }]);
  });

  test('keeps which rules of a policy file end, and refuses an end of a rule that it does not have', async () => {
    const ending = (pattern: string) =>
      environment({ policies: [{ name: 'read', file: 'read.hcl', until: { [pattern]: '2026-12-31' } }] });
    expect((await resolve(ending('a'), directory)).policies).toEqual([
      { name: 'read', policy: 'path "a" {}', until: { a: '2026-12-31' } },
    ]);
    await expect(resolve(ending('b'), directory)).rejects.toMatchObject({
      code: 'environment_invalid',
      parts: {
        fix: expect.stringMatching(/^gatehouse:policies\[0\]\.until\.b: .*has no rule path "b" \{ … \}/),
      },
    });
  });

  test('leaves inline policies as they are', async () => {
    const given = environment({ policies: [{ name: 'read', policy: 'path "b" {}' }] });
    expect((await resolve(given, directory)).policies).toEqual([{ name: 'read', policy: 'path "b" {}' }]);
  });

  test.each([
    ['a file that is not there', 'gone.hcl', 'cannot read policy file'],
    ['a file outside the project', '../read.hcl', 'policy file is outside the project'],
    ['a file that leads outside', 'a/../../read.hcl', 'policy file is outside the project'],
    ['an absolute path', '/etc/read.hcl', 'policy file is outside the project'],
  ])('refuses %s', async (_, file, words) => {
    const given = environment({ policies: [{ name: 'read', file }] });
    await expect(resolve(given, directory)).rejects.toMatchObject({
      code: 'policy_file_unreadable',
      message: expect.stringContaining(`gatehouse:policies[0].file: ${words}`),
    });
  });

  test('refuses a capability that no server knows, by the file', async () => {
    writeFileSync(join(directory, 'reed.hcl'), 'path "a" { capabilities = ["reed"] }');
    const given = environment({ policies: [{ name: 'read', file: 'reed.hcl' }] });
    await expect(resolve(given, directory)).rejects.toMatchObject({
      code: 'environment_invalid',
      message: expect.stringMatching(
        /reed\.hcl: line 1: path "a": `reed` is no capability; did you mean `read`\? \(gatehouse:policies\[0\]\.file\)/,
      ),
    });
  });

  test('takes a file whose name begins with two dots for one of the project', async () => {
    writeFileSync(join(directory, '..read.hcl'), 'path "c" {}');
    const given = environment({ policies: [{ name: 'read', file: '..read.hcl' }] });
    expect((await resolve(given, directory)).policies).toEqual([{ name: 'read', policy: 'path "c" {}' }]);
  });

  test('reads the issuer of a cluster of which the address is given', async () => {
    const [provider] = (await resolve(cluster({ apiServer: address }), directory)).providers;
    expect(provider).toMatchObject({ issuer: 'https://oidc.cluster.example.com' });
    expect(provider).not.toHaveProperty('apiServer');
  });

  test('asks no cluster of which the issuer is given', async () => {
    const given = cluster({ apiServer: 'http://127.0.0.1:1', issuer: 'https://issuer.example.com' });
    const [provider] = (await resolve(given, directory)).providers;
    expect(provider).toMatchObject({ issuer: 'https://issuer.example.com' });
  });

  test('converts the keys of a JWKS document to PEM', async () => {
    const [provider] = (await resolve(cluster({ jwks: JSON.parse(jwks) }), directory)).providers;
    expect((provider as { publicKeys?: string[] }).publicKeys?.map((key) => key.trim())).toEqual([pem]);
    expect(provider).not.toHaveProperty('jwks');
  });

  const keysOf = async (given: Record<string, unknown>) => {
    const [provider] = (await resolve(cluster(given), directory)).providers;
    return (provider as { publicKeys?: string[] }).publicKeys?.map((key) => key.trim());
  };

  test('takes the keys of a JWKS file below the folder of Pulumi.yaml', async () => {
    writeFileSync(join(directory, 'keys.json'), jwks);
    expect(await keysOf({ jwksFile: 'keys.json', issuer: 'https://issuer.example.com' })).toEqual([pem]);
  });

  test.each([
    ['that is not there', 'gone.json', 'cannot read JWKS file'],
    ['outside the project', '../keys.json', 'JWKS file is outside the project'],
    ['of something else', 'read.hcl', 'this file holds no JWKS document'],
  ])('refuses a JWKS file %s, and says how to write it', async (_, jwksFile, words) => {
    await expect(keysOf({ jwksFile })).rejects.toMatchObject({
      code: 'jwks_file_unreadable',
      message: expect.stringMatching(
        new RegExp(`provider "cluster", jwksFile: ${words}.*kubectl get --raw /openid/v1/jwks`, 's'),
      ),
    });
  });

  test('reads the keys of a cluster, and its issuer beside them', async () => {
    const given = cluster({ apiServer: `${address}/`, keysFromCluster: true, roles: [] });
    const [provider] = (await resolve(given, directory)).providers;
    expect(provider).toMatchObject({
      issuer: 'https://oidc.cluster.example.com',
      publicKeys: [expect.stringContaining('BEGIN PUBLIC KEY')],
    });
    expect(provider).not.toHaveProperty('keysFromCluster');
  });

  test('reads no keys of a cluster where that is switched off', async () => {
    const given = { apiServer: address, keysFromCluster: false };
    const [provider] = (await resolve(cluster(given), directory)).providers;
    expect(provider).not.toHaveProperty('publicKeys');
    expect(provider).not.toHaveProperty('keysFromCluster');
  });
});
