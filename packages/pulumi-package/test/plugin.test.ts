import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import providerPb from '@pulumi/pulumi/proto/provider_pb.js';
import { type PropertyMap, Secret, Unknown } from '../../engine/src/property-value.ts';
import { fromStruct, toStruct } from '../../engine/src/wire-value.ts';
import { type ObjectSpec, schema } from '../schema.ts';
import { outputValue, typeOf } from './cases.ts';
import { packageForm } from './metaschema.ts';
import { type PluginHost, startPluginHost } from './plugin-host.ts';

let host: PluginHost;
beforeAll(async () => {
  host = await startPluginHost();
});
afterAll(async () => host[Symbol.asyncDispose]());

const service = { address: 'https://secrets.example.com' };
const people = {
  service,
  clientId: 'client',
  clientSecret: 'hunter2',
  authority: 'https://id.example.com',
  realm: 'main',
};
const given = (inputs: PropertyMap, component = 'OpenSourceIdentityServer') => ({
  type: typeOf(component),
  name: 'it',
  inputs,
});
const refusal = (inputs: PropertyMap, component?: string): Promise<string> =>
  host.construct(given(inputs, component)).then(
    () => 'nothing was refused',
    (error: Error) => error.message,
  );
/** The inputs of one of the resources that a component was made of. */
const createdAs = (urn: string, name: string) => {
  const found = host.registered.below(urn).find((one) => one.endsWith(`::${name}`)) ?? name;
  return host.registered.of(found);
};

describe('the schema', () => {
  test('is that of the folder, with the version of the npm package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect(JSON.parse(await host.schema())).toEqual({ ...schema, version });
    expect(await host.info()).toBe(version);
  });

  test('has the form that Pulumi asks for', async () => {
    expect(packageForm.safeParse(JSON.parse(await host.schema())).error?.issues).toBeUndefined();
  });

  test('requires only properties that there are', () => {
    const objects = Object.values(schema.types).filter((type) => 'properties' in type);
    const specs = [...objects, ...Object.values(schema.resources)];
    const known = ({ properties }: Pick<ObjectSpec, 'properties'>, required: string[]) =>
      required.filter((name) => properties[name] === undefined);
    expect(specs.flatMap((spec) => known(spec, spec.required))).toEqual([]);
    const components = Object.values(schema.resources);
    expect(
      components.flatMap(({ inputProperties, requiredInputs }) =>
        known({ properties: inputProperties }, requiredInputs),
      ),
    ).toEqual([]);
  });

  test('has no type of another package', () => {
    const refs = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? '');
    const own = Object.keys(schema.types).map((type) => `#/types/${type}`);
    expect([...new Set(refs)].sort()).toEqual(['pulumi.json#/Any', ...own].sort());
  });

  test('has nested types whose names do not end as SDKs end them', () => {
    expect(Object.keys(schema.types).filter((type) => /(Args|Input|Output|Result)$/.test(type))).toEqual([]);
  });
});

describe('what does not fit', () => {
  test.each<[string, PropertyMap, string]>([
    ['a required input that is missing', { clientId: 'client' }, 'service: it is required'],
    [
      'an input that there is not',
      { ...people, cliendId: 'x' },
      'cliendId: there is no such property; there are authority,',
    ],
    ['a name that every object has', { ...people, toString: 'x' }, 'toString: there is no such property'],
    ['nothing in a list', { ...people, roles: [null] }, 'roles[0]: it must be a map'],
    ['a text for a map', { ...people, service: 'https://secrets.example.com' }, 'service: it must be a map'],
    ['a map for a list', { ...people, roles: { name: 'reader' } }, 'roles: it must be a list'],
    [
      'a text for a number',
      { ...people, roles: [{ name: 'reader', tokenNumUses: '1' }] },
      'roles[0].tokenNumUses: it must be a whole number',
    ],
    [
      'a flag for a duration',
      { ...people, tune: { maxLeaseTtl: true } },
      'tune.maxLeaseTtl: it must be a text or a whole number',
    ],
    [
      'a text that is none of a closed set',
      { ...people, oidcResponseMode: 'fragment' },
      'oidcResponseMode: it must be one of query, form_post',
    ],
    [
      'one such in a list',
      { ...people, jwtSupportedAlgs: ['RS256', 'HS256'] },
      'jwtSupportedAlgs[1]: it must be one of RS256,',
    ],
    [
      'a number for a closed set',
      { ...people, service: { ...service, dialect: 1 } },
      'service.dialect: it must be one of neutral, vault',
    ],
    [
      'a fraction',
      { ...people, roles: [{ name: 'reader', ttl: 1.5 }] },
      'roles[0].ttl: it must be a text or a whole number',
    ],
    ['a number for a text', { ...people, clientId: 1 }, 'clientId: it must be a text'],
    ['a role without a name', { ...people, roles: [{ ttl: 1 }] }, 'roles[0].name: it is required'],
    ['null for what is required', { ...people, service: null }, 'service: it is required'],
    [
      'an unknown name',
      { ...people, roles: [{ name: outputValue({}) }] },
      'roles[0].name: it must be known when the program runs',
    ],
    [
      'a secret name',
      { ...people, roles: [{ name: outputValue({ value: 'a', secret: true }) }] },
      'roles[0].name: it cannot be secret',
    ],
  ])('is said of %s, by its path', async (_, inputs, words) => {
    const message = await refusal(inputs);
    expect(message).toContain('these inputs are not valid (inputs_invalid)');
    expect(message).toContain(words);
  });

  test('is said of all inputs at once', async () => {
    const message = await refusal({ ...people, clientId: 1, roles: [{ name: 'a', tokenNumUses: 'x' }, {}] });
    expect(message.split('\n').slice(1)).toEqual([
      'clientId: it must be a text',
      'roles[0].tokenNumUses: it must be a whole number',
      'roles[1].name: it is required',
    ]);
  });

  test('is said with its code where the schema cannot tell', async () => {
    const message = await refusal({ ...people, tune: { defaultLeaseTtl: 'a day' } });
    expect(message).toContain('tune.defaultLeaseTtl: not a duration: "a day"');
    expect(message).toContain('(provider_invalid)');
  });

  test.each<[string, PropertyMap]>([
    [
      'OpenSourceIdentityServer',
      { ...people, roles: [{ name: 'reader', boundClaims: { level: [{ at: 1 }] } }] },
    ],
    [
      'Role',
      { method: 'a', name: 'b', roleType: 'jwt', userClaim: 'sub', boundClaims: { level: { at: 1 } } },
    ],
  ])('is said of bound claims that no token can have, of %s', async (component, inputs) => {
    expect(await refusal(inputs, component)).toContain('boundClaims.level: must be a text, a boolean');
  });

  test('is said of a component that there is not', async () => {
    expect(await refusal({}, 'Nothing')).toContain(
      'there is no component gatehouse:index:Nothing; there are gatehouse:index:',
    );
  });

  test('is said where it is found out late, in a value of a resource', async () => {
    const late = outputValue({ value: 'a day', dependencies: ['urn:pulumi:bench::gatehouse::a:b:C::d'] });
    const message = await refusal({ ...people, tune: { defaultLeaseTtl: late } });
    expect(message).toContain('not a duration: "a day"');
    expect(message).toContain('(provider_invalid)');
  });

  test('never comes with a stack trace, nor with a secret', async () => {
    const late = outputValue({ value: 'a day', dependencies: [] });
    const messages = [
      await refusal({ ...people, clientSecret: outputValue({ value: 'hunter9', secret: true }), tune: 'x' }),
      await refusal({ ...people, clientSecret: 'hunter9', roles: [{ name: 'a', maxAge: 'hunter9' }] }),
      await refusal({ ...people, clientSecret: 'hunter9', tune: { maxLeaseTtl: late } }),
      await refusal({}, 'Nothing'),
      // Where a secret is given for what is none, and refused.
      await refusal({ ...people, tune: { maxLeaseTtl: outputValue({ value: 'hunter9', secret: true }) } }),
      await refusal({ ...people, path: outputValue({ value: '/hunter9 "x"', secret: true }) }),
      await refusal({
        ...people,
        roles: [{ name: 'a', ttl: outputValue({ value: 'hunter9', secret: true }) }],
      }),
      await refusal({ name: 'a', text: outputValue({ value: 'path hunter9', secret: true }) }, 'Policy'),
      await refusal({ ...people, authority: outputValue({ value: ['hunter9'], secret: true }) }),
    ];
    for (const message of messages.slice(-5)) expect(message).toMatch(/invalid|not valid/);
    const all = [...messages, ...host.printed].join('\n');
    expect(all).not.toMatch(/^ {4}at /m);
    expect(all).not.toContain('hunter9');
  });

  test('leaves the plugin working', async () => {
    await refusal({ clientId: 1 });
    const { urn } = await host.construct(given({ ...people, roles: [{ name: 'reader' }] }));
    expect(createdAs(urn, 'it-reader').inputs).toMatchObject({ roleName: 'reader' });
  });
});

describe('a policy', () => {
  const text = 'path "secret/*" { capabilities = ["read"] }';
  test.each<[string, PropertyMap, string]>([
    ['root', { name: 'root', text }, 'name: the policy root is the service’s own'],
    ['no text', { name: 'a', text: '' }, 'text: '],
    ['a text that is no policy', { name: 'a', text: 'path "a" {' }, 'text: line 1: '],
  ])('fails in a preview with %s', async (_, inputs, message) => {
    const refused = await refusal(inputs, 'Policy');
    expect(refused).toContain(message);
    expect(refused).toContain('(inputs_invalid)');
  });

  test('fails with the name root where that comes from a resource', async () => {
    const name = outputValue({ value: 'root', dependencies: [] });
    expect(await refusal({ name, text }, 'Policy')).toContain('the policy root');
  });
});

describe('durations', () => {
  test.each(['1h', '3600', 3600])('are %j or the like, everywhere', async (duration) => {
    const { urn } = await host.construct(
      given({
        ...people,
        tune: { defaultLeaseTtl: duration, maxLeaseTtl: duration },
        roles: [{ name: 'reader', ttl: duration, tokenPeriod: duration, clockSkewLeeway: duration }],
      }),
    );
    expect(createdAs(urn, 'it-mount').inputs['tune']).toMatchObject({
      defaultLeaseTtl: '1h',
      maxLeaseTtl: '1h',
    });
    expect(createdAs(urn, 'it-reader').inputs).toMatchObject({
      tokenTtl: 3600,
      tokenPeriod: 3600,
      clockSkewLeeway: 3600,
    });
  });
});

describe('what a provider tells', () => {
  test('are its roles and groups by name, which an internal group can hold', async () => {
    const { state } = await host.construct(
      given({ ...people, roles: [{ name: 'Reader' }], groups: [{ name: 'Admins', alias: 'a' }] }),
    );
    expect(Object.keys(state['roles'] as object)).toEqual(['reader']);
    expect(Object.keys(state['groups'] as object)).toEqual(['Admins']);
    const id = (state['groups'] as PropertyMap)['Admins'] ?? null;
    expect(id).toEqual(expect.stringContaining('it-admins-group'));
    const { urn } = await host.construct(
      given({ name: 'all', memberGroupIds: [id], metadata: { team: 'a' } }, 'InternalGroup'),
    );
    expect(createdAs(urn, 'it-group').inputs).toMatchObject({
      memberGroupIds: [id],
      metadata: { team: 'a' },
    });
  });
});

describe('what is given', () => {
  test('stays secret, marked on its way or not', async () => {
    for (const clientSecret of ['hunter2', outputValue({ value: 'hunter2', secret: true })]) {
      const { urn } = await host.construct(given({ ...people, clientSecret }));
      expect(createdAs(urn, 'it-mount').inputs['oidcClientSecret']).toEqual(new Secret('hunter2'));
      // The component and its auth method have it in their state, too: marked.
      for (const one of host.registered.below(urn)) {
        const { inputs, outputs } = host.registered.of(one);
        const plain = JSON.stringify([inputs, outputs], (_, value) => (value instanceof Secret ? '' : value));
        expect(plain).not.toContain('hunter2');
      }
    }
  });

  test('that is not known yet passes on, and only that', async () => {
    const { urn, state } = await host.construct(
      given({
        ...people,
        clientId: outputValue({}),
        roles: [{ name: 'reader', ttl: 60, policies: [outputValue({})] }],
      }),
    );
    expect(createdAs(urn, 'it-mount').inputs).toMatchObject({ oidcClientId: Unknown.value, type: 'oidc' });
    expect(createdAs(urn, 'it-reader').inputs).toMatchObject({
      roleName: 'reader',
      tokenPolicies: Unknown.value,
    });
    expect(Object.keys(state).sort()).toEqual(['accessor', 'groups', 'path', 'roles']);
  });

  test('that an older SDK does not know yet passes on', async () => {
    const { urn } = await host.construct(
      given({ ...people, clientId: Unknown.value, roles: [{ name: 'a', ttl: Unknown.value }] }),
    );
    expect(createdAs(urn, 'it-mount').inputs).toMatchObject({ oidcClientId: Unknown.value });
    expect(createdAs(urn, 'it-a').inputs).toMatchObject({ tokenTtl: Unknown.value });
  });

  test('that comes from a resource makes what is made of it depend on that', async () => {
    const policy = 'urn:pulumi:bench::gatehouse::gatehouse:index:Policy::read';
    const inputs = { ...people, roles: [{ name: 'reader', policies: ['read'] }] };
    const nested = {
      ...people,
      roles: [{ name: 'reader', policies: [outputValue({ value: 'read', dependencies: [policy] })] }],
    };
    const dependencies = new providerPb.ConstructRequest.PropertyDependencies().setUrnsList([policy]);
    const whole = {
      adapt: (request: InstanceType<typeof providerPb.ConstructRequest>) =>
        void request.getInputdependenciesMap().set('roles', dependencies),
    };
    for (const asked of [given(nested), { ...given(inputs), ...whole }]) {
      const { urn } = await host.construct(asked);
      const role = createdAs(urn, 'it-reader');
      expect(role.inputs['tokenPolicies']).toEqual(['read']);
      expect(role.dependenciesList).toContain(policy);
    }
  });

  test('to a plain map by a resource is taken as it is when it is known', async () => {
    const from = outputValue({ value: service as PropertyMap, dependencies: [] });
    const { urn } = await host.construct(given({ ...people, service: from, roles: [{ name: 'reader' }] }));
    expect(createdAs(urn, 'it-reader').inputs['allowedRedirectUris']).toContain(
      'https://secrets.example.com/ui/vault/auth/it/oidc/callback',
    );
  });
});

test('a provider of the program’s own is that of all resources of the component', async () => {
  const provider = 'urn:pulumi:bench::gatehouse::pulumi:providers:vault::mine';
  const adapt = (request: InstanceType<typeof providerPb.ConstructRequest>) =>
    void request.getProvidersMap().set('vault', `${provider}::mine`);
  const { urn } = await host.construct({ ...given({ ...people, roles: [{ name: 'reader' }] }), adapt });
  for (const name of ['it-mount', 'it-reader'])
    expect(createdAs(urn, name).provider).toBe(`${provider}::mine`);
});

/** A program in TypeScript that used the package under a real engine: what was asked of the plugin, and what it registered. */
describe('a recorded run', () => {
  const calls = gunzipSync(readFileSync(new URL('./package-up.grpc.jsonl.gz', import.meta.url)))
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ progress }) => progress === 'response_completed');
  const of = (method: string) => calls.filter((call) => call.method.endsWith(`/${method}`));

  test('asks for the component as before, and it is made of the same', async () => {
    const [{ request, response }] = of('Construct');
    const { urn, state, response: answer } = await host.construct({ ...request, inputs: request.inputs });
    // The earlier form told neither roles nor groups.
    const added = ['groups', 'roles'];
    expect(Object.keys(state).sort()).toEqual([...Object.keys(response.state), ...added].sort());
    expect(state['path']).toBe(response.state.path);
    const streamed = answer
      .getStatedependenciesMap()
      .toObject(true, providerPb.ConstructResponse.PropertyDependencies.toObject);
    const inRecording = (name: string) =>
      of('RegisterResource').find((one) => one.request.name === name && one.request.type.startsWith('vault:'))
        ?.request;
    expect(
      streamed
        .filter(([output]) => !added.includes(output))
        .map(([output, { urnsList }]) => [output, urnsList.map((one) => one.split('::').slice(2))]),
    ).toEqual(
      Object.entries(response.stateDependencies).map(([output, { urns }]: [string, any]) => [
        output,
        urns.map((one: string) => one.split('::').slice(2)),
      ]),
    );
    for (const name of ['people-mount', 'people-reader', 'people-people-admins-group']) {
      const { inputs, additionalsecretoutputsList, deletebeforereplace } = createdAs(urn, name);
      // The monitor's own, and what the program of the recording left to the plugin.
      delete inputs['accessor'];
      delete inputs['boundClaimsType'];
      delete inputs['tune'];
      const before = inRecording(name);
      expect(inputs).toEqual(fromStruct(toStruct(before.object)));
      expect(additionalsecretoutputsList).toEqual(before.additionalSecretOutputs ?? []);
      expect(deletebeforereplace).toBe(before.deleteBeforeReplace ?? false);
    }
  });
});
