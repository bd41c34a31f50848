import { expect, test } from '@jest/globals';
import { terraformPlan } from '../../../src/review/plan/terraform-plan.ts';
import { TerraformReferences } from '../../../src/review/plan/terraform-references.ts';
import { TerraformServers } from '../../../src/review/plan/terraform-servers.ts';

const text = (constant_value: unknown) => ({ constant_value });
const variable = (name: string) => ({ references: [`var.${name}`] });
const of = (key: string) => ({ resources: [{ address: 'vault_policy.p', provider_config_key: key }] });
const inModule = (name: string, key: string) => ({ module_calls: { [name]: { module: of(key) } } });
const [a, b] = [{ address: text('https://a') }, { address: text('https://b') }];
const two = { vault: a, 'vault.b': b };
const unplaced = { server: 'not known', namespace: '', isUnplaced: true };

type Expressions = Record<string, unknown>;
/** Without an address, the resource is `vault_policy.p`. */
const cases: Record<
  string,
  [providers: Record<string, Expressions>, root: object, place: string | object, address?: string]
> = {
  'no configuration': [{}, {}, 'vault'],
  'one, whatever it is called': [{ 'vault.x': a }, {}, 'vault.x'],
  'its own': [two, of('vault.b'), 'vault.b'],
  'one of the same address': [{ vault: a, 'vault.b': a }, of('vault.b'), 'vault'],
  'one of the environment’s address': [
    { vault: {}, 'vault.b': { namespace: text('n') } },
    of('vault.b'),
    { server: 'vault', namespace: 'n' },
  ],
  'one whose namespace is not known': [
    { vault: a, 'vault.b': { ...a, namespace: variable('n') } },
    of('vault.b'),
    'vault.b',
  ],
  'one whose namespace is no text': [
    { vault: a, 'vault.b': { ...a, namespace: text(5) } },
    of('vault.b'),
    'vault.b',
  ],
  'the same variables': [
    {
      vault: { address: variable('x'), namespace: variable('n') },
      'vault.b': { address: variable('x'), namespace: variable('n') },
    },
    of('vault.b'),
    'vault',
  ],
  'the same variable in another module': [
    { 'module.m:vault': { address: variable('x') }, 'module.o:vault': { address: variable('x') } },
    inModule('o', 'module.o:vault'),
    'module.o:vault',
    'module.o.vault_policy.p',
  ],
  'the same variable, and a variable namespace, in another module': [
    { 'module.m:vault': { namespace: variable('x') }, 'module.o:vault': { namespace: variable('x') } },
    inModule('o', 'module.o:vault'),
    'module.o:vault',
    'module.o.vault_policy.p',
  ],
  'the same address in another module': [
    { 'module.m:vault': a, 'module.o:vault': a, vault: b },
    inModule('o', 'module.o:vault'),
    'module.m:vault',
    'module.o.vault_policy.p',
  ],
  'one that a module was given': [
    two,
    inModule('m', 'module.m:vault.b'),
    'vault.b',
    'module.m["x"].vault_policy.p',
  ],
  'that of its module, where it is gone from there': [
    two,
    inModule('m', 'vault.b'),
    'vault.b',
    'module.m.vault_policy.gone',
  ],
  'none that is known, where it is gone from the root': [two, of('vault.b'), unplaced, 'vault_policy.gone'],
  'none that is known, of two in its module': [
    two,
    {
      module_calls: { m: { module: { resources: [...of('vault').resources, ...of('vault.b').resources] } } },
    },
    unplaced,
    'module.m.vault_policy.gone',
  ],
  'none that is known, by a key of none': [two, of('vault.c'), unplaced],
  'no provider of another package': [{ 'aws.x': a, vault: b }, of('aws.x'), 'vault'],
};
test.each(Object.entries(cases))(
  'a resource is on %s',
  (_, [providers, root_module, server, address = 'vault_policy.p']) => {
    const provider_config = Object.fromEntries(
      Object.entries(providers).map(([key, expressions]) => [key, { expressions }]),
    );
    const plan = terraformPlan.parse({
      format_version: '1.2',
      configuration: { provider_config, root_module },
    });
    const place = typeof server === 'string' ? { server, namespace: '' } : server;
    expect(new TerraformServers(plan, new TerraformReferences(root_module, [])).of(address)).toEqual(place);
  },
);

test('a configuration is the service’s by its name, or by its package', () => {
  const server = (config: object) => {
    const plan = terraformPlan.parse({
      format_version: '1.2',
      configuration: { provider_config: { own: { ...config, expressions: { namespace: text('n') } } } },
    });
    return new TerraformServers(plan, new TerraformReferences({}, [])).of('vault_policy.p').server;
  };
  const servers = [
    { name: 'vault' },
    { full_name: 'registry.example/x/vault' },
    { name: 'x', full_name: 'x/vaults' },
  ].map(server);
  expect(servers).toEqual(['own', 'own', 'vault']);
});

const addresses: Record<string, [providers: Record<string, Expressions>, address: string | undefined]> = {
  'as it is written': [{ vault: a }, 'https://a'],
  'written for all of several configurations': [{ vault: a, 'vault.b': a }, 'https://a'],
  'by a variable of the root module': [{ vault: { address: variable('x') } }, 'https://x'],
  'not with two': [two, undefined],
  'not where one leaves it to the environment': [{ vault: a, 'vault.b': {} }, undefined],
  'not by a variable of another module': [{ 'module.m:vault': { address: variable('x') } }, undefined],
  'not by more than a variable': [{ vault: { address: { references: ['var.x', 'var.y'] } } }, undefined],
  'not by a local value': [{ vault: { address: { references: ['local.x'] } } }, undefined],
  'not without a value': [{ vault: { address: variable('y') } }, undefined],
  'not where the plan leaves the value out': [{ vault: { address: variable('ephemeral') } }, undefined],
  'not without a configuration': [{}, undefined],
};
test.each(Object.entries(addresses))('the address of the service is known: %s', (_, [providers, address]) => {
  const provider_config = Object.fromEntries(
    Object.entries(providers).map(([key, expressions]) => [key, { expressions }]),
  );
  const variables = { x: { value: 'https://x' }, ephemeral: {} };
  const plan = terraformPlan.parse({ format_version: '1.2', variables, configuration: { provider_config } });
  expect(new TerraformServers(plan, new TerraformReferences({}, [])).address).toBe(address);
});
