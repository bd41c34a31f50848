import { mock } from 'node:test';
import { beforeAll, describe, expect, test } from '@jest/globals';
import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { policy, policyFields } from '../../core/model/resources/policy.ts';
import { DescribedResource, officialInputs } from '../../stacks/environment.ts';
import { named, ofType, type Registration, register, secret } from '../harness/pulumi-mocks.ts';
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
    const [plugin, ...more] = ofType(stack.registered, 'vault');
    expect(more).toEqual([]);
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

  describe('that the rules object to', () => {
    const environment = (roles: object[], more: Record<string, unknown> = {}) =>
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
          ...more,
        }).map(([key, value]) => [key, JSON.stringify(value)]),
      );
    const register = (config: Record<string, string>) => registerConfig(config, ['gatehouse:clientSecrets']);
    const mapped = { name: 'reader', claimMappings: { groups: 'teams' } };

    test('registers nothing, with every error, its fix and the rule', async () => {
      const uris = ['http://secrets.example.com/ui/vault/auth/other/oidc/callback'];
      const refused = logging(() => register(environment([{ ...mapped, allowedRedirectUris: uris }])));
      await expect(refused).rejects.toMatchObject({ code: 'rules_object' });
      await expect(refused).rejects.toThrow(
        /role "reader" of auth\/staff: [\s\S]*\(redirect-uri-missing\)[\s\S]*\(redirect-uri-other-method\)[\s\S]*\(list-claim-mapping\)/,
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
        expect.stringMatching(/^warning: .*role "e" of auth\/staff and 1 more: .*\(mutable-user-claim\)$/),
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
        ...{ kind: 'jwt', name: 'jobs', issuer: 'https://ci.example.com', audiences: ['a'] },
        ...{ roles: [{ name: 'build', policies: ['a'], boundSubject: 'b' }] },
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
