import { describe, expect, test } from '@jest/globals';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { review } from '../../../src/review/review.ts';
import { reasonWords } from '../../../src/words/reason-words.ts';
import { entries } from '../../worlds.ts';
import { now } from '../graphs.ts';
import { reviewOn } from './service-under-plan.ts';
import { terraform } from './terraform.ts';
import { linesOf } from './unmodeled-lines.ts';

const ownKeys = 'jwks_url: https://vault.example/v1/identity/oidc/.well-known/keys';
const token = (fields: string) => `identity_oidc_role.w name: w, key: k, ${fields}`;
const pki = (fields: string) => `pki_secret_backend_role.web backend: pki, name: web, ${fields}`;
const widened = `~ ${pki('allow_any_name: false')} → allow_any_name: true`;
const acme = 'pki_secret_backend_config_acme.c backend: pki';
const reviewer = 'kubernetes_auth_backend_config.c backend: k8s, kubernetes_host: https://k8s.example';
const byTokens = 'by identity tokens of this service (identity oidc role w)';
const byCertificates = 'by certificates (pki secret backend role pki/web)';

describe('what a sign-in could hang on is one line', () => {
  test.each<[what: string, plan: string, lines: string[]]>([
    [
      'claims of identity tokens, where a method has the keys of this service',
      `method self ${ownKeys}\n ~ ${token('template: a')} → template: b`,
      [`who signs in at auth/self ${byTokens}`],
    ],
    [
      'the client of identity tokens',
      `method self ${ownKeys}\n ~ ${token('client_id: other')} → client_id: jwt`,
      [`who signs in at auth/self ${byTokens}`],
    ],
    [
      'identity tokens, where a method has keys that were given to it',
      `method ci jwt_validation_pubkeys: [k]\n + ${token('template: a')}`,
      [`who signs in at auth/ci ${byTokens}`],
    ],
    [
      'identity tokens, where a plan shows no method that trusts them, and not all methods',
      `method ci oidc_discovery_url: https://id.example\n + ${token('template: a')}`,
      [`(who signs in elsewhere ${byTokens})`],
    ],
    [
      'members of groups, which identity tokens may name',
      `method self ${ownKeys}\n ~ internal ops p entity:ann → p entity:bob`,
      ['who signs in at auth/self by identity tokens of this service, which may name groups and entities'],
    ],
    [
      'names in certificates, where a certificate method is there',
      `mount cert cert\n ${widened}`,
      [`who signs in at auth/cert ${byCertificates}`],
    ],
    [
      'names in certificates, where none is in sight',
      widened,
      [`(who signs in elsewhere ${byCertificates})`],
    ],
    [
      'a role of a certificate engine that is written by a path',
      `mount cert cert\n ~ generic_endpoint.p path: pki/roles/web, data_json: '{"a":1}' → data_json: '{"a":2}'`,
      ['who signs in at auth/cert by certificates (write to pki/roles/web)'],
    ],
    [
      'the first credential of a method’s own',
      `mount k8s kubernetes\n ~ ${reviewer} → token_reviewer_jwt!: x`,
      ['who signs in at auth/k8s, whose token_reviewer_jwt is set for the first time'],
    ],
    [
      'the same of a directory',
      '~ ldap_auth_backend.l path: ldap, url: ldap://x → bindpass!: x',
      ['who signs in at auth/ldap, whose bindpass is set for the first time'],
    ],
    [
      'service accounts, where a cluster may be trusted',
      'mount k8s kubernetes\n + kubernetes_secret_backend_role.r backend: kubernetes, name: r',
      [
        'who signs in at auth/k8s by service account tokens of Kubernetes (kubernetes secret backend role kubernetes/r)',
      ],
    ],
    [
      'a key that can leave the service',
      'method ci jwt_validation_pubkeys: [k]\n ~ transit_secret_backend_key.k backend: transit, name: k → exportable: true',
      [
        'who signs in at auth/ci by tokens that are signed with a key that can leave the service (transit secret backend key transit/k)',
      ],
    ],
    [
      'a log with tokens in clear',
      "+ audit.a type: file, options: {file_path: /x, log_raw: 'true'}",
      ['who gains tokens and passwords, which a log has in clear (audit)'],
    ],
    [
      'a log whose options are not known',
      '+ audit.a type: file, options?',
      ['who gains tokens and passwords, which a log has in clear (audit)'],
    ],
    [
      'a header with a credential, which logs have in clear',
      '~ audit_request_header.h name: Authorization, hmac: true → hmac: false',
      ['who gains credentials in a header, which a log has in clear (audit request header Authorization)'],
    ],
    [
      'values of a secrets engine that a log newly has in clear',
      '~ mount.pki path: pki, audit_non_hmac_response_keys: [certificate] → audit_non_hmac_response_keys: [certificate, private_key]',
      ['who gains credentials, which a log has in clear (private_key)'],
    ],
    [
      'values of a method that a log newly has in clear',
      'mount people userpass\n ~ auth_backend.p path: people, type: userpass → tune: [{audit_non_hmac_request_keys: [password]}]',
      ['who gains credentials, which a log has in clear (password)'],
    ],
    [
      'tokens of an OIDC provider that a log has in clear',
      'method ci\n ~ role build read → read verbose_oidc_logging: true',
      ['who gains credentials, which a log has in clear (tokens of the provider)'],
    ],
    [
      'copies of the storage',
      '+ raft_snapshot_agent_config.s name: s, storage_type: aws-s3, aws_s3_bucket: b',
      ['who gains copies of all that the service has, under its seal (raft snapshot agent config s)'],
    ],
    [
      'a shell on machines, where a method is for machines',
      'mount aws aws\n + ssh_secret_backend_role.r backend: ssh, name: ops',
      [
        'who signs in at auth/aws by identities of machines, from a shell on one (ssh secret backend role ssh/ops)',
      ],
    ],
    [
      'a database, where a method of a type that no table has is there',
      'mount sso acme-sso\n + database_secret_backend_role.r backend: db, name: r',
      ['who signs in at auth/sso by accounts of a database or a queue (database secret backend role db/r)'],
    ],
    [
      'a key that a managed key store has, where its engine is in sight',
      "mount cert cert\n mount.km path: km, type: keymgmt\n + generic_endpoint.p path: km/kms/a/key/k, data_json: '{}'",
      [
        'who signs in at auth/cert by tokens that are signed with a key in another key store (write to km/kms/a/key/k)',
      ],
    ],
    [
      'a weaker password policy, where a method asks a directory',
      'mount ldap ldap\n ~ password_policy.p name: p, policy: length = 20 → policy: length = 1',
      [
        'who signs in at auth/ldap by passwords of a directory, if one of its accounts has this policy (password policy p)',
      ],
    ],
    [
      'a namespace below a rule of the one above',
      'policy t: team/* read,update\n + namespace.team path: team',
      ['who administers namespace team, which policy t reaches'],
    ],
    [
      'a namespace below a rule for any name',
      'policy t: +/sys/policies/acl/* update\n + namespace.team path: team',
      ['who administers namespace team, which policy t reaches'],
    ],
    [
      'a namespace, where not all policies are known',
      'policy t: secret/* update; team/* read; team/secret/* update\n + namespace.team path: team',
      ['(policies elsewhere that reach into namespace team)'],
    ],
  ])('%s', (_, plan, lines) => {
    expect(linesOf(plan)).toEqual(lines);
  });
});

describe('no line', () => {
  test.each<[what: string, plan: string]>([
    ['for what stays', `method self ${ownKeys}\n mount cert cert\n ${token('template: a')}\n ${pki('a: b')}`],
    ['for what goes', `method self ${ownKeys}\n - ${token('template: a')}\n - ${pki('a: b')}`],
    ['for how long a certificate lasts', `mount cert cert\n ~ ${pki('ttl: 60')} → ttl: 3600`],
    ['for ACME that stays off', `~ ${acme}, enabled: false, eab_policy: x → eab_policy: y`],
    [
      'for another credential of a method’s own',
      `~ ${reviewer}, token_reviewer_jwt!: x → token_reviewer_jwt!: y`,
    ],
    [
      'for a new key',
      'method ci jwt_validation_pubkeys: [k]\n + transit_secret_backend_key.k backend: t, name: k',
    ],
    ['for a log with hashes', '+ audit.a type: file, options: {file_path: /x}'],
    [
      'for a log with tokens in clear that stays so',
      "~ audit.a type: file, description: a, options: {log_raw: 'true'} → description: b",
    ],
    ['for a header that holds no credential', '+ audit_request_header.h name: X-Forwarded-For, hmac: false'],
    [
      'for certificates in a log',
      '+ mount.pki path: pki, audit_non_hmac_response_keys: [certificate, issuing_ca, serial_number]',
    ],
    ['for values of a log that the service says', '+ mount.pki path: pki, audit_non_hmac_response_keys?'],
    ['for a new password policy', 'mount ldap ldap\n + password_policy.p name: p, policy: length = 20'],
    [
      'for how often copies are made',
      '~ raft_snapshot_agent_config.s name: s, interval_seconds: 60 → interval_seconds: 90',
    ],
    ['for databases, which no method asks', '+ database_secret_backend_role.r backend: db, name: r'],
    [
      'for what is written to an engine of another kind',
      "mount cert cert\n mount.kv path: kv, type: kv\n + generic_endpoint.p path: kv/roles/web, data_json: '{}'",
    ],
    [
      'for groups, where no method has the keys of this service',
      '~ internal ops p entity:ann → p entity:bob',
    ],
  ])('%s', (_, plan) => {
    expect(linesOf(plan)).toEqual([]);
  });

  test('where the lists of a service show that no method trusts it', () => {
    const service = 'method ci oidcDiscoveryUrl: https://id.example\n mount people userpass';
    const plan = `${widened}\n + ${token('template: a')}`;
    expect(reviewOn(service, plan)).toMatchObject({ gains: 'none', whole: true });
  });
});

describe('a credential that a resource newly holds', () => {
  const secretIdLine = 'approle_auth_backend_role_secret_id.s backend: approle, role_name: app';
  const value = 'kv_secret.c path: secret/shared/creds';
  const line = 'who reads secret_id of approle secret id app at secret/shared/creds';
  const configuration = (...references: string[]) => ({
    configuration: {
      root_module: {
        resources: [{ address: 'vault_kv_secret.c', expressions: { data_json: { references } } }],
      },
    },
  });
  const secretId = 'vault_approle_auth_backend_role_secret_id.s';
  const named = configuration(`${secretId}.secret_id`, secretId);

  test.each<[what: string, plan: string, rest: object, lines: string[]]>([
    ['by a reference', `${secretIdLine}\n + ${value}, data_json?`, named, [line]],
    [
      'but not by its accessor',
      `${secretIdLine}\n + ${value}, data_json?`,
      configuration(`${secretId}.accessor`, secretId),
      [],
    ],
    [
      'by its value',
      `${secretIdLine}, secret_id: abcdefgh\n + ${value}, data_json: '{"a":"abcdefgh"}'`,
      configuration('local.creds'),
      [line],
    ],
    [
      'by a local value, where both are unknown',
      `+ ${secretIdLine}, secret_id?\n + ${value}, data_json?`,
      configuration('local.creds'),
      [line],
    ],
    [
      'not where it takes the place of the one before',
      `-/+ ${secretIdLine}, secret_id: abcdefgh → secret_id?\n ~ ${value}, data_json: '{"a":"abcdefgh"}' → data_json?`,
      named,
      [],
    ],
    ['not where nothing is written', `${secretIdLine}\n ${value}, data_json: '{}'`, named, []],
  ])('%s', (_, plan, rest, lines) => {
    expect(linesOf(plan, rest)).toEqual(lines);
  });

  test('that is a user’s password, by what both come from', () => {
    const plan = `
      mount people userpass
      generic_endpoint.bob path: auth/people/users/bob, data_json: '{"password":"x"}'
      + ${value}, data_json?`;
    const references = ['random_password.p.result', 'random_password.p'];
    const from = (address: string) => ({ address, expressions: { data_json: { references } } });
    const resources = [from('vault_generic_endpoint.bob'), from('vault_kv_secret.c')];
    expect(linesOf(plan, { configuration: { root_module: { resources } } })).toEqual([
      'who reads password of auth/people/users/bob at secret/shared/creds',
    ]);
  });
});

test('identity tokens at a method with roles that are programs, though its other roles are known', () => {
  const self = `method self jwksUrl: https://vault.example/v1/identity/oidc/.well-known/keys`;
  const plan = `~ ${token('template: a')} → template: b`;
  const whole = 'complete roles:self\n complete methods\n complete others';
  expect(reviewOn(`${self}\n ${whole}`, plan).gains).toBe('none');
  expect(reviewOn(`${self}\n program self/cel\n ${whole}`, plan).gains).toBe('unknown');
});

describe('a write to a path of a secrets engine', () => {
  const write = (path: string) => `+ generic_endpoint.w path: ${path}, data_json: '{"a":"b"}'`;

  test.each<[what: string, plan: string, lines: string[]]>([
    ['that no type writes', write('pki/root/replace'), ['what a write to pki/root/replace does']],
    ['that brings a value back', write('secret/undelete/db'), ['what a write to secret/undelete/db does']],
    [
      'of a key for the codes of a second factor, or of another key',
      write('x/keys/ann'),
      [
        '(who signs in elsewhere by tokens that are signed with a key that can leave the service (write to x/keys/ann))',
        'what a write to x/keys/ann does',
      ],
    ],
    [
      'of a key for the codes of a second factor',
      `mount.t path: totp, type: totp\n ${write('totp/keys/ann')}`,
      ['what a write to totp/keys/ann does'],
    ],
    [
      'of another key',
      `mount.t path: transit, type: transit\n ${write('transit/keys/ann')}`,
      [
        '(who signs in elsewhere by tokens that are signed with a key that can leave the service (write to transit/keys/ann))',
      ],
    ],
    ['of an engine that keeps values', `mount.s path: secret, type: kv\n ${write('secret/db')}`, []],
  ])('%s', (_, plan, lines) => {
    expect(linesOf(plan)).toEqual(lines);
  });
});

test('a mount that newly lets headers of ACME through', () => {
  const pki = "~ mount.pki path: pki, type: pki → allowed_response_headers: ['Replay-Nonce']";
  expect(linesOf(`mount cert cert\n ${pki}`)).toEqual([
    'who signs in at auth/cert by certificates over ACME, whose headers a mount newly lets through (mount pki)',
  ]);
});

test('the answer is not known, with a warning that says where and when no one gains by it', () => {
  const found = review(readPlan(terraform(entries(`mount cert cert\n ${widened}`))), { now });
  expect([found.gains, found.missing.map(reasonWords)]).toEqual([
    'unknown',
    [`who signs in at auth/cert ${byCertificates}`],
  ]);
  expect(found.findings).toEqual([
    expect.objectContaining({
      rule: 'cannot-be-judged',
      severity: 'warning',
      address: 'vault_pki_secret_backend_role.web',
      message: `Not known: who signs in at auth/cert ${byCertificates}. Gatehouse does not model it.`,
      fix: 'Check it by hand. No one gains by it where no such method is there: `--live` and snapshots tell.',
    }),
  ]);
});

test('what no list excludes is not checked, and no finding', () => {
  const found = review(readPlan(terraform(entries(widened))), { now });
  expect(found).toMatchObject({ gains: 'unknown', missing: [], findings: [] });
  expect(found.scope.missing.map(reasonWords)).toEqual([`who signs in elsewhere ${byCertificates}`]);
});

test('a Pulumi preview says the same of a credential that another resource holds', () => {
  const urn = (type: string, name: string) => `urn:pulumi:prod::p::${type}::${name}`;
  const secretId = 'vault:appRole/authBackendRoleSecretId:AuthBackendRoleSecretId';
  const secret = 'vault:kv/secret:Secret';
  const secretIdLine = { type: secretId, inputs: { backend: 'approle', roleName: 'app' } };
  const held = { type: secret, inputs: { path: 'secret/shared/creds' } };
  const dependencies = { propertyDependencies: { dataJson: [urn(secretId, 's')] } };
  const steps = [
    { op: 'same', urn: urn(secretId, 's'), oldState: secretIdLine, newState: secretIdLine },
    { op: 'create', urn: urn(secret, 'c'), newState: { ...held, ...dependencies } },
  ];
  const { missing } = review(readPlan(JSON.stringify({ steps })), { now });
  expect(missing.map(reasonWords)).toEqual([
    'who reads secret_id of approle secret id app at secret/shared/creds',
  ]);
});
