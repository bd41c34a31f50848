import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cleaned, inertTypes, templatesOf } from '../../../src/graph/resources/writes.ts';
import { composeChanges } from '../../../src/review/plan/compose-change.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { composed, entry, same } from './terraform.ts';

/** What a plan is judged by apart from what lists of a graph have: writes before and after, and what is not known. */
function judged(changes: object[], configuration: Record<string, Record<string, string[]>> = {}) {
  const resources = Object.entries(configuration).map(([address, fields]) => ({
    address,
    expressions: Object.fromEntries(
      Object.entries(fields).map(([name, references]) => [name, { references }]),
    ),
  }));
  const all = composed(changes, { configuration: { root_module: { resources } } });
  const names = (side: 'before' | 'after') =>
    all.flatMap(({ change }) => (change[side].otherAccess ?? []).map(({ name }) => name));
  return {
    before: names('before'),
    after: names('after'),
    unknown: all.flatMap(({ change }) => change.unknown.map(({ name }) => name)),
  };
}

const nothing = { before: [], after: [], unknown: [] };
const approle = entry('vault_auth_backend.a', same({ path: 'approle', type: 'approle', accessor: 'acc' }));
const nomad = (after: object, rest: object = {}) => entry('vault_nomad_secret_role.n', { after, ...rest });

describe('a type that gives no access, where it writes elsewhere', () => {
  test('is the role that it makes, as far as its attributes tell', () => {
    const role = nomad({ backend: 'auth/approle', role: 'x', policies: ['admin'], type: 'client' });
    const [{ change } = {}] = composed([approle, role]);
    const written = change?.after.otherAccess?.filter(({ identity }) => identity?.type === 'otherRole');
    expect(written).toMatchObject([{ policies: ['admin'], method: 'approle', isOpaque: true }]);
  });

  test('is a write to that path', () => {
    expect(judged([entry('vault_password_policy.p', { after: { name: '../acl/a', policy: 'x' } })])).toEqual({
      ...nothing,
      after: ['write to sys/policies/acl/a'],
    });
  });

  test('is a write to every path that is elsewhere', () => {
    const backend = entry('vault_aws_secret_backend.b', { after: { path: 'auth/aws' } });
    expect(judged([backend]).after).toEqual([
      'write to sys/mounts/auth/aws',
      'write to auth/aws/config/root',
      'write to auth/aws/config/lease',
    ]);
  });

  test('shows nothing of the secret that it writes', () => {
    const data = { path: 'sys/policies/acl/x', data_json: '{"password":"s3cret"}', data: '(unmarked)' };
    expect(JSON.stringify(composed([entry('vault_kv_secret.s', { after: data })]))).not.toMatch(
      /s3cret|unmarked/,
    );
  });

  test('deletes what is there', () => {
    const secret = entry('vault_kv_secret.s', {
      before: { path: 'ns1/sys/policies/acl/x', data_json: '{}' },
    });
    expect(judged([secret])).toEqual({ ...nothing, before: ['write to ns1/sys/policies/acl/x'] });
  });

  test('leaves or deletes what it wrote there, once it writes where it is meant to', () => {
    const relocated = entry('vault_nomad_secret_role.n', {
      before: { backend: 'auth/approle', role: 'x', policies: ['admin'] },
      after: { backend: 'nomad', role: 'x', policies: ['admin'] },
    });
    expect(judged([relocated])).toEqual({ ...nothing, before: ['write to auth/approle/role/x'] });
  });

  test('is on both sides where nothing changes', () => {
    const stays = entry('vault_nomad_secret_role.n', same({ backend: 'auth/approle', role: 'x' }));
    const both = ['write to auth/approle/role/x'];
    expect(judged([stays])).toEqual({ ...nothing, before: both, after: both });
  });

  test('is found by the names of its blocks, whatever else of them is known later', () => {
    const mount = (name: string) =>
      entry('vault_database_secrets_mount.d', {
        after: { path: 'db', postgresql: [{ name, plugin_name: 'p' }] },
        after_unknown: { postgresql: [{ connection_url: true }] },
      });
    expect(judged([mount('pg')])).toEqual(nothing);
    expect(judged([mount('../../auth/approle/role/x')]).after).toEqual(['write to auth/approle/role/x']);
  });

  test('is found where a default stands in for an attribute', () => {
    const audit = entry('vault_audit.a', { after: { type: '../policies/acl/a' } });
    expect(judged([audit]).after).toEqual(['write to sys/policies/acl/a']);
    expect(judged([entry('vault_audit.a', { after: { type: 'file' } })])).toEqual(nothing);
  });
});

describe('a path that is known after the change alone', () => {
  const secretsMount = entry('vault_mount.m', { after: { path: 'nomad' }, after_unknown: { id: true } });
  const unknown = { after_unknown: { backend: true } };
  const at = 'vault_nomad_secret_role.n';
  const other = (type: string) => entry(`${type}.o`, { after: {}, after_unknown: { output: true } });

  test('is that of the mount that it refers to', () => {
    const refers = { [at]: { backend: ['vault_mount.m.id', 'vault_mount.m'] } };
    expect(judged([secretsMount, nomad({ role: 'x' }, unknown)], refers)).toEqual(nothing);
  });

  test('stays below that mount, whatever follows', () => {
    const refers = { [at]: { backend: ['vault_mount.m.id', 'vault_mount.m'] } };
    const role = nomad({ role: '../../auth/approle/role/x' }, unknown);
    expect(judged([secretsMount, role], refers).after).toEqual(['write to auth/approle/role/x']);
  });

  test('is unknown where it refers to an auth method', () => {
    const refers = { [at]: { backend: ['vault_auth_backend.a.id', 'vault_auth_backend.a'] } };
    expect(judged([approle, nomad({ role: 'x' }, unknown)], refers).unknown).toEqual([at]);
  });

  test.each(['terraform_data', 'random_pet', 'vault_password_policy', 'vault_kv_secret_v2'])(
    'is unknown where it refers to a %s, which may hold any text',
    (type) => {
      const refers = { [at]: { backend: [`${type}.o.output`, `${type}.o`] } };
      const held = type.startsWith('vault') ? { name: 'a', mount: 'kv' } : {};
      const o = entry(`${type}.o`, { after: held, after_unknown: { output: true } });
      expect(judged([o, nomad({ role: 'x' }, unknown)], refers).unknown).toEqual([at]);
    },
  );

  test('is unknown where nothing says what it refers to', () => {
    expect(judged([nomad({ role: 'x' }, unknown)]).unknown).toEqual([at]);
  });

  test('is unknown where it has a name that may hold any text', () => {
    const refers = { [at]: { role: ['random_pet.o.id', 'random_pet.o'] } };
    const role = nomad({ backend: 'nomad' }, { after_unknown: { role: true } });
    expect(judged([other('random_pet'), role], refers).unknown).toEqual([at]);
  });

  test('is known enough where it is the id of something of the provider of identities', () => {
    const client = 'vault_identity_oidc_key_allowed_client_id.c';
    const key = entry('vault_identity_oidc_key.k', { after: { name: 'k' }, after_unknown: { id: true } });
    const refers = { [client]: { key_name: ['vault_identity_oidc_key.k.id', 'vault_identity_oidc_key.k'] } };
    expect(judged([key, entry(client, { after: {}, after_unknown: { key_name: true } })], refers)).toEqual(
      nothing,
    );
  });

  test('is known enough where the service draws the name', () => {
    const issuer = 'vault_pki_secret_backend_issuer.i';
    const root = entry('vault_pki_secret_backend_root_cert.r', {
      after: { backend: 'pki', type: 'internal' },
      after_unknown: { issuer_id: true },
    });
    const refers = { [issuer]: { issuer_ref: ['vault_pki_secret_backend_root_cert.r.issuer_id'] } };
    const unnamedIssuer = entry(issuer, { after: { backend: 'pki' }, after_unknown: { issuer_ref: true } });
    expect(judged([root, unnamedIssuer], refers)).toEqual(nothing);
  });

  test('is unknown where it is hidden', () => {
    const hidden = nomad({ backend: 'nomad', role: 'x' }, { after_sensitive: { backend: true } });
    expect(judged([hidden]).unknown).toEqual([at]);
  });

  test('decides nothing where nothing changes', () => {
    const role = entry(at, { ...same({ backend: 'nomad', role: 'x' }), before_sensitive: { backend: true } });
    expect(judged([role])).toEqual(nothing);
  });
});

describe('a path with a name of the service further on', () => {
  const secret = entry('vault_kv_secret.s', { after: { path: 'kv/auth/db/x', data_json: '{}' } });
  const write = ['write to kv/auth/db/x'];

  test('may be of a namespace', () => {
    expect(judged([secret]).after).toEqual(write);
  });

  test('is of the engine that is there', () => {
    expect(judged([entry('vault_mount.m', same({ path: 'kv/' })), secret])).toEqual(nothing);
  });

  test('may be of a namespace of the name of an engine that is yet to be made, or is of another namespace', () => {
    expect(judged([entry('vault_mount.m', { after: { path: 'kv' } }), secret]).after).toEqual(write);
    const elsewhere = entry('vault_mount.m', same({ path: 'kv', namespace: 'team' }));
    expect(judged([elsewhere, secret]).after).toEqual(write);
  });

  test('is a secret of a versioned engine', () => {
    const versioned = entry('vault_kv_secret_v2.s', { after: { mount: 'kv', name: 'team/auth/db/x' } });
    expect(judged([versioned])).toEqual(nothing);
  });

  test('is no way to bring an auth method in as an engine', () => {
    const mount = entry('vault_mount.m', same({ path: 'auth/approle' }));
    const role = nomad({ backend: 'auth/approle', role: 'x' });
    expect(judged([mount, role]).after).toContain('write to auth/approle/role/x');
  });
});

test('a write to any path is overlooked where it leads into a secrets engine', () => {
  const at = (path: string) => entry('vault_generic_endpoint.e', { after: { path, data_json: '{}' } });
  expect(judged([at('pki/config/urls')])).toEqual(nothing);
  expect(judged([at('pki/../sys/x')]).after).toEqual(['write to sys/x']);
  expect(judged([entry('vault_generic_endpoint.e', { after: {} })]).unknown).toEqual([
    'vault_generic_endpoint.e',
  ]);
});

describe('in Pulumi', () => {
  const urnOf = (type: string, name: string) => `urn:pulumi:prod::p::${type}::${name}`;
  const created = (type: string, name: string, inputs: object, propertyDependencies: object = {}) => {
    const urn = urnOf(type, name);
    const newState = { urn, type, custom: true, inputs, outputs: {}, propertyDependencies };
    return { op: 'create', urn, newState };
  };
  const judgedSteps = (...steps: object[]) => {
    const [{ change } = {}] = composeChanges(readPlan(JSON.stringify({ steps })));
    const after = change?.after.otherAccess?.map(({ name }) => name) ?? [];
    return { after, unknown: change?.unknown.map(({ name }) => name) };
  };
  const untold = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';
  const nomadRole = 'vault:index/nomadSecretRole:NomadSecretRole';
  const mount = created('vault:index/mount:Mount', 'm', { path: 'nomad', type: 'nomad' });
  const role = (inputs: object, ...backends: string[]) =>
    created(nomadRole, 'n', inputs, { backend: backends });

  test('types write as in Terraform', () => {
    const { after } = judgedSteps(role({ backend: 'auth/approle', role: 'x', policies: ['admin'] }));
    expect(after).toEqual(['write to auth/approle/role/x']);
  });

  test('a path that is not known is that of the mount that it depends on', () => {
    const inputs = { backend: untold, role: 'x' };
    const none = { after: [], unknown: [] };
    expect(judgedSteps(mount, role(inputs, urnOf('vault:index/mount:Mount', 'm')))).toEqual(none);
    expect(judgedSteps(mount, role(inputs)).unknown).toEqual([urnOf(nomadRole, 'n')]);
  });

  test('the names of blocks are read next to what is not known', () => {
    const type = 'vault:database/secretsMount:SecretsMount';
    const judgedWith = (name: string) =>
      judgedSteps(created(type, 'd', { path: 'db', postgresqls: [{ name, connectionUrl: untold }] }));
    expect(judgedWith('pg')).toEqual({ after: [], unknown: [] });
    expect(judgedWith('../../auth/a/role/x').after).toEqual(['write to auth/a/role/x']);
    expect(judgedWith(untold).unknown).toEqual([urnOf(type, 'd')]);
  });
});

test('no plan writes below sys, auth or identity unseen, whatever the attributes of a type that is overlooked', () => {
  const part = fc.constantFrom(
    ...['..', '.', '', ' ', '%2e%2e', 'sys', 'auth', 'identity', 'ns1', 'x', 'role', 'policies'],
  );
  const text = fc.array(part, { minLength: 1, maxLength: 7 }).map((parts) => parts.join('/'));
  const type = fc.constantFrom(...inertTypes);
  fc.assert(
    fc.property(type, fc.array(text, { minLength: 8, maxLength: 8 }), fc.boolean(), (type, texts, isNew) => {
      const templates = templatesOf(type).filter((one) => !one.includes('*'));
      const names = [...new Set(templates.flatMap((one) => one.match(/(?<=\{\+?)\w+(?=\})/g) ?? []))];
      const fields = Object.fromEntries(names.map((name, at) => [name, texts[at] ?? '']));
      const isGiven = (template: string) =>
        names.every((one) => fields[one] !== '' || !template.includes(one));
      // A mount or a namespace that goes cannot be judged at all.
      const isMade = isNew || ['vault_mount', 'vault_namespace'].includes(type);
      const stray = templates.filter(isGiven).some((template) => {
        const path = cleaned(template.replace(/\{\+?(\w+)\}/g, (_, name) => fields[name] ?? '')) ?? 'sys/x';
        const [fixed = ''] = template.split('{');
        const isMeant = fixed !== '' && path.startsWith(fixed) && !path.startsWith('sys/mounts/auth/');
        return /^(?:sys|auth|identity)\/./.test(path) && !isMeant && template.includes('{');
      });
      const { before, after, unknown } = judged([
        entry(`${type}.r`, isMade ? { after: fields } : { before: fields }),
      ]);
      if (stray) expect([...before, ...after, ...unknown]).not.toEqual([]);
    }),
    { numRuns: 3_000, seed: 43 },
  );
});
