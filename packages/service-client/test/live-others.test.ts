import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { wholeLiveGraph } from '../../cli/src/open/open-graph.ts';
import { isComplete, isWhole } from '../../core/src/graph/graph.ts';
import { ofKind } from '../../core/src/graph/nodes/other-node.ts';
import { unitesWithOthers } from '../../core/src/graph/nodes/other-role.ts';
import { listen } from '../../host/src/listen.ts';
import { readLiveGraph } from '../src/live-graph.ts';
import { ServiceClient } from '../src/service-client.ts';

/**
 * A double: answers of methods that OpenBao does not have, as the API documents of Vault write them
 * (docs/inside/measured/identity.md#other-methods).
 */
const answers: Record<string, object> = {
  'sys/seal-status': { version: '1.21.0', sealed: false },
  'sys/mounts': {},
  'auth/ldap/groups': { keys: ['Dev'] },
  'auth/ldap/groups/Dev': { policies: ['dev'] },
  'auth/ldap/users': { keys: ['bob'] },
  'auth/ldap/users/bob': { policies: ['bob'], groups: 'extra' },
  'auth/okta/groups': { keys: ['ops'] },
  'auth/okta/groups/ops': { policies: ['ops'] },
  'auth/radius/users': { keys: ['eve'] },
  'auth/radius/users/eve': { policies: ['eve'] },
  'auth/kerberos/groups': { keys: ['kin'] },
  'auth/kerberos/groups/kin': { policies: ['kin'] },
  'auth/gh/map/teams': { keys: ['core'] },
  'auth/gh/map/teams/core': { key: 'core', value: 'core,extra' },
  'auth/gh/map/users': { keys: ['may'] },
  'auth/gh/map/users/may': { key: 'may', value: 'may' },
  'auth/aws/roles': { keys: ['ec2'] },
  'auth/aws/role/ec2': { auth_type: 'iam', bound_iam_principal_arn: ['arn:x'], token_policies: ['ec2'] },
  'auth/gcp/roles': { keys: ['gce'] },
  'auth/gcp/role/gce': { bound_projects: ['p'], token_policies: ['gce'] },
  'auth/azure/role': { keys: ['vm'] },
  'auth/azure/role/vm': {
    bound_subscription_ids: ['s'],
    token_policies: ['vm'],
    token_no_default_policy: true,
  },
  'auth/saml/role': { keys: ['sso'] },
  'auth/saml/role/sso': { bound_subjects: ['*'], token_policies: ['sso'] },
};
const types = { gh: 'github' } as Record<string, string>;
const mounts = [...new Set(Object.keys(answers).flatMap((path) => /^auth\/([^/]+)/.exec(path)?.[1] ?? []))];

const methods = {
  ...Object.fromEntries(
    mounts.map((mount) => [`${mount}/`, { type: types[mount] ?? mount, accessor: `acc_${mount}` }]),
  ),
  'token/': { type: 'token' },
};

let address = '';
let added: Record<string, object> = {};
let status: Record<string, number> = {};
let asked = 0;
const server = createServer((request, response) => {
  asked += 1;
  const path = (request.url ?? '').replace(/^\/v1\/|\?.*$/g, '');
  const found = added[path] ?? (path === 'sys/auth' ? methods : answers[path]);
  const code = status[path] ?? (found === undefined ? 404 : 200);
  if (code === 429) delete status[path];
  response.writeHead(code, { 'retry-after': '0' });
  response.end(JSON.stringify(code === 200 ? { data: found } : { errors: ['no'] }));
});
beforeAll(async () => {
  address = `http://127.0.0.1:${await listen(server, 0)}`;
});
afterAll(() => void server.close());

async function read(given: typeof added = {}, refused: typeof status = {}) {
  [added, status, asked] = [given, refused, 0];
  const client = new ServiceClient({ address, token: 'x', maxConnections: 16 });
  try {
    return await wholeLiveGraph(client);
  } finally {
    client.close();
  }
}

test('every other method is read: who signs in by it, with which policies, and what adds up', async () => {
  const { graph, missing } = await read();
  expect([missing, isWhole(graph)]).toEqual([[], true]);
  const described = ofKind(graph.others, 'otherRole').map(
    (role) => `${role.who}: ${role.policies.join()}${unitesWithOthers(role) ? ' +' : ''}`,
  );
  expect(described.sort()).toEqual([
    'people in directory group Dev: dev +',
    'people in directory group kin: kin +',
    'people in directory group ops: ops +',
    'people in team core: core,extra +',
    'people of role sso (subjects *): sso',
    'user bob: bob +',
    'user eve: eve',
    'user may: may +',
    'workloads of role ec2 (auth type iam; iam principal arn arn:x): ec2',
    'workloads of role gce (projects p): gce',
    'workloads of role vm (subscription ids s): vm',
  ]);
});

test('a method of a type that is not known is a hole with its name', async () => {
  const { graph } = await read({ 'sys/auth': { 'new/': { type: 'brandnew', accessor: 'a' } } });
  expect(isWhole(graph)).toBe(false);
  expect(graph.others).toMatchObject([
    { kind: 'otherMethod', path: 'new', type: 'brandnew', isOpaque: true },
  ]);
});

test('a method has the policies of its configuration, and is a hole where that is refused', async () => {
  const policiesOf = ({ graph }: Awaited<ReturnType<typeof read>>) =>
    ofKind(graph.others, 'otherMethod').find(({ path }) => path === 'radius');
  const config = { 'auth/radius/config': { unregistered_user_policies: ['guest'], token_policies: ['all'] } };
  expect(policiesOf(await read(config))).toMatchObject({ policies: ['all', 'guest'] });
  const closed = await read({}, { 'auth/radius/config': 403 });
  expect([policiesOf(closed)?.isOpaque, isWhole(closed.graph)]).toEqual([true, false]);
});

test('a list that is refused leaves its method open, and the others stand', async () => {
  const { graph, missing } = await read({}, { 'auth/ldap/users': 403 });
  expect(isWhole(graph)).toBe(false);
  expect(missing).toEqual([expect.stringContaining('users of auth/ldap')]);
  const methods = graph.complete?.flatMap(({ list, method }) => (list === 'others' ? (method ?? 'all') : []));
  expect(methods?.sort()).toEqual([...mounts.filter((one) => one !== 'ldap'), 'token'].sort());
});

test('a role whose name has slashes and blanks is read as it is called', async () => {
  const { graph, missing } = await read({
    'auth/azure/role': { keys: ['a/b c'] },
    'auth/azure/role/a/b%20c': { token_policies: ['odd'] },
  });
  expect(missing).toEqual([]);
  expect(graph.others).toContainEqual(expect.objectContaining({ policies: ['odd'] }));
});

test('a key of a service account is not kept', async () => {
  const config = {
    oidc_discovery_url: 'https://accounts.google.com',
    provider_config: { provider: 'workspace_suite', suite_service_account: '{"private_key":"hush"}' },
  };
  const { graph } = await read({
    'sys/auth': { 'suite/': { type: 'oidc', accessor: 'a' } },
    'auth/suite/config': config,
  });
  expect(graph.methods).toMatchObject([{ config: { providerConfig: { suiteServiceAccount: '[secret]' } } }]);
  expect(JSON.stringify(graph)).not.toContain('hush');
});

test('a service that asks for a pause gets it', async () => {
  const { missing } = await read({}, { 'auth/aws/role/ec2': 429 });
  expect(missing).toEqual([]);
});

test('two thousand roles are read, each once', async () => {
  const keys = Array.from({ length: 2_000 }, (_, index) => `r${index}`);
  const { graph, missing } = await read({
    'auth/azure/role': { keys },
    ...Object.fromEntries(keys.map((key) => [`auth/azure/role/${key}`, { token_policies: ['p'] }])),
  });
  expect([missing, isWhole(graph)]).toEqual([[], true]);
  expect(ofKind(graph.others, 'otherRole').filter(({ method }) => method === 'azure')).toHaveLength(2_000);
  expect(asked).toBeLessThan(2_100);
});

test('a group with a member of another namespace leaves open what that member has', async () => {
  const group = { id: 'g1', name: 'ops', type: 'internal', policies: ['ops'] };
  const withMember = (id: string) => ({
    'identity/group/id': { keys: ['g1'], key_info: { g1: { name: 'ops' } } },
    'identity/group/id/g1': { ...group, member_entity_ids: [id] },
    'identity/entity/id': { keys: ['e1'], key_info: { e1: { name: 'ann', aliases: [] } } },
    'identity/entity/id/e1': { id: 'e1', name: 'ann', policies: [] },
  });
  const own = await read(withMember('e1'));
  expect(own.missing.join()).not.toContain('namespace');
  const foreign = await read(withMember('e2.root'));
  expect(foreign.missing).toContain('entity e2.root (it is in the group ops, and not of this namespace)');
  expect(isWhole(foreign.graph)).toBe(false);
});

test('the id of an entity that was merged into another leads to that', async () => {
  const { ids } = await read({
    'identity/entity/id': { keys: ['e1'], key_info: { e1: { name: 'ann', aliases: [] } } },
    'identity/entity/id/e1': { id: 'e1', name: 'ann', policies: [], merged_entity_ids: ['e0'] },
  });
  expect(ids.entity).toEqual({ e0: 'ann', e1: 'ann' });
});

const pki = {
  'sys/mounts': { 'secret/': { type: 'kv' }, 'team/pki/': { type: 'pki' } },
  'team/pki/roles': { keys: ['web'] },
  'team/pki/roles/web': { allow_any_name: true, ttl: 60, allowed_domains: [] },
  'team/pki/issuers': { keys: ['i1'] },
  'team/pki/issuer/i1/json': { certificate: 'a\n', ca_chain: ['a\n', 'b\n'] },
  'team/pki/config/acme': { enabled: false },
};
const tokenRoles = {
  'sys/mounts': {},
  'identity/oidc/role': { keys: ['w'] },
  'identity/oidc/role/w': { key: 'k', client_id: 'app', template: '{"a":1}', ttl: 60 },
  'identity/oidc/key/k': { allowed_client_ids: ['app'] },
};
const isWithSources = ({ graph }: Awaited<ReturnType<typeof read>>) => isComplete(graph, 'credentials');

test('PKI engines are read with their roles and authorities, wherever they are', async () => {
  const { graph, missing } = await read(pki);
  expect(missing).toEqual([]);
  expect(graph.credentials).toEqual([
    { kind: 'pkiEngine', mount: 'team/pki', authorities: ['a', 'b'], hasAll: true },
    { kind: 'pkiRole', mount: 'team/pki', name: 'web', signs: { allow_any_name: true } },
  ]);
});

test.each<[what: string, answered: typeof added]>([
  [
    'orders over ACME with a key of an account',
    { 'team/pki/config/acme': { enabled: true, eab_policy: 'always-required' } },
  ],
  ['a protocol without a token', { 'team/pki/config/est': { enabled: true } }],
])('an engine with %s may give certificates to others', async (_, answered) => {
  const { graph } = await read({ ...pki, ...answered });
  expect(graph.credentials).toContainEqual({ kind: 'pkiEngine', mount: 'team/pki', authorities: ['a', 'b'] });
});

test('orders that anyone may make are a source', async () => {
  const acme = { enabled: true, eab_policy: 'not-required', allowed_roles: ['web'] };
  const { graph } = await read({ ...pki, 'team/pki/config/acme': acme });
  const orders = { kind: 'acmeOrders', mount: 'team/pki', signs: acme };
  expect(graph.credentials).toContainEqual({ ...orders, isForServers: true });
  const forClients = { ...acme, allow_role_ext_key_usage: true };
  const withClients = await read({ ...pki, 'team/pki/config/acme': forClients });
  expect(withClients.graph.credentials).toContainEqual({ ...orders, signs: forClients });
});

test('a role of identity tokens is read with what its key signs for', async () => {
  const role = { kind: 'identityTokenRole', name: 'w', clientId: 'app', key: 'k', template: '{"a":1}' };
  const own = await read(tokenRoles);
  expect([own.graph.credentials, isWithSources(own)]).toEqual([[role], true]);
  const ofOthers = await read({ ...tokenRoles, 'identity/oidc/key/k': { allowed_client_ids: ['other'] } });
  expect(ofOthers.graph.credentials).toEqual([{ ...role, isUnsigned: true }]);
  const hidden = await read(tokenRoles, { 'identity/oidc/key/k': 403 });
  expect(hidden.graph.credentials).toEqual([role]);
});

test.each([
  ['secrets engines', 'sys/mounts'],
  ['PKI engine team/pki', 'team/pki/roles'],
  ['PKI engine team/pki', 'team/pki/roles/web'],
  ['PKI engine team/pki', 'team/pki/config/acme'],
  ['authorities of PKI engine team/pki', 'team/pki/issuers'],
  ['authorities of PKI engine team/pki', 'team/pki/issuer/i1/json'],
  ['roles of identity tokens', 'identity/oidc/role'],
  ['roles of identity tokens', 'identity/oidc/role/w'],
  ['clients of identity tokens', 'identity/oidc/client'],
  ['namespaces', 'sys/namespaces'],
])('%s that may not be read are missing, and not none: %s', async (name, path) => {
  const { graph, missing } = await read({ ...tokenRoles, ...pki }, { [path]: 403 });
  expect(missing).toEqual([`${name} (the token may not read them)`]);
  const engine = graph.credentials?.find(({ kind }) => kind === 'pkiEngine');
  const isKnown = isComplete(graph, 'credentials') && isComplete(graph, 'namespaces');
  expect(isKnown && engine?.kind === 'pkiEngine' && engine.hasAll === true).toBe(false);
});

test('clients of the service as a provider get identity tokens, too', async () => {
  const { graph, missing } = await read({ ...tokenRoles, 'identity/oidc/client': { keys: ['c'] } });
  expect([missing, isComplete(graph, 'credentials')]).toEqual([[], false]);
});

test('a service with namespaces may trust there what it hands out', async () => {
  const { graph } = await read({ ...tokenRoles, 'sys/namespaces': { keys: ['team/'] } });
  expect(isComplete(graph, 'namespaces')).toBe(false);
});

test('what hands out credentials is read for the whole service alone: drift does not ask', async () => {
  await read(pki);
  const withSources = asked;
  const client = new ServiceClient({ address, token: 'x', maxConnections: 16 });
  [added, status, asked] = [pki, {}, 0];
  const { graph } = await readLiveGraph(client, { messages: false, whole: true });
  client.close();
  expect(graph.credentials).toBeUndefined();
  expect(withSources - asked).toBe(12);
});
