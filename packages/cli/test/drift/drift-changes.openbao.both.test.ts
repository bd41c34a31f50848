import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { certificate } from '../../../../test/harness/certificate.ts';
import { type DevConfig, EnvironmentUnderTest } from '../../../../test/harness/environment-under-test.ts';
import { longTest, someOf } from '../../../../test/harness/long-run.ts';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { started } from '../../../../test/harness/started.ts';
import { drift } from '../../src/drift/drift.ts';

const [pem = '', otherPem = ''] = [1, 2].map(
  () =>
    generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    }).publicKey,
);
const text = `
# Shop
path "secret/data/shop/*" {
  capabilities = ["read", "update"]
  allowed_parameters = { a = ["x", "y"], b = [] }
  required_parameters = ["a", "b"]
}
path "secret/metadata/+" { capabilities = ["list"] }
`;
const rule = (limits: string) => ({
  policy: `path "secret/data/shop/*" { ${limits} }\npath "secret/metadata/+" { capabilities = ["list"] }`,
});
const parameters = 'allowed_parameters = { a = ["x", "y"], b = [] }\nrequired_parameters = ["a", "b"]';

function declared(config: DevConfig): void {
  const people = config['providers'].filter(({ name }: any) => name === 'community');
  config['providers'] = [
    ...people,
    {
      kind: 'jwt',
      name: 'ci',
      issuer: 'https://ci.example',
      publicKeys: [pem, otherPem],
      audiences: ['a', 'b'],
      description: 'Pipelines',
      defaultRole: 'build',
      jwtSupportedAlgs: ['ES256', 'RS256'],
      tune: { defaultLeaseTtl: '1h', maxLeaseTtl: '24h' },
      groups: [{ name: 'Builders', policies: ['shop', 'other'], metadata: { team: 'x' }, alias: 'builders' }],
      roles: [
        {
          name: 'build',
          boundSubject: 's',
          boundClaims: { project: ['1', '2'], env: 'prod' },
          claimMappings: { job: 'job' },
          policies: ['shop', 'other'],
          groupsClaim: 'groups',
          ttl: '1h',
          tokenMaxTtl: '2h',
          tokenExplicitMaxTtl: '3h',
          tokenNumUses: 5,
          clockSkewLeeway: 30,
          tokenBoundCidrs: ['10.0.0.0/8', '192.0.2.1'],
        },
        { name: 'typed', boundClaims: { protected: true, id: 7 }, groupsClaim: '' },
      ],
    },
  ];
  const { community } = config['clientSecrets'];
  config['clientSecrets'] = { community };
  config['groups'] = [{ name: 'all', policies: ['shop'], members: ['Builders', 'maintainers'] }];
  config['policies'] = ['shop', 'other', 'secrets-read', 'secrets-admin'].map((name) => ({
    name,
    policy: text,
  }));
}

describeWithOpenBao('drift of a change made by hand', (server) => {
  /** What puts the last change back. */
  const back: (() => Promise<unknown>)[] = [];
  const found = async () => {
    const stack = environment().stack(declared);
    const { differences, unverifiable } = await drift({ stack, env: environment().env, unmanaged: false });
    expect(unverifiable).toEqual([]);
    return differences.map(({ kind, subject, field }) => `${subject.name} ${field ?? kind}`).sort();
  };
  const read = async (path: string): Promise<Record<string, any>> =>
    (await environment().client.read(path))?.data ?? {};
  const put = (path: string, body: object) => environment().client.put(path, { ...body });
  const remove = (path: string) => environment().client.delete(path);
  const accessorOf = async (mount: string) => (await read(`sys/auth/${mount}`))['accessor'];

  const environment = started(() => EnvironmentUnderTest.start({ ...server(), kind: 'openbao' }));
  beforeAll(async () => {
    const { succeeded, diagnostics } = await environment().run('up', environment().stack(declared));
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect([succeeded, await found()]).toEqual([true, []]);
  });
  afterEach(async () => {
    for (const one of back.splice(0).reverse()) await one();
    expect(await found()).toEqual([]);
  });

  /** Writes some fields of what is at a path, and has the rest as it was. */
  async function change(path: string, fields: object): Promise<void> {
    const { status: _, id, alias: _alias, ...all } = await read(path.replace('/tune', ''));
    const old = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
    if (path.includes('/role/')) {
      back.push(() => remove(path).then(() => put(path, old)));
      await put(path, { ...old, ...fields });
    } else if (path.endsWith('/config')) {
      const given = old['oidc_client_id'] ? { ...old, oidc_client_secret: 'x' } : old;
      back.push(() => put(path, given));
      await put(path, { ...given, ...fields });
    } else if (path.endsWith('/tune')) {
      const none = Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name, Array.isArray(value) ? [] : '']),
      );
      const { config, description } = old;
      back.push(() => put(path, { listing_visibility: 'hidden', ...none, ...config, description }));
      await put(path, fields);
    } else if (path.startsWith('identity')) {
      const { name, policies, metadata = {}, member_group_ids } = old;
      const inside = old['type'] === 'internal' && { member_group_ids };
      back.push(() => put(`identity/group/id/${id}`, { name, policies, metadata, ...inside }));
      await put(`identity/group/id/${id}`, fields);
    } else {
      back.push(() => remove(path).then(() => put(path, { policy: old['policy'] })));
      await put(path, { policy: old['policy'], ...fields });
    }
  }

  const [build, typed, reader] = ['ci/role/build', 'ci/role/typed', 'community/role/contributor'];
  const oidcRole = { role_type: 'oidc', allowed_redirect_uris: ['http://localhost:8250/oidc/callback'] };
  const ca = certificate?.cert ?? '';
  const keysBy = { jwt_validation_pubkeys: [], skip_jwks_validation: true, jwks_url: 'http://127.0.0.1:1/k' };
  const idTokens = { oidc_response_types: ['id_token'], oidc_response_mode: 'form_post' };
  const unasked = { oidc_disable_confirmation: true };
  type Change = [path: string, fields: object, found: string];
  const at = (path: string, ...changes: [fields: object, found: string][]): Change[] =>
    changes.map(([fields, found]) => [path, fields, found]);
  const seen: Change[] = [
    ...Object.entries({
      user_claim: 'email',
      user_claim_json_pointer: true,
      bound_audiences: ['a'],
      bound_subject: '',
      bound_claims: { project: ['1'], env: 'prod' },
      bound_claims_type: 'glob',
      groups_claim: 'teams',
      claim_mappings: { job: 'task' },
      token_policies: ['shop', 'other', 'third'],
      token_ttl: '61m',
      token_max_ttl: 7201,
      token_explicit_max_ttl: '4h',
      token_period: '1h',
      token_num_uses: 0,
      token_no_default_policy: true,
      token_bound_cidrs: ['10.0.0.0/8'],
      token_type: 'service',
      clock_skew_leeway: -1,
      expiration_leeway: 1,
      not_before_leeway: 300,
      verbose_oidc_logging: true,
      token_policies_template_claims: true,
    }).map(([name, value]): Change => [`auth/${build}`, { [name]: value }, `build ${fieldOf(name)}`]),
    ...at(
      `auth/${build}`,
      [oidcRole, 'build allowedRedirectUris, build roleType'],
      [
        { token_bound_cidrs: [], token_strictly_bind_ip: true },
        'build tokenBoundCidrs, build tokenStrictlyBindIp',
      ],
      [{ bound_claims: { project: ['1', '2'] } }, 'build boundClaims'],
      [{ bound_claims: { project: ['1', '2', '3'], env: 'prod' } }, 'build boundClaims'],
      [{ bound_claims: { project: [1, 2], env: 'prod' } }, 'build boundClaims'],
      [{ bound_audiences: ['a', 'B'] }, 'build boundAudiences'],
      [{ token_policies: [] }, 'build policies'],
    ),
    ...at(
      `auth/${typed}`,
      [{ bound_claims: { protected: 'true', id: 7 } }, 'typed boundClaims'],
      [{ bound_claims: { protected: true, id: '7' } }, 'typed boundClaims'],
      [{ groups_claim: 'groups' }, 'typed groupsClaim'],
    ),
    ...at(
      `auth/${reader}`,
      [{ oidc_scopes: ['groups'] }, 'contributor oidcScopes'],
      [{ allowed_redirect_uris: ['https://evil.example/'] }, 'contributor allowedRedirectUris'],
      [{ max_age: 60 }, 'contributor maxAge'],
      [{ callback_mode: 'direct' }, 'contributor callbackMode'],
      [{ oauth2_metadata: ['id_token'] }, 'contributor oauth2Metadata'],
      [
        { callback_mode: 'direct', ...unasked },
        'contributor callbackMode, contributor oidcDisableConfirmation',
      ],
    ),
    ...at(
      'auth/ci/config',
      [{ jwt_validation_pubkeys: [pem] }, 'ci jwtValidationPubkeys'],
      [{ bound_issuer: '' }, 'ci boundIssuer'],
      [{ default_role: 'typed' }, 'ci defaultRole'],
      [{ jwt_supported_algs: ['ES256'] }, 'ci jwtSupportedAlgs'],
      [keysBy, 'ci jwksUrl, ci jwtValidationPubkeys'],
      [{ ...keysBy, jwks_ca_pem: ca }, 'ci jwksCaPem, ci jwksUrl, ci jwtValidationPubkeys'],
    ),
    ...at(
      'auth/community/config',
      [{ oidc_client_id: 'other' }, 'community oidcClientId'],
      [{ oidc_response_mode: 'form_post' }, 'community oidcResponseMode'],
      [idTokens, 'community oidcResponseMode, community oidcResponseTypes'],
      [{ oidc_discovery_ca_pem: ca }, 'community oidcDiscoveryCaPem'],
      [{ namespace_in_state: false }, 'community namespaceInState'],
      [{ override_allowed_server_names: ['x'] }, 'community overrideAllowedServerNames'],
      [{ provider_config: { provider: 'azure' } }, 'community providerConfig'],
    ),
    ...at(
      'sys/auth/ci/tune',
      [{ description: 'Other' }, 'ci description'],
      [{ default_lease_ttl: '2h' }, 'ci tune.defaultLeaseTtl'],
      [{ max_lease_ttl: '25h' }, 'ci tune.maxLeaseTtl'],
      [{ listing_visibility: 'unauth' }, 'ci tune.listingVisibility'],
      [{ token_type: 'batch' }, 'ci tune.tokenType'],
      [{ passthrough_request_headers: ['x-a'] }, 'ci tune.passthroughRequestHeaders'],
      [{ allowed_response_headers: ['x-a'] }, 'ci tune.allowedResponseHeaders'],
      [{ audit_non_hmac_request_keys: ['jwt'] }, 'ci tune.auditNonHmacRequestKeys'],
      [{ audit_non_hmac_response_keys: ['x'] }, 'ci tune.auditNonHmacResponseKeys'],
    ),
    ['identity/group/name/builders', { policies: ['shop'] }, 'Builders policies'],
    ['identity/group/name/builders', { metadata: { team: 'y' } }, 'Builders metadata'],
    ['identity/group/name/builders', { metadata: {} }, 'Builders metadata'],
    ['identity/group/name/builders', { name: 'Stolen' }, 'Builders missing, all members, builders group'],
    ['identity/group/name/all', { policies: ['shop', 'other'] }, 'all policies'],
    ['identity/group/name/all', { member_group_ids: [] }, 'all members'],
    ...[
      rule(`capabilities = ["read"]\n${parameters}`),
      rule(`capabilities = ["read", "update", "sudo"]\n${parameters}`),
      rule('capabilities = ["deny"]'),
      rule('capabilities = ["read", "update"]'),
      { policy: text.replace('["a", "b"]', '["a"]') },
      { policy: text.replace('["x", "y"]', '["x"]') },
      { policy: text.replace('shop/*', 'shop*') },
      { policy: text.replace('metadata/+', 'metadata/*') },
      { policy: `${text}path "sys/*" { capabilities = ["read"] }` },
    ].map((policy): Change => ['sys/policies/acl/shop', policy, 'shop text']),
    ...at(
      'sys/policies/acl/shop',
      [{ ttl: '1h' }, 'shop expiration'],
      [{ allow_wildcards_in_identity_templates: true }, 'shop allowWildcardsInIdentityTemplates'],
      [{ allow_slashes_in_identity_templates: true }, 'shop allowSlashesInIdentityTemplates'],
    ),
  ];
  describe('is found', () => {
    longTest.each(someOf(4, seen))('%s %j', async (path, fields, expected) => {
      await change(path, fields);
      expect(await found()).toEqual(expected.split(', '));
    });

    const client = () => environment().client;
    const group = async (name: string) => read(`identity/group/name/${name}`);
    const createGroup = async (fields: object) => {
      const { data } = await client().post('identity/group', { ...fields });
      back.push(() => remove(`identity/group/id/${data['id']}`));
      return String(data['id']);
    };
    const alias = async (fields: object) => {
      const { id, name, mount_accessor, canonical_id } = (await group('builders'))['alias'];
      const was = { name, mount_accessor, canonical_id };
      back.push(() => put(`identity/group-alias/id/${id}`, was));
      await put(`identity/group-alias/id/${id}`, { ...was, ...fields });
    };
    test.each<[string, () => Promise<unknown>, string]>([
      [
        'a role that is gone',
        async () => {
          const old = await read(`auth/${typed}`);
          back.push(() => put(`auth/${typed}`, old));
          await remove(`auth/${typed}`);
        },
        'typed missing',
      ],
      [
        'a policy that is gone',
        async () => {
          back.push(() => put('sys/policies/acl/other', { policy: text }));
          await remove('sys/policies/acl/other');
        },
        'other missing',
      ],
      [
        'the text of default',
        async () => {
          const { policy } = await read('sys/policies/acl/default');
          back.push(() => put('sys/policies/acl/default', { policy }));
          await put('sys/policies/acl/default', { policy: `${policy}${text}` });
        },
        'default text',
      ],
      [
        'an alias that is gone',
        async () => {
          const { id, ...was } = (await group('builders'))['alias'];
          back.push(() => put('identity/group-alias', was));
          await remove(`identity/group-alias/id/${id}`);
        },
        'builders missing',
      ],
      ['an alias of another name', () => alias({ name: 'others' }), 'builders missing, others added'],
      [
        'an alias elsewhere',
        async () => alias({ mount_accessor: await accessorOf('community') }),
        'builders added, builders missing',
      ],
      [
        'an alias of another group',
        async () => alias({ canonical_id: await createGroup({ name: 'thieves', type: 'external' }) }),
        'builders group',
      ],
      [
        'a group around a declared one',
        async () => {
          const { id } = await group('builders');
          await createGroup({ name: 'around', policies: ['x'], member_group_ids: [id] });
        },
        'around added',
      ],
      [
        'an entity in a group of groups',
        async () => {
          const { data } = await client().post('identity/entity', { name: 'eve' });
          back.push(() => client().delete(`identity/entity/id/${data['id']}`));
          await change('identity/group/name/all', { member_entity_ids: [data['id']] });
          back.push(async () =>
            put(`identity/group/id/${(await group('all'))['id']}`, { member_entity_ids: [] }),
          );
        },
        'all members',
      ],
      [
        'a group of groups that is gone',
        async () => {
          const { id, name, policies, member_group_ids } = await group('all');
          back.push(() => client().post('identity/group', { name, policies, member_group_ids }));
          await remove(`identity/group/id/${id}`);
        },
        'all missing',
      ],
    ])('%s', async (_, make, expected) => {
      await make();
      expect(await found()).toEqual(expected.split(', '));
    });
  });

  const turned = text.replace('["a", "b"]', '["b", "a"]').replace('["x", "y"]', '["y", "x"]');
  const inJson = {
    'secret/metadata/+': { capabilities: ['list'] },
    'secret/data/shop/*': {
      capabilities: ['read', 'update'],
      required_parameters: ['a', 'b'],
      allowed_parameters: { b: [], a: ['x', 'y'] },
    },
  };
  test.each<[path: string, fields: object]>([
    [`auth/${build}`, { token_policies: ['other', 'shop'] }],
    [`auth/${build}`, { token_policies: ['SHOP', 'other', 'shop'] }],
    [`auth/${build}`, { bound_audiences: ['b', 'a', 'a'] }],
    [`auth/${build}`, { bound_claims: { env: ['prod'], project: ['2', '1'] } }],
    [`auth/${build}`, { token_ttl: '3600s', token_max_ttl: '120m', token_explicit_max_ttl: 10800 }],
    [`auth/${build}`, { token_bound_cidrs: ['192.0.2.1/32', '10.0.0.0/8'] }],
    [`auth/${build}`, { token_type: 'default', bound_claims_type: 'string', token_period: 0 }],
    [`auth/${build}`, { user_claim_json_pointer: false, token_no_default_policy: false, max_age: 0 }],
    [`auth/${typed}`, { bound_claims: { id: [7], protected: [true] } }],
    ['auth/ci/config', { jwt_validation_pubkeys: [otherPem.trim(), `\n${pem}`] }],
    ['auth/ci/config', { jwt_supported_algs: ['RS256', 'ES256'], default_role: 'BUILD' }],
    ['auth/community/config', { oidc_response_mode: 'query', oidc_response_types: ['code'] }],
    ['sys/auth/ci/tune', { default_lease_ttl: '60m', max_lease_ttl: 86400, token_type: 'default-service' }],
    ['identity/group/name/builders', { policies: ['Other', 'shop'] }],
    ['identity/group/name/builders', { name: 'BUILDERS' }],
    ['sys/policies/acl/shop', { policy: text.replace('# Shop', '// of ours').replace(/^ +/gm, '\t') }],
    ['sys/policies/acl/shop', rule(`${parameters}\ncapabilities = ["update", "read", "read"]`)],
    ['sys/policies/acl/shop', { policy: turned }],
    ['sys/policies/acl/shop', { policy: JSON.stringify({ path: inJson }) }],
    ['sys/policies/acl/shop', { allow_slashes_in_identity_templates: false, cas_required: false }],
  ])('is none where it means the same: %s %j', async (path, fields) => {
    await change(path, fields);
    expect(await found()).toEqual([]);
  });
});

/** The field of the model that a role's name on the wire is of. */
function fieldOf(wire: string): string {
  const own: Record<string, string> = { token_policies: 'policies', token_ttl: 'ttl' };
  return own[wire] ?? wire.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
