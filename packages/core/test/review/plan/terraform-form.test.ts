import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../../../../test/harness/environment-under-test.ts';
import { planResources } from '../../../src/review/plan/read-plan.ts';
import { terraformForm } from '../../../src/review/plan/terraform-form.ts';
import { jsonReport } from '../../../src/review/reports/json.ts';
import { review } from '../../../src/review/review.ts';
import { now } from '../graphs.ts';

const cases = `${root}/packages/core/test/review/cases/pulumi`;
const files = [
  `${root}/examples/plans/pulumi-preview.json`,
  ...readdirSync(cases).map((file) => `${cases}/${file}`),
];
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

/** What a review says, whatever tool made the plan. */
function textsOf(plan: unknown) {
  const { gains, losses, verdict, findings, access } = jsonReport(
    review(planResources(plan), { now }),
    'error',
  );
  const all = JSON.stringify({ gains, losses, verdict, findings, access });
  // Each tool has its own addresses.
  return JSON.parse(all.replace(/urn:pulumi:[^"\\]*::|vault_\w+\./g, ''));
}

describe('a plan in Terraform’s format is reviewed as the preview that it was made of', () => {
  test.each(files)('%s', (file) => {
    const preview = readJson(file);
    expect(textsOf(terraformForm(preview))).toEqual(textsOf(preview));
  });
});

test('a secret is not the same as a text that looks like what stands for it, in either format', () => {
  const state = (boundSubject: unknown) => {
    const own = { backend: 'ci', roleName: 'r', roleType: 'jwt', userClaim: 'sub', tokenPolicies: ['a'] };
    const inputs = { ...own, boundSubject };
    return { type: 'vault:jwt/authBackendRole:AuthBackendRole', custom: true, inputs, outputs: inputs };
  };
  const secret = {
    '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
    plaintext: '"s"',
  };
  const urn = 'urn:pulumi:dev::login::vault:jwt/authBackendRole:AuthBackendRole::r';
  const gains = (after: unknown) => {
    const preview = { steps: [{ op: 'update', urn, oldState: state(secret), newState: state(after) }] };
    return [preview, terraformForm(preview)].map((plan) => review(planResources(plan), { now }).gains);
  };
  expect(gains('(hidden 1)')).not.toContain('none');
  expect(gains(secret)).toEqual(['none', 'none']);
});

describe('a plan in Terraform’s format', () => {
  const step = (inputs: object, fields: object = {}) => ({
    op: 'create',
    urn: 'urn:pulumi:dev::login::vault:jwt/authBackend:AuthBackend::staff',
    newState: { type: 'vault:jwt/authBackend:AuthBackend', custom: true, inputs },
    ...fields,
  });

  test('tells two resources of one type and name apart, and makes names of any text', () => {
    const twice = ['a$b::x y', 'c$d::x y', '::1'].map((end) => ({
      ...step({ path: end }),
      urn: `urn:pulumi:dev::login::${end.split('::')[0]}$vault:jwt/authBackend:AuthBackend::${end.split('::')[1]}`,
    }));
    expect((terraformForm({ steps: twice }) as any).resource_changes.map(({ name }: any) => name)).toEqual([
      'x_y',
      'x_y_2',
      '_1',
    ]);
  });

  test.each([[null], ['text'], [{ some: 'plan' }], [{ steps: 'none' }], [{ format_version: '1.2' }]])(
    'is made of a preview alone: %j stays',
    (json) => {
      expect(terraformForm(json)).toEqual(json);
    },
  );
});

test('a preview with lists 3,000 levels deep is refused', () => {
  const deep = JSON.parse('['.repeat(3000) + ']'.repeat(3000));
  expect(() =>
    terraformForm({ steps: [{ op: 'create', urn: 'x', newState: { inputs: { deep } } }] }),
  ).toThrow(expect.objectContaining({ code: 'nested_too_deep' }));
});

describe('each resource of a plan in Terraform’s format', () => {
  const methodType = 'vault:jwt/authBackend:AuthBackend';
  const urnOf = (type: string, name: string) => `urn:pulumi:dev::login::${type}::${name}`;
  const providerUrn = urnOf('pulumi:providers:vault', 'main');
  const secret = (text: string) => ({
    '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
    plaintext: JSON.stringify(text),
  });
  const one = (
    op: string,
    old: object | undefined,
    wanted: object | undefined,
    fields = {},
    type = methodType,
  ) => {
    const [oldState, newState] = [old, wanted].map(
      (inputs) =>
        inputs && { type, custom: true, provider: `${providerUrn}::1`, inputs, outputs: inputs, ...fields },
    );
    return { op, urn: urnOf(type, 'm'), oldState, newState };
  };
  const provider = {
    op: 'same',
    urn: providerUrn,
    newState: { type: '', inputs: { address: 'https://a', namespace: 'team' } },
  };
  const formOf = (...steps: object[]) => terraformForm({ steps: [provider, ...steps] }) as any;
  const [old, wanted] = [
    { path: 'm', type: 'oidc' },
    { path: 'm', type: 'jwt' },
  ];

  const cases: Record<string, [object[], ...object[]]> = {
    'is created': [[one('create', undefined, wanted)], { actions: ['create'], before: null, after: wanted }],
    'is deleted': [[one('delete', old, undefined)], { actions: ['delete'], before: old, after: null }],
    'is updated': [[one('update', old, wanted)], { actions: ['update'], before: old, after: wanted }],
    stays: [[one('same', old, old)], { actions: ['no-op'], before: old, after: old }],
    'is imported': [[one('import', undefined, wanted)], { actions: ['forget'], before: wanted, after: null }],
    'is retained': [
      [one('delete', old, undefined, { retainOnDelete: true })],
      { actions: ['forget'], before: old, after: null },
    ],
    'is replaced': [
      [one('replace', old, wanted)],
      { actions: ['delete', 'create'], before: old, after: wanted },
    ],
    'is made before the old one is deleted': [
      [
        one('create-replacement', undefined, wanted),
        one('replace', old, wanted),
        one('delete-replaced', old, undefined),
      ],
      { actions: ['create', 'delete'], before: old, after: wanted },
    ],
    'was left behind': [
      [one('same', wanted, wanted), one('delete-replaced', old, undefined)],
      { actions: ['no-op'] },
      { actions: ['delete'], before: old, after: null },
    ],
    'is gone': [[one('refresh', old, undefined)]],
    'is a component': [[one('create', undefined, {}, { custom: false }, 'a:b:C')]],
    'is of Pulumi': [[one('create', undefined, {}, {}, 'pulumi:pulumi:Stack')]],
  };
  test.each(Object.entries(cases))('that %s', (_, [steps, ...changes]) => {
    const found = formOf(...steps).resource_changes;
    expect(found.map(({ change }: any) => change)).toMatchObject(changes);
    expect(found).toHaveLength(changes.length);
    expect(found.map(({ deposed }: any) => deposed)).toEqual(
      [undefined, '00000001'].slice(0, changes.length),
    );
    for (const { gatehouse } of found) {
      const isUnordered = steps.length === 1 && changes.length === 1 && found[0].change.actions.length === 2;
      expect(gatehouse).toMatchObject({ provider_config_key: 'main.team', is_unordered: isUnordered });
    }
  });

  test('has what is hidden as null, with marks, and the placeholders apart', () => {
    const inputs = {
      path: 'm',
      oidcClientSecret: secret('s3cret-a'),
      boundIssuer: secret('s3cret-b'),
      providerConfig: secret('s3cret-c'),
      jwksPairs: [{ x: secret('s3cret-d'), y: 'z' }, {}],
      tune: { a: [1] },
    };
    const created = one('create', undefined, inputs);
    const { resource_changes: changes, planned_values: planned, configuration } = formOf(created);
    const values = {
      path: 'm',
      oidc_client_secret: null,
      bound_issuer: null,
      provider_config: null,
      jwks_pairs: [{ x: null, y: 'z' }, {}],
      tune: { a: [1] },
    };
    const marks = {
      oidc_client_secret: true,
      bound_issuer: true,
      provider_config: true,
      jwks_pairs: [{ x: true }, false],
    };
    expect(changes[0]).toMatchObject({
      address: 'vault_jwt_auth_backend.m',
      mode: 'managed',
      type: 'vault_jwt_auth_backend',
      name: 'm',
      provider_name: 'registry.terraform.io/hashicorp/vault',
      change: {
        before: null,
        before_sensitive: false,
        after: values,
        after_sensitive: marks,
        after_unknown: { id: true },
      },
      gatehouse: {
        before: {},
        after: { jwks_pairs: [{ x: expect.stringMatching(/^\(hidden/), y: 'z' }, {}] },
      },
    });
    expect(Object.keys(changes[0].gatehouse.after)).toEqual([
      'bound_issuer',
      'provider_config',
      'jwks_pairs',
    ]);
    expect(planned.root_module.resources).toMatchObject([
      { schema_version: 0, values, sensitive_values: marks },
    ]);
    expect(JSON.stringify(formOf(created))).not.toMatch(/s3cret|\[secret\]/);
    const [resource] = configuration.root_module.resources;
    expect(resource).toMatchObject({ address: 'vault_jwt_auth_backend.m', provider_config_key: 'main.team' });
    expect(resource).not.toHaveProperty('provider_name');
  });

  test('says what is unknown, what a secret changes to, and what a value comes from', () => {
    const aliasType = 'vault:identity/groupAlias:GroupAlias';
    const inputs = { name: '/a', mountAccessor: '04da6b54-80e4-46f7-96ec-b56ff0331ba9', canonicalId: 'g' };
    const dependencies = { mountAccessor: [urnOf(methodType, 'm'), urnOf(methodType, 'gone')], name: [] };
    const form = formOf(
      {
        ...one(
          'update',
          { ...old, oidcClientSecret: secret('a') },
          { ...old, oidcClientSecret: secret('b') },
        ),
        diffReasons: ['oidcClientSecret'],
      },
      one('create', undefined, inputs, { propertyDependencies: dependencies }, aliasType),
    );
    expect(form.resource_changes.map(({ change }: any) => change.after_unknown)).toEqual([
      { oidc_client_secret: true },
      { mount_accessor: true, id: true },
    ]);
    expect(form.configuration.root_module.resources[1].expressions).toEqual({
      name: {},
      canonical_id: {},
      mount_accessor: { references: ['vault_jwt_auth_backend.m.id', 'vault_jwt_auth_backend.m'] },
    });
  });

  test('knows the servers, and what the preview is not whole in', () => {
    const elsewhere = { ...one('create', undefined, {}, {}, 'aws:s3/bucket:Bucket') };
    const form = formOf(one('delete', old, undefined), elsewhere);
    const known = { name: 'vault', full_name: 'registry.terraform.io/hashicorp/vault' };
    const address = { references: ['var.main_address'] };
    expect(form.configuration.provider_config).toEqual({
      main: { ...known, expressions: { address } },
      'main.team': { ...known, expressions: { address, namespace: { constant_value: 'team' } } },
    });
    expect(form.resource_changes[1]).toMatchObject({ provider_name: 'aws', type: 'aws:s3/bucket:Bucket' });
    expect(form).toMatchObject({ format_version: '1.2', gatehouse: { deletes_last: true } });
    const whole = (fields: object) => terraformForm({ steps: [], ...fields });
    expect(whole({ diagnostics: [{ severity: 'warning' }], maybeCorrupt: false })).not.toMatchObject({
      errored: true,
    });
    expect(whole({ diagnostics: [{ severity: 'warning' }], maybeCorrupt: false })).not.toHaveProperty(
      'complete',
    );
    expect(whole({ diagnostics: [{ severity: 'error' }], maybeCorrupt: true })).toMatchObject({
      errored: true,
      complete: false,
    });
    expect(whole({})).not.toHaveProperty('errored');
  });
});
