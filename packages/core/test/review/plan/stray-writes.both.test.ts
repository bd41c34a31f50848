import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isIn } from '../../../../../test/harness/long-run.ts';
import { ofKind, wordsOf } from '../../../src/graph/nodes/other-node.ts';
import { cleaned, inertTypes, templatesOf } from '../../../src/graph/resources/writes.ts';
import { composeChanges } from '../../../src/review/plan/compose-change.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { entries } from '../../worlds.ts';
import { composed, entry } from './terraform.ts';

/** What a plan is judged by apart from what lists of a graph have: writes before and after, and what is not known. */
function judged(plan: string | object[], configuration: Record<string, Record<string, string[]>> = {}) {
  const resources = Object.entries(configuration).map(([address, fields]) => ({
    address,
    expressions: Object.fromEntries(
      Object.entries(fields).map(([name, references]) => [name, { references }]),
    ),
  }));
  const all = composed(plan, { configuration: { root_module: { resources } } });
  const names = (side: 'before' | 'after') =>
    all.flatMap(({ change }) => (change[side].others ?? []).map(wordsOf));
  return {
    before: names('before'),
    after: names('after'),
    unknown: all.flatMap(({ change }) => change.unknown.map(({ name }) => name)),
  };
}

const nothing = { before: [], after: [], unknown: [] };
const approle = 'auth_backend.a path: approle, type: approle, accessor: acc';
const strayRole = 'backend: auth/approle, role: x';
const strayWrite = 'write to auth/approle/role/x';

describe('a type that gives no access, where it writes elsewhere', () => {
  test('is the role that it makes, as far as its attributes tell', () => {
    const role = `+ nomad_secret_role.n ${strayRole}, policies: [admin], type: client`;
    const written = ofKind(composed(`${approle}\n ${role}`)[0]?.change.after.others, 'otherRole');
    expect(written).toMatchObject([{ policies: ['admin'], method: 'approle', isOpaque: true }]);
  });

  test.each<[what: string, plan: string, before: string[], after: string[]]>([
    ['to that path', '+ password_policy.p name: ../acl/a, policy: x', [], ['write to sys/policies/acl/a']],
    [
      'to every path that is elsewhere',
      '+ aws_secret_backend.b path: auth/aws',
      [],
      ['write to sys/mounts/auth/aws', 'write to auth/aws/config/root', 'write to auth/aws/config/lease'],
    ],
    [
      'that deletes what is there',
      "- kv_secret.s path: ns1/sys/policies/acl/x, data_json: '{}'",
      ['write to ns1/sys/policies/acl/x'],
      [],
    ],
    [
      'that it leaves or deletes, once it writes where it is meant to',
      `~ nomad_secret_role.n ${strayRole}, policies: [admin] → backend: nomad`,
      [strayWrite],
      [],
    ],
    ['on both sides, where nothing changes', `nomad_secret_role.n ${strayRole}`, [strayWrite], [strayWrite]],
    [
      'where a default stands in for an attribute',
      '+ audit.a type: ../policies/acl/a',
      [],
      ['write to sys/policies/acl/a'],
    ],
    ['to nowhere, where that default is harmless', '+ audit.a type: file', [], []],
  ])('is a write %s', (_, plan, before, after) => {
    expect(judged(plan)).toEqual({ before, after, unknown: [] });
  });

  test('shows nothing of the secret that it writes', () => {
    const data = { path: 'sys/policies/acl/x', data_json: '{"password":"s3cret"}', data: '(unmarked)' };
    expect(JSON.stringify(composed([entry('vault_kv_secret.s', { after: data })]))).not.toMatch(
      /s3cret|unmarked/,
    );
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
});

describe('a path that is known after the change alone', () => {
  const at = 'vault_nomad_secret_role.n';
  const nomad = (fields: string) => `+ nomad_secret_role.n ${fields}`;
  const ofMount = { [at]: { backend: ['vault_mount.m.id', 'vault_mount.m'] } };
  const engine = '+ mount.m path: nomad, id?';

  test('is that of the mount that it refers to', () => {
    expect(judged(`${engine}\n ${nomad('role: x, backend?')}`, ofMount)).toEqual(nothing);
  });

  test('stays below that mount, whatever follows', () => {
    const role = nomad('role: ../../auth/approle/role/x, backend?');
    expect(judged(`${engine}\n ${role}`, ofMount).after).toEqual([strayWrite]);
  });

  test('is unknown where it refers to an auth method', () => {
    const refers = { [at]: { backend: ['vault_auth_backend.a.id', 'vault_auth_backend.a'] } };
    expect(judged(`${approle}\n ${nomad('role: x, backend?')}`, refers).unknown).toEqual([at]);
  });

  test.each(['terraform_data', 'random_pet', 'vault_password_policy', 'vault_kv_secret_v2'])(
    'is unknown where it refers to a %s, which may hold any text',
    (type) => {
      const refers = { [at]: { backend: [`${type}.o.output`, `${type}.o`] } };
      const held = type.startsWith('vault') ? { name: 'a', mount: 'kv' } : {};
      const o = entry(`${type}.o`, { after: held, after_unknown: { output: true } });
      expect(judged([o, ...entries(nomad('role: x, backend?'))], refers).unknown).toEqual([at]);
    },
  );

  test.each([
    ['nothing says what it refers to', nomad('role: x, backend?')],
    ['it is hidden', nomad('backend!: nomad, role: x')],
  ])('is unknown where %s', (_, plan) => {
    expect(judged(plan).unknown).toEqual([at]);
  });

  test('is unknown where it has a name that may hold any text', () => {
    const refers = { [at]: { role: ['random_pet.o.id', 'random_pet.o'] } };
    const other = entry('random_pet.o', { after: {}, after_unknown: { output: true } });
    expect(judged([other, ...entries(nomad('backend: nomad, role?'))], refers).unknown).toEqual([at]);
  });

  test('is known enough where it is the id of something of the provider of identities', () => {
    const client = 'identity_oidc_key_allowed_client_id.c';
    const key_name = ['vault_identity_oidc_key.k.id', 'vault_identity_oidc_key.k'];
    const plan = `+ identity_oidc_key.k name: k, id?\n + ${client} key_name?`;
    expect(judged(plan, { [`vault_${client}`]: { key_name } })).toEqual(nothing);
  });

  test('is known enough where the service draws the name', () => {
    const issuer = 'pki_secret_backend_issuer.i';
    const issuer_ref = ['vault_pki_secret_backend_root_cert.r.issuer_id'];
    const root = '+ pki_secret_backend_root_cert.r backend: pki, type: internal, issuer_id?';
    const plan = `${root}\n + ${issuer} backend: pki, issuer_ref?`;
    expect(judged(plan, { [`vault_${issuer}`]: { issuer_ref } })).toEqual(nothing);
  });

  test('decides nothing where nothing changes', () => {
    expect(judged('nomad_secret_role.n backend!: nomad, role: x')).toEqual(nothing);
  });
});

describe('a path with a name of the service further on', () => {
  const secret = "+ kv_secret.s path: kv/auth/db/x, data_json: '{}'";
  const write = ['write to kv/auth/db/x'];

  test.each([
    ['may be of a namespace', secret, write],
    ['is of the engine that is there', `mount.m path: kv/\n ${secret}`, []],
    [
      'may be of a namespace of the name of an engine that is yet to be made',
      `+ mount.m path: kv\n ${secret}`,
      write,
    ],
    ['is not of an engine of another namespace', `mount.m path: kv, namespace: team\n ${secret}`, write],
    ['is a secret of a versioned engine', '+ kv_secret_v2.s mount: kv, name: team/auth/db/x', []],
  ])('%s', (_, plan, after) => {
    expect(judged(plan)).toEqual({ ...nothing, after });
  });

  test('is no way to bring an auth method in as an engine', () => {
    const plan = `mount.m path: auth/approle\n + nomad_secret_role.n ${strayRole}`;
    expect(judged(plan).after).toContain(strayWrite);
  });
});

test('a write to any path is overlooked where it leads into a secrets engine', () => {
  const at = (path: string) => judged(`+ generic_endpoint.e path: ${path}, data_json: '{}'`);
  expect(at('pki/config/urls')).toEqual(nothing);
  expect(at('pki/../sys/x').after).toEqual(['write to sys/x']);
  expect(judged('+ generic_endpoint.e').unknown).toEqual(['vault_generic_endpoint.e']);
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
    const after = change?.after.others?.map(wordsOf) ?? [];
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
    '..',
    '.',
    '',
    ' ',
    '%2e%2e',
    'sys',
    'auth',
    'identity',
    'ns1',
    'x',
    'role',
    'policies',
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
    { numRuns: isIn('npm test') ? 1_000 : 3_000, seed: 43 },
  );
});
