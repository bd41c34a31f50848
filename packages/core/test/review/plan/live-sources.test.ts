import { describe, expect, test } from '@jest/globals';
import type { LiveService } from '../../../src/review/plan/live-service.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { unmodeledBetween } from '../../../src/review/plan/unmodeled-parts.ts';
import { review } from '../../../src/review/review.ts';
import { alsoWords } from '../../../src/words/also-words.ts';
import { certificatePem } from '../../pems.ts';
import { change, graph } from '../../worlds.ts';
import { now } from '../graphs.ts';
import { entry, terraform } from './terraform.ts';

/** A whole service: people, and what they sign in to by what it hands out. */
const service = `complete
  complete roles:self
  complete others:people
  complete others:cert
  method self jwksUrl: https://vault.example/v1/identity/oidc/.well-known/keys
  role self/adm a boundAudiences: [vault], boundClaims: {team: admin}
  mount people userpass
  user people/ann ask
  mount cert cert
  policy a: kv/admin read`;
const asking = (rule: string) => `${service}\n policy ask: ${rule}`;
const certificate = JSON.stringify(certificatePem);
const ofAuthority = `cert cert/adm a certificate: ${certificate}, allowed_common_names: [adm.example.com]`;
const tokens = asking('identity/oidc/token/w read');
const dev = `clientId: vault, template: '{"team":"dev"}'`;
const admin = `clientId: vault, template: '{"team":"admin"}'`;

const live = (text: string, namespace = ''): LiveService => ({
  namespace,
  graph: graph(text),
  ids: { mount: {}, group: {}, entity: {} },
  missing: [],
});

/** The lists of a service that has other namespaces. */
const readInNamespace = 'methods groups aliases policies identities others guards credentials';

/** What a review of these entries says on top of a service. */
function judged(text: string, entries: object[], otherNamespaces: LiveService[] = []) {
  const { gains, access } = review(readPlan(terraform(entries)), {
    now,
    live: { ...live(text), otherNamespaces },
  });
  const lines = access.flatMap(({ principals: { name }, also }) =>
    also.flatMap(({ about, what }) => (about === 'credentials' ? `${name} ${alsoWords(what)}` : [])),
  );
  return { gains, lines };
}

const tokenRole = (template: string, rest: object = {}) => ({
  name: 'w',
  key: 'k',
  client_id: 'vault',
  template,
  ...rest,
});
const entity = (rest: object) =>
  entry('vault_identity_entity.ann', {
    before: { id: 'e', name: 'ann', policies: [], metadata: {} },
    after: { id: 'e', name: 'ann', policies: [], metadata: {}, ...rest },
  });
const inTeam = entity({ metadata: { team: 'admin' } });
const pkiRole = (rest: object) => ({ backend: 'pki', name: 'web', allow_any_name: false, ...rest });
const anyName = entry('vault_pki_secret_backend_role.web', {
  before: pkiRole({}),
  after: pkiRole({ allow_any_name: true }),
});

describe('a plan on top of a service with sources', () => {
  test('says who gains by a role of the service, and by one that the plan changes', () => {
    const byToken = 'user ann of people (userpass) reads identity/oidc/token/w';
    const line = `${byToken}, which signs in as role self/adm: gains read kv/admin`;
    const policy = (text: string) => ({ id: 'ask', name: 'ask', policy: text });
    const newlyAsked = entry('vault_policy.ask', {
      before: policy('path "kv/other" { capabilities = ["read"] }'),
      after: policy('path "identity/oidc/token/w" { capabilities = ["read"] }'),
    });
    const there = `${asking('kv/other read')}\n identity-token w ${admin}`;
    expect(judged(there, [newlyAsked])).toEqual({ gains: 'some', lines: [line] });
    const template = entry('vault_identity_oidc_role.w', {
      before: tokenRole('{"team":"dev"}'),
      after: tokenRole('{"team":"admin"}'),
    });
    expect(judged(`${tokens}\n identity-token w ${dev}`, [template])).toEqual({
      gains: 'some',
      lines: [line],
    });
  });

  test('a role that the plan makes takes the place of one of the service', () => {
    const newRole = entry('vault_identity_oidc_role.w', { after: tokenRole('{"team":"admin"}') });
    expect(judged(`${tokens}\n identity-token w ${admin}, key: k`, [newRole]).lines).toEqual([]);
  });

  test('a role with another key may newly be signed for: a key signs for some audiences', () => {
    const otherKey = entry('vault_identity_oidc_role.w', {
      before: tokenRole('{"team":"admin"}', { key: 'other' }),
      after: tokenRole('{"team":"admin"}'),
    });
    expect(judged(`${tokens}\n identity-token w ${admin}, isUnsigned: true`, [otherKey]).gains).toBe('some');
  });

  test.each(['secret/one', 'team/kv/one', 'a/b/c/one'])(
    'a credential at %s is read with versions and without them',
    (path) => {
      const secretId = 'vault_approle_auth_backend_role_secret_id.s';
      const kept = {
        address: 'vault_generic_secret.k',
        expressions: { data_json: { references: [`${secretId}.secret_id`, secretId] } },
      };
      const app = { backend: 'apps', role_name: 'app' };
      const plan = terraform(
        [
          entry(secretId, { before: app, after: app, actions: ['no-op'] }),
          entry('vault_generic_secret.k', { after: { path }, after_unknown: { data_json: true } }),
        ],
        { configuration: { root_module: { resources: [kept] } } },
      );
      const mount = path.slice(0, path.lastIndexOf('/'));
      for (const pattern of [`${mount}/*`, `${mount}/data/*`, `${mount}/data/one`]) {
        const apps = `${asking(`${pattern} read`)}\n complete others:apps\n mount apps approle\n approle apps/app a`;
        expect(review(readPlan(plan), { now, live: live(apps) }).gains).toBe('some');
      }
    },
  );

  test('a credential in the place of another is a gain, unless the same people sign in with it', () => {
    const secretId = (role: string) => ({ backend: 'apps', role_name: role, secret_id: 'abcdefgh' });
    const place = { mount: 'kv', name: 'c' };
    const kept = entry('vault_kv_secret_v2.c', {
      before: { ...place, data_json: '{"a":"abcdefgh"}' },
      after: place,
      after_unknown: { data_json: true },
    });
    const references = ['vault_approle_auth_backend_role_secret_id.s.secret_id'];
    const resource = { address: 'vault_kv_secret_v2.c', expressions: { data_json: { references } } };
    const apps = `${asking('kv/data/c read')}\n complete others:apps\n mount apps approle\n approle apps/low -\n approle apps/adm a`;
    const gainsTo = (role: string) => {
      const { secret_id: _, ...after } = secretId(role);
      const replaced = entry('vault_approle_auth_backend_role_secret_id.s', {
        before: secretId('low'),
        after,
        after_unknown: { secret_id: true },
        actions: ['delete', 'create'],
      });
      const plan = terraform([replaced, kept], {
        configuration: { root_module: { resources: [resource] } },
      });
      return review(readPlan(plan), { now, live: live(apps) }).gains;
    };
    expect([gainsTo('low'), gainsTo('adm')]).toEqual(['none', 'some']);
  });

  test.each<[what: string, text: string, entries: object[]]>([
    [
      'a key that newly signs for a role',
      `${tokens}\n identity-token w ${admin}, isUnsigned: true`,
      [
        entry('vault_identity_oidc_key.k', {
          before: { name: 'k', allowed_client_ids: [] },
          after: { name: 'k', allowed_client_ids: ['vault'] },
        }),
      ],
    ],
    [
      'a text that a template reads',
      `${tokens}\n entity ann -\n identity-token w clientId: vault, template: '{"team": {{identity.entity.metadata.team}} }'`,
      [inTeam],
    ],
    [
      'a map that a template reads, and a bound within it',
      `${tokens.replace('{team: admin}', '{/meta/team: admin}')}\n entity ann -\n identity-token w clientId: vault, template: '{"meta": {{identity.entity.metadata}} }'`,
      [inTeam],
    ],
    [
      'a map that a template reads, and a user claim within it',
      `${tokens.replace('boundClaims: {team: admin}', 'userClaim: /meta/team')}\n entity ann -\n identity-token w clientId: vault, template: '{"meta": {{identity.entity.metadata}} }'`,
      [inTeam],
    ],
    [
      'keys of the service that were given to a method',
      `${tokens.replace('jwksUrl: https://vault.example/v1/identity/oidc/.well-known/keys', 'jwtValidationPubkeys: [key]')}\n entity ann -\n identity-token w clientId: vault, template: '{"team": {{identity.entity.metadata.team}} }'`,
      [inTeam],
    ],
    [
      'keys by another spelling of their address',
      `${tokens.replace('identity/oidc/.well-known/keys', 'x/../identity%2f%6fidc//.well-known/keys?x=%')}\n entity ann -\n identity-token w clientId: vault, template: '{"team": {{identity.entity.metadata.team}} }'`,
      [inTeam],
    ],
    ['a role of a method that is a program', `${tokens}\n entity ann -\n program self/any`, [inTeam]],
    [
      'a service whose sources were not read',
      `${tokens.replace(/^complete\n/, 'complete methods groups aliases policies identities others namespaces\n')}\n entity ann -`,
      [inTeam],
    ],
    [
      'another default authority',
      `${asking('pki/issue/web update')}\n ${ofAuthority}\n pki-role pki/web allow_any_name: true\n pki-engine pki authorities: ${certificate}`,
      [
        entry('vault_pki_secret_backend_config_issuers.pki', {
          before: { backend: 'pki', default: 'one' },
          after: { backend: 'pki', default: 'two' },
        }),
      ],
    ],
    [
      'an authority that newly signs',
      `${asking('pki/issue/web update')}\n ${ofAuthority}\n pki-role pki/web allow_any_name: true\n pki-engine pki authorities: ${certificate}`,
      [
        entry('vault_pki_secret_backend_issuer.one', {
          before: { backend: 'pki', issuer_ref: 'one', usage: 'read-only' },
          after: { backend: 'pki', issuer_ref: 'one', usage: 'read-only,issuing-certificates' },
        }),
      ],
    ],
    [
      'names that no one in sight may ask for, of an engine that was not read',
      `${asking('kv/other read')}\n ${ofAuthority}\n pki-role pki/web allow_any_name: false`,
      [anyName],
    ],
    [
      'names that no one in sight may ask for, of an engine that takes orders from anyone',
      `${asking('kv/other read')}\n ${ofAuthority}\n pki-role pki/web allow_any_name: false\n pki-engine pki authorities: ${certificate}\n acme pki default_directory_policy: role:web`,
      [anyName],
    ],
    [
      'a role that is written to its path',
      `${tokens}\n identity-token w ${dev}`,
      [
        entry('vault_generic_endpoint.w', {
          after: { path: 'identity/oidc/role/w', data_json: JSON.stringify(tokenRole('{"team":"admin"}')) },
        }),
      ],
    ],
    [
      'a role of certificates that is written to its path',
      `${asking('pki/issue/web update')}\n ${ofAuthority}\n pki-role pki/web allow_any_name: false\n pki-engine pki authorities: ${certificate}`,
      [
        entry('vault_generic_endpoint.w', {
          after: { path: 'pki/roles/web', data_json: '{"allow_any_name":true}' },
        }),
      ],
    ],
    [
      'an authority that is brought in',
      `${asking('pki/issue/web update')}\n ${ofAuthority}\n pki-role pki/web allow_any_name: true\n pki-engine pki authorities: []`,
      [
        entry('vault_generic_endpoint.w', {
          after: { path: 'pki/issuers/import/bundle', data_json: '{"pem_bundle":"x"}' },
        }),
      ],
    ],
    [
      'a role of another name, where any may be asked for',
      `${asking('pki/issue/* update')}\n ${ofAuthority}\n pki-engine pki authorities: ${certificate}`,
      [entry('vault_pki_secret_backend_role.new', { after: pkiRole({ name: 'new', allow_any_name: true }) })],
    ],
    [
      'a role that a template of a policy may name',
      `${asking('pki/issue/{{identity.entity.name}} update')}\n ${ofAuthority}\n pki-role pki/web allow_any_name: false\n pki-engine pki authorities: ${certificate}`,
      [anyName],
    ],
    [
      'the alias of a person, who is another entity then',
      `${tokens}\n entity ann -\n entity bob -\n identity-token w ${admin}`,
      [
        entry('vault_identity_entity_alias.ann', {
          before: { id: 'x', name: 'ann', mount_accessor: 'acc', canonical_id: 'e1' },
          after: { id: 'x', name: 'ann', mount_accessor: 'acc', canonical_id: 'e2' },
        }),
      ],
    ],
    [
      'a client of the service as a provider',
      `${tokens}\n identity-token w ${dev}`,
      [entry('vault_identity_oidc_client.c', { after: { name: 'c', key: 'k', assignments: ['allow_all'] } })],
    ],
    [
      'a client audience that a role of the method lets in',
      `${tokens}\n identity-token w clientId: other, template: '{"team":"admin"}'`,
      [
        entry('vault_identity_oidc_role.w', {
          before: tokenRole('{"team":"admin"}', { client_id: 'other' }),
          after: tokenRole('{"team":"admin"}'),
        }),
      ],
    ],
    [
      'a service with other namespaces',
      `${asking('kv/other read').replace(/^complete\n/, `complete ${readInNamespace}\n`)}\n pki-role pki/web allow_any_name: false\n pki-engine pki authorities: ${certificate}`,
      [anyName],
    ],
  ])('%s: no one is not the answer', (_, text, entries) => {
    expect(judged(text, entries).gains).not.toBe('none');
  });

  test.each<[what: string, text: string, entries: object[]]>([
    ['a text of an entity, and no identity tokens', `${tokens}\n entity ann -`, [inTeam]],
    [
      'a text of an entity, and identity tokens that no role lets in',
      `${tokens}\n entity ann -\n identity-token w ${dev}`,
      [inTeam],
    ],
    [
      'a text of an entity, and a key that signs for no role',
      `${tokens}\n entity ann -\n identity-token w ${admin}, isUnsigned: true`,
      [inTeam],
    ],
    [
      'names that no one may ask for, of an engine that was read',
      `${asking('kv/other read')}\n ${ofAuthority}\n pki-role pki/web allow_any_name: false\n pki-engine pki authorities: ${certificate}`,
      [anyName],
    ],
  ])('%s: no one gains', (_, text, entries) => {
    expect(judged(text, entries)).toEqual({ gains: 'none', lines: [] });
  });
});

test('a text of a person that a template reads stays open between two snapshots, too', () => {
  const between = change(
    `${tokens}\n identity-token w clientId: vault, template: '{"team": {{identity.entity.metadata.team}} }'\n ~ entity ann - → metadata: {team: admin}`,
  );
  expect(unmodeledBetween(between).map(({ effect }) => effect)).toEqual([
    { of: 'identity-tokens', methods: ['self'] },
  ]);
  expect(unmodeledBetween({ ...between, after: between.before })).toEqual([]);
});

test('clients of a service as a provider, which no snapshot has, stay open between two', () => {
  const complete = `complete ${readInNamespace.replace(' credentials', '')}\n`;
  const hasClients = change(`${tokens.replace(/^complete\n/, complete)}\n entity ann -`);
  expect(unmodeledBetween(hasClients)).toHaveLength(1);
});

describe('a method of another namespace', () => {
  const methods = (path: string) => `complete
    complete roles:${path}
    method ${path} jwksUrl: https://vault.example/v1/identity/oidc/.well-known/keys
    role ${path}/adm a boundAudiences: [vault], boundClaims: {team: admin}`;
  const template = (before: string, after: string) =>
    entry('vault_identity_oidc_role.w', { before: tokenRole(before), after: tokenRole(after) });

  test.each([
    ['of another name', 'other'],
    ['of the same name', 'self'],
  ])('%s may trust what a plan changes here', (_, path) => {
    const changed = template('{"team":"dev"}', '{"team":"ops"}');
    const there = `${asking('kv/other read')}\n identity-token w ${dev}`;
    expect(judged(there, [changed]).gains).toBe('none');
    expect(judged(there, [changed], [live(methods(path), 'team')]).gains).toBe('unknown');
  });

  test('may have people who ask here: what no one asks for in a namespace is open', () => {
    const role = (template: string) => ({ ...tokenRole(template), namespace: 'team' });
    const changed = entry('vault_identity_oidc_role.w', {
      before: role('{"team":"dev"}'),
      after: role('{"team":"admin"}'),
    });
    const team = `${asking('kv/other read')}\n identity-token w ${dev}`;
    const inNamespace = team.replace(/^complete\n/, `complete ${readInNamespace}\n`);
    const above = `complete ${readInNamespace}
      complete others:people
      mount people userpass
      user people/ann ask
      policy ask: team/identity/oidc/token/w read`;
    expect(judged(above, [changed], [live(inNamespace, 'team')]).gains).toBe('unknown');
    expect(
      judged(team, [
        entry('vault_identity_oidc_role.w', {
          before: tokenRole('{"team":"dev"}'),
          after: tokenRole('{"team":"admin"}'),
        }),
      ]).gains,
    ).toBe('none');
  });
});
