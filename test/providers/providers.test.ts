import { describe, expect, test } from '@jest/globals';
import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { declareProvider } from '../../packages/core/src/environment/declared.ts';
import { kinds, type ProviderKind, providerKinds } from '../../packages/core/src/graph/kinds/kinds.ts';
import { componentName } from '../../providers/providers.ts';
import { StackProvider } from '../../providers/stack-provider.ts';
import { named, ofType, register, secret, unknown } from '../harness/pulumi-mocks.ts';
import { fromOutputs, make, plainArgs, service } from './provider-fixture.ts';

const stackService = { ...service, dialect: 'vault', features: { messages: true } } as const;

/** The plain arguments as a stack file has them. */
function settingsOf(kind: ProviderKind) {
  const { service: _service, clientSecret: _secret, ...settings } = plainArgs[kind];
  return kinds[kind].settings.parse({ ...settings, kind, name: 'it' });
}

/** What the kind's rules, and nothing else, make of the plain arguments. */
function declaredFrom(kind: ProviderKind) {
  return declareProvider(settingsOf(kind), stackService);
}

describe.each(providerKinds)('%s', (kind) => {
  const type = `gatehouse:index:${componentName(kind)}`;

  test('is the same in a stack, from the declared graph', async () => {
    const { clientSecret } = plainArgs[kind];
    const stack = { declared: declaredFrom(kind), service: stackService, additions: { clientSecret } };
    const registered = await register(() => new StackProvider(settingsOf(kind), stack, {}));
    const same = await register(() => make(kind, plainArgs[kind]));
    // But for what the component itself is given and tells, which nothing in a stack reads.
    const withoutOwn = (one: (typeof registered)[number]) =>
      one.type === type ? { ...one, inputs: {}, outputs: {} } : one;
    expect(registered.map(withoutOwn)).toEqual(same.map(withoutOwn));
  });

  test('registers its component, the auth method below it, and below that the mount and the roles', async () => {
    const registered = await register(() => make(kind, plainArgs[kind]));
    const method = `${type}$gatehouse:index:AuthMethod`;
    const { roles } = declaredFrom(kind);
    expect(registered.map(({ type, name, parent }) => [type, name, parent]).sort()).toEqual(
      [
        [type, 'it', ''],
        ['gatehouse:index:AuthMethod', 'it', 'it'],
        ['vault:jwt/authBackend:AuthBackend', 'it-mount', 'it'],
        ...roles.map(({ name }) => ['vault:jwt/authBackendRole:AuthBackendRole', `it-${name}`, 'it']),
      ].sort(),
    );
    expect(registered.map(({ urn }) => urn)).toContain(`urn:pulumi:test::gatehouse::${method}::it`);
  });

  test('says its path, accessor and roles at the end, and has its arguments in state, secrets marked', async () => {
    const registered = await register(() => make(kind, plainArgs[kind]));
    const component = registered.find((registration) => registration.type === type);
    const { method, roles } = declaredFrom(kind);
    expect(component?.outputs).toMatchObject({
      path: method.path,
      accessor: 'accessor-of-it-mount',
      roles: Object.fromEntries(roles.map(({ name }) => [name, `it-${name}-id`])),
      groups: {},
    });
    const { clientSecret } = plainArgs[kind];
    expect(component?.inputs).toEqual({
      ...plainArgs[kind],
      ...(clientSecret !== undefined && { clientSecret: secret(clientSecret) }),
    });
  });

  test('configures the method as the kind’s rules say, its client secret a secret', async () => {
    const { inputs } = named(await register(() => make(kind, plainArgs[kind])), 'it-mount');
    const { method } = declaredFrom(kind);
    const { providerConfig: _config, ...config } = method.config;
    expect(inputs).toMatchObject({ ...config, path: method.path, type: method.type });
    const given = plainArgs[kind]['clientSecret'];
    expect(inputs['oidcClientSecret']).toEqual(given === undefined ? undefined : secret(given));
  });

  test('registers, from outputs, what it registers from plain values', async () => {
    const plain = await register(() => make(kind, plainArgs[kind]));
    const lifted = await register(() => make(kind, fromOutputs(plainArgs[kind])));
    // What an output holds is not known when the options are registered.
    const comparable = ({ dependencies: _, replaceOnChanges: __, ...rest }: (typeof plain)[number]) => rest;
    expect(lifted.map(comparable)).toEqual(plain.map(comparable));
  });

  test('registers every role in a preview that does not know its arguments yet', async () => {
    const later = () => pulumi.output(new vault.Policy('later', { policy: 'x' }).id);
    const args = () => ({ ...plainArgs[kind], description: later() });
    const registered = await register(() => make(kind, args()), { preview: true });
    expect(ofType(registered, 'AuthBackendRole')).toHaveLength(plainArgs[kind]['roles'].length);
    expect(named(registered, 'it-mount').inputs['description']).toBe(unknown);
  });

  test('puts everything below the plugin resource it is given', async () => {
    const registered = await register(() => {
      const plugin = new vault.Provider('service', { address: service.address });
      return make(kind, plainArgs[kind], { providers: [plugin] });
    });
    const ours = registered.filter(({ type }) => type.startsWith('vault:'));
    expect(new Set(ours.map(({ provider }) => provider.split('::').slice(-2).join('::')))).toEqual(
      new Set(['service::service-id']),
    );
  });

  test('refuses, at once, arguments that are not right, with their paths', async () => {
    await expect(
      register(() => make(kind, { ...plainArgs[kind], path: '/x/', color: 'red' })),
    ).rejects.toThrow(
      expect.objectContaining({
        code: 'provider_invalid',
        message: `${kind} "it": the arguments of this provider are not valid:\n  path: a path has no blanks and no slash at its ends\n  unknown key \`color\``,
      }),
    );
  });
});

describe('the groups of a provider', () => {
  const groups = [
    { name: 'admins', alias: 'owners', policies: ['admin'], metadata: { team: 'a' } },
    { name: 'staff', alias: 'everyone' },
  ];
  const args = { ...plainArgs.source_hosting, groups };

  test('are an external group and an alias each, tied to the method’s accessor', async () => {
    const registered = await register(() => make('source_hosting', args));
    expect(named(registered, 'it-admins-group').inputs).toEqual({
      name: 'admins',
      type: 'external',
      policies: ['admin'],
      metadata: { team: 'a' },
    });
    expect(named(registered, 'it-owners-groupalias').inputs).toEqual({
      name: 'owners',
      mountAccessor: 'accessor-of-it-mount',
      canonicalId: 'it-admins-group-id',
    });
    const parents = ['Group', 'GroupAlias'].flatMap((type) =>
      ofType(registered, type).map(({ parent }) => parent),
    );
    expect(parents).toEqual(['it', 'it', 'it', 'it']);
    const component = registered.find(({ type }) => type === 'gatehouse:index:SourceHosting');
    expect(component?.outputs?.['groups']).toEqual({
      admins: 'it-admins-group-id',
      staff: 'it-staff-group-id',
    });
    expect(named(registered, 'it-staff-group').inputs).toEqual({
      name: 'staff',
      type: 'external',
      policies: [],
    });
  });

  test('come out the same from outputs, but that an alias that is one cannot name its resource', async () => {
    const plain = await register(() => make('source_hosting', args));
    const lifted = await register(() => make('source_hosting', fromOutputs(args)));
    const inputs = (registered: typeof plain) =>
      registered.map(({ inputs }) => JSON.stringify(inputs)).sort();
    expect(inputs(lifted)).toEqual(inputs(plain));
    expect(named(lifted, 'it-admins-alias').inputs['name']).toBe('owners');
  });

  test('are without an alias where none is given', async () => {
    const given = { ...args, groups: [{ name: 'later' }, ...groups] };
    for (const each of [given, fromOutputs(given)]) {
      const registered = await register(() => make('source_hosting', each));
      expect(ofType(registered, 'Group').map(({ name }) => name)).toHaveLength(3);
      expect(ofType(registered, 'GroupAlias').map(({ inputs }) => inputs['name'])).toHaveLength(2);
    }
  });
});

describe('a role of a provider', () => {
  test('depends on the mount, so that replacing the mount replaces it', async () => {
    const registered = await register(() => make('source_hosting', plainArgs.source_hosting));
    expect(named(registered, 'it-reader')).toMatchObject({
      inputs: { backend: 'it' },
      dependencies: ['it-mount'],
    });
  });

  test('is one that can hold all of its bound claims, those of its kind too', async () => {
    const role = { name: 'build', projectId: '1', ref: ['a,b', 'main'] };
    const { audience } = plainArgs.gitlab_ci;
    const registered = await register(() => make('gitlab_ci', { service, audience, roles: [role] }));
    expect(named(registered, 'it-build').type).toBe('vault:generic/endpoint:Endpoint');
  });
});
