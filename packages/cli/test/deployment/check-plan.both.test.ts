import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type BareServer, serveRequests } from '../../../../test/harness/bare-server.ts';
import { rootToken, startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { longTest } from '../../../../test/harness/long-run.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { CheckedProject, publicKeyText } from './checked-project.ts';

const auditFile = join(temporaryFolder(), 'audit.log');

let service: Awaited<ReturnType<typeof startEmbeddedService>>;
let client: ServiceClient;
let project: CheckedProject;
/** The paths of auth methods, policies and groups. */
let before: unknown;

const live = async () => ({
  mounts: Object.keys((await client.read('sys/auth'))?.data ?? {}).sort(),
  policies: (await client.list('sys/policies/acl'))?.data['keys'],
  groups: (await client.list('identity/group/name'))?.data['keys'],
});
const newToken = async (policy: string) => {
  await client.put('sys/policies/acl/of-the-test', { policy });
  const { auth } = await client.post('auth/token/create', { policies: ['of-the-test'] });
  return String(auth?.['client_token']);
};
const gatehouse: CheckedProject['gatehouse'] = async (...given) => await project.gatehouse(...given);
const write: CheckedProject['write'] = (...given) => project.write(...given);
const all = 'path "*" { capabilities = ["create", "read", "update", "delete", "list", "sudo"] }\n';

beforeAll(async () => {
  service = await startEmbeddedService({ auditFile });
  client = new ServiceClient(service);
});
afterAll(async () => {
  client.close();
  await service.close();
});
/** What else runs for one test. */
const served: BareServer[] = [];
const serve = async (...given: Parameters<typeof serveRequests>) => {
  const server = await serveRequests(...given);
  served.push(server);
  return server;
};
afterEach(async () => {
  await Promise.all(served.splice(0).map((server) => server.close()));
});
beforeEach(async () => {
  project = new CheckedProject(service.address);
  before = await live();
});

/** Fails an `up`, and says what its error lists. */
async function refused(token = rootToken): Promise<string> {
  const { code, err } = await gatehouse('up -s dev --yes', token);
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('(would_fail)') });
  return err;
}

describe('an up that would fail writes nothing', () => {
  longTest.each([
    ['at it, of another type', 'teams/ci', 'the service has one there already, of type oidc'],
    ['around it', 'teams', 'the service has auth/teams, of type oidc, around it'],
    ['below it', 'teams/ci/more', 'the service has auth/teams/ci/more, of type oidc, below it'],
  ])('where an auth method is %s', async (_, path, words) => {
    await client.post(`sys/auth/${path}`, { type: 'oidc' });
    before = await live();
    expect(await refused()).toContain(`Auth method auth/teams/ci cannot be made: ${words}.`);
    expect(await live()).toEqual(before);
    await client.delete(`sys/auth/${path}`);
  });

  test('where the token lacks something, which is all said at once', async () => {
    const token = await newToken(
      `${all}path "auth/teams/ci/role/web" { capabilities = ["read", "update"] }\npath "sys/policies/acl/reading" { capabilities = ["read"] }\npath "sys/auth/+/ci" { capabilities = ["create", "read", "update"] }\n`,
    );
    before = await live();
    const words = await refused(token);
    expect(words).toContain('The service would refuse this for 3 reasons. Nothing was changed:');
    expect(words).toContain('The token lacks create on auth/teams/ci/role/web.');
    expect(words).toContain('The token lacks update on sys/policies/acl/reading.');
    expect(words).toContain('The token lacks sudo on sys/auth/teams/ci.');
    expect(await live()).toEqual(before);
  });

  test('where the service has a group of the name, though it may be taken over', async () => {
    write(
      ['web'],
      `  gatehouse:groups: [{ name: Engineers, policies: [reading], members: [people] }]\n`,
      '',
      `    - kind: jwt
      name: other
      issuer: https://ci.example.com
      publicKeys: [${publicKeyText}]
      roles: [{ name: one, userClaim: sub, groupsClaim: groups, boundAudiences: [a], policies: [reading], ttl: 10m }]
      groups: [{ name: people, policies: [reading], alias: people }]
`,
    );
    await client.post('identity/group', { name: 'engineers', type: 'internal' });
    before = await live();
    const { code, err } = await gatehouse("up -s dev --yes --take-over 'group engineers'");
    expect(code).toBe(1);
    expect(err).toContain('(would_fail)');
    expect(err).toContain('Group Engineers cannot be made: the service has one of this name.');
    expect(await live()).toEqual(before);
  });
});

describe('a period that is too long', () => {
  const withPeriod = (period: string, tune = '') =>
    write(
      ['web'],
      '',
      '',
      `        - { name: agent, namespace: shop, serviceAccount: agent, audience: a, tokenPeriod: ${period}, boundClaims: { a: [1] } }
    - kind: container_orchestrator
      name: more
      publicKeys: [${publicKeyText}]
      ${tune}
      roles: [{ name: agent, namespace: shop, serviceAccount: agent, audience: a, tokenPeriod: ${period} }]
`,
    );

  longTest('is refused by what the service allows, whichever resource the role is', async () => {
    withPeriod('769h');
    const words = await refused();
    expect(words).toContain(
      'Role more/agent cannot be made: its period, 32d1h, is longer than tokens of the method may live, 32d.',
    );
    expect(words).toContain('Role teams/ci/agent cannot be made: its period, 32d1h,');
    expect(await live()).toEqual(before);
  });

  test('is allowed by a method that is tuned to it, by the same plan or before', async () => {
    await client.post('sys/auth/teams/ci', { type: 'jwt', config: { max_lease_ttl: '800h' } });
    withPeriod('769h', 'tune: { maxLeaseTtl: 770h }');
    const words = await refused();
    expect(words).not.toContain('period');
    await client.delete('sys/auth/teams/ci');
  });
});

longTest.each([
  ['with a slash that it does not have', '/', ''],
  ['without the slash that it has', '', '/'],
])('an issuer that is written %s is refused', async (_, written, named) => {
  const issuer = await serve((_request, _body, response) =>
    response.end(JSON.stringify({ issuer: `${issuer.address}${named}`, jwks_uri: `${issuer.address}/keys` })),
  );
  const own = `    - { kind: jwt, name: robots, issuer: "${issuer.address}${written}", audiences: [a], roles: [{ name: a, boundSubject: b }] }\n`;
  write(['web'], '', '', own);
  expect(await refused()).toContain(
    `Auth method auth/robots cannot be configured: the discovery document at ${issuer.address}${written} names the issuer "${issuer.address}${named}". Write the issuer exactly so.`,
  );
  expect(await live()).toEqual(before);
});

test.each([
  ['1.21.0', '  gatehouse:namespaces: [{ path: shop }]\n'],
  ['2.2.0', '  gatehouse:namespaces: [{ path: shop }]\n'],
])('a service of version %s has no namespaces, and is not asked for any', async (version, keys) => {
  const other = await serve((_request, _body, response) => {
    response.end(JSON.stringify({ data: { sealed: false, version } }));
  });
  const elsewhere = new CheckedProject(other.address);
  elsewhere.write(['web'], keys, 'shop');
  const { code, err } = await elsewhere.gatehouse('up -s dev --yes');
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('(namespaces_unsupported)') });
});

test('a preview warns of the same, and ends well', async () => {
  await client.post('sys/auth/teams', { type: 'oidc' });
  const token = await newToken(`${all}path "auth/teams/ci/config" { capabilities = ["read"] }\n`);
  const { code, err } = await gatehouse('preview -s dev', token);
  await client.delete('sys/auth/teams');
  expect(code).toBe(0);
  expect(err).toMatch(/warning: Auth method auth\/teams\/ci cannot be made/);
  expect(err).toMatch(/warning: The token lacks update on auth\/teams\/ci\/config\./);
});

longTest('a token that may not ask what it may do goes on, and that is said', async () => {
  const token = await newToken(`${all}path "sys/capabilities-self" { capabilities = ["deny"] }\n`);
  const { code, err } = await gatehouse('up -s dev --yes', token);
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(
      /warning: Not checked: what the token may write \(it may not ask at sys\/capabilities-self\)\./,
    ),
  });
  const destroyed = await gatehouse('destroy -s dev --yes');
  expect(destroyed.code).toBe(0);
});

longTest('what the stack made is its own: a change of it, and the next up, are refused nothing', async () => {
  expect((await gatehouse('up -s dev --yes')).code).toBe(0);
  write(['web', 'worker', 'third']);
  const token = await newToken(
    `${all}path "auth/teams/ci/role/third" { capabilities = ["read"] }\npath "auth/teams/ci/role/web" { capabilities = ["deny"] }\n`,
  );
  const { err } = await gatehouse('up -s dev --yes', token);
  expect(err).toContain('The service would refuse this. Nothing was changed:');
  expect(err).toContain('The token lacks create on auth/teams/ci/role/third.');
  write(['worker']);
  expect((await gatehouse('up -s dev --yes', token)).err).toContain(
    'The token lacks delete on auth/teams/ci/role/web.',
  );
  expect((await gatehouse('up -s dev --yes')).code).toBe(0);
  expect((await gatehouse('destroy -s dev --yes')).code).toBe(0);
});

longTest('a plan of 300 roles takes one request for capabilities', async () => {
  write(Array.from({ length: 300 }, (_, at) => `role-${at}`));
  const asked = () =>
    readFileSync(auditFile, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"request"'));
  const start = asked().length;
  expect((await gatehouse('preview -s dev')).code).toBe(0);
  const since = asked().slice(start);
  const at = (path: string) =>
    since.filter((line) => line.includes(`"type":"request"`) && line.includes(`"path":"${path}"`));
  expect(at('sys/capabilities-self')).toHaveLength(1);
  expect(since.length).toBeLessThan(200);
});
