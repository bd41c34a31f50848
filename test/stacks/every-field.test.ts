import { expect, test } from '@jest/globals';
import { checkPlan } from '../../packages/cli/src/deployment/check-plan.ts';
import { drift } from '../../packages/cli/src/drift/drift.ts';
import { openNamespaces } from '../../packages/cli/src/open/open-environment.ts';
import { canonicalOf } from '../../packages/core/src/graph/canonical.ts';
import { method, ownConfigFields, tuneFields } from '../../packages/core/src/graph/resources/auth-method.ts';
import { message } from '../../packages/core/src/graph/resources/custom-message.ts';
import { group } from '../../packages/core/src/graph/resources/external-group.ts';
import type { Fields } from '../../packages/core/src/graph/resources/field.ts';
import { policy } from '../../packages/core/src/graph/resources/policy.ts';
import { role } from '../../packages/core/src/graph/resources/role.ts';
import { LocalEngine } from '../../packages/engine/src/local/local-engine.ts';
import { VaultPlugin } from '../../packages/engine/src/plugins/vault/vault-plugin.ts';
import type { Stack } from '../../packages/engine/src/stack.ts';
import { environmentFor } from '../harness/environment-under-test.ts';
import { asOfficial } from '../harness/official-plugin.ts';
import { describeOnEmbeddedService } from '../harness/two-servers.ts';

/** Each field of each resource, set and changed. What a resource must have stays when the rest is removed. */
const values: Record<'set' | 'changed', Record<string, Record<string, unknown>>> = {
  set: {
    role: {
      userClaimJsonPointer: true,
      userClaim: '/sub',
      boundAudiences: ['a'],
      boundSubject: 's',
      boundClaims: { department: ['a', 'b'] },
      boundClaimsType: 'glob',
      groupsClaim: 'groups',
      claimMappings: { name: 'name' },
      oidcScopes: ['https://graph.microsoft.com/.default'],
      allowedRedirectUris: ['http://localhost:8250/oidc/callback'],
      policies: ['secrets-read'],
      ttl: '1h',
      tokenMaxTtl: '2h',
      tokenExplicitMaxTtl: '3h',
      tokenNumUses: 3,
      tokenNoDefaultPolicy: true,
      tokenBoundCidrs: ['10.0.0.0/8'],
      tokenType: 'service',
      clockSkewLeeway: 10,
      expirationLeeway: 10,
      notBeforeLeeway: 10,
      maxAge: '1h',
      verboseOidcLogging: true,
    },
    tune: { defaultLeaseTtl: '1h', maxLeaseTtl: '24h', listingVisibility: 'unauth', tokenType: 'service' },
    other: { tokenType: 'batch' },
    periodic: { tokenPeriod: '1h' },
    config: {
      boundIssuer: 'https://a.example',
      jwtSupportedAlgs: ['RS256'],
      namespaceInState: false,
      oidcResponseTypes: ['id_token'],
    },
    group: { policies: ['secrets-read'], metadata: { team: 'a' } },
    message: {
      endTime: '2027-01-01T00:00:00Z',
      type: 'modal',
      authenticated: false,
      link: { a: 'https://a.example' },
      options: { a: 'b' },
    },
  },
  changed: {
    role: {
      userClaimJsonPointer: true,
      userClaim: '/email',
      boundAudiences: ['b'],
      boundSubject: 't',
      boundClaims: { department: ['c'] },
      boundClaimsType: 'glob',
      groupsClaim: 'teams',
      claimMappings: { name: 'called' },
      oidcScopes: ['https://graph.microsoft.com/.default', 'email'],
      allowedRedirectUris: ['http://localhost:8250/oidc/callback', 'https://b.example/callback'],
      policies: ['secrets-admin'],
      ttl: '2h',
      tokenMaxTtl: '3h',
      tokenExplicitMaxTtl: '4h',
      tokenNumUses: 4,
      tokenNoDefaultPolicy: true,
      tokenBoundCidrs: ['10.0.0.0/16'],
      tokenType: 'service',
      clockSkewLeeway: 20,
      expirationLeeway: 20,
      notBeforeLeeway: 20,
      maxAge: '2h',
      verboseOidcLogging: true,
    },
    tune: {
      defaultLeaseTtl: '2h',
      maxLeaseTtl: '25h',
      listingVisibility: 'hidden',
      tokenType: 'default-batch',
    },
    other: { tokenType: 'service' },
    periodic: { tokenPeriod: '2h' },
    config: {
      boundIssuer: 'https://b.example',
      jwtSupportedAlgs: ['ES256'],
      namespaceInState: false,
      oidcResponseTypes: ['code', 'id_token'],
    },
    group: { policies: ['secrets-admin'], metadata: { team: 'b' } },
    message: {
      endTime: '2028-01-01T00:00:00Z',
      type: 'banner',
      authenticated: true,
      link: { b: 'https://b.example' },
      options: { a: 'c' },
    },
  },
};

const policies = {
  set: 'path "secret/a" { capabilities = ["read"] }',
  changed: 'path "secret/b" { capabilities = ["read"] }',
};

describeOnEmbeddedService('by the official plugin, every field of every resource', (service) => {
  const environment = environmentFor(service);
  const stack = (at: keyof typeof values | undefined): Stack =>
    environment().stack((config) => {
      const { role, other, periodic, tune, config: ofMethod, group, message } = at ? values[at] : {};
      const [staff] = config['providers'];
      config['providers'] = [
        {
          ...staff,
          tune,
          config: ofMethod,
          description: at,
          oidcResponseMode: at && 'form_post',
          roles: [
            { name: 'reader', ...role },
            { name: 'other', ...other },
            { name: 'periodic', ...periodic },
          ],
          groups: [{ ...staff.groups[0], policies: [], ...group }],
        },
      ];
      config['policies'] = [...config['policies'], { name: 'changing', policy: policies[at ?? 'changed'] }];
      const fixed = { title: 'Every field', message: at ?? 'none', startTime: '2026-12-01T00:00:00Z' };
      config['messages'] = [{ ...fixed, ...message }];
      config['clientSecrets'] = { staff: config['clientSecrets'].staff };
      config['serviceAccountKeys'] = {};
      config['promises'] = [];
      config['rules'].disabled['redirect-uri-missing'] = 'no one signs in';
    });
  const plugins = () => ({ vault: async () => asOfficial(new VaultPlugin(environment().env)) });
  const engine = () => new LocalEngine({ env: environment().env, plugins: plugins() });
  const run = async (wanted: Stack, dryRun: boolean, refresh = false) => {
    const request = { stack: wanted, dryRun, refresh, targets: [] };
    const result = await engine().run({ verb: dryRun ? 'preview' : 'up', ...request });
    expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    return result;
  };
  const differing = async (wanted: Stack) =>
    (await drift({ stack: wanted, env: environment().env, unmanaged: false })).differences;

  test.each<[string, keyof typeof values | undefined]>([
    ['set', 'set'],
    ['changed', 'changed'],
    ['removed', undefined],
  ])('is as declared once it is %s', async (_, at) => {
    const wanted = stack(at);
    const plan = await run(wanted, true);
    const { failures } = await checkPlan(wanted, { ...plan, byOfficialPlugin: true }, environment().env);
    const kept = /^Auth method auth\/staff would keep its description/;
    expect(failures).toEqual(at === 'set' ? [] : [expect.stringMatching(kept)]);
    if (at !== 'set') {
      await environment().client.post('sys/auth/staff/tune', { description: at ?? '' });
      expect(await checkPlan(wanted, { ...plan, byOfficialPlugin: true }, environment().env)).toEqual({
        failures: [],
        notes: [],
      });
    }
    await run(wanted, false);
    expect(await differing(wanted)).toEqual([]);
    expect(Object.keys((await run(wanted, true, true)).changes)).toEqual(['same']);
  });

  test('is one of those that were tried', async () => {
    const env = environment().env;
    const [{ graph }] = await openNamespaces(stack('set'), env);
    const set = (fields: Fields, canonical: object[]) => {
      const given = new Set(canonical.flatMap((part) => Object.keys(part)));
      return Object.entries(fields).flatMap(([name, { liveOnly, required }]) =>
        liveOnly || required || given.has(name) ? [] : [name],
      );
    };
    const tunes = graph.methods.map(({ tune = {} }) => tune);
    const all = <Part extends object>(resource: { fields: Fields }, parts: readonly Part[]) =>
      parts.map((part) => canonicalOf(resource as never, part));
    expect({
      role: set(role.fields, all(role, graph.roles)),
      tune: set(tuneFields, tunes),
      config: set(ownConfigFields, all(method, graph.methods)),
      group: set(group.fields, all(group, graph.groups)),
      policy: set(policy.fields, all(policy, graph.policies)),
      message: set(message.fields, all(message, graph.messages)),
    }).toEqual({ role: [], tune: [], config: ['oidcDiscoveryCaPem'], group: [], policy: [], message: [] });
  });
});
