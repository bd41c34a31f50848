import { request } from 'node:https';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import { startTrafficOpenBao, type TrafficOpenBao } from '../../../../../test/harness/traffic-openbao.ts';
import { readLiveGraph } from '../../../../service-client/src/live-graph.ts';
import { ServiceClient } from '../../../../service-client/src/service-client.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { review } from '../../../src/review/review.ts';
import { readSnapshot, snapshotOf } from '../../../src/review/snapshot.ts';
import { alsoWords } from '../../../src/words/also-words.ts';
import { entry, terraform } from '../../review/plan/terraform.ts';
import { Requests } from './split-worlds/service.ts';

const rule = (path: string, ...capabilities: string[]) =>
  `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }`;
const password = 'a-password-of-a-test';

/** What the service hands out: identity tokens, and certificates of two engines, one below the other. */
async function makeSources(bao: Requests): Promise<void> {
  await bao.write('identity/oidc/key/k', { allowed_client_ids: ['app'], algorithm: 'ES256' });
  await bao.write('identity/oidc/role/w', { key: 'k', client_id: 'app', template: '{"team":"admin"}' });
  await bao.write('identity/oidc/role/other', { key: 'k', client_id: 'other', template: '{"team":"admin"}' });
  for (const mount of ['pki', 'pki_int']) await bao.write(`sys/mounts/${mount}`, { type: 'pki' });
  await bao.write('pki/root/generate/internal', { common_name: 'root.example.com', key_type: 'ec' });
  const request = await bao.write('pki_int/intermediate/generate/internal', {
    common_name: 'int.example.com',
    key_type: 'ec',
  });
  const signed = await bao.write('pki/root/sign-intermediate', {
    csr: request['csr'],
    common_name: 'int.example.com',
  });
  await bao.write('pki_int/intermediate/set-signed', { certificate: signed['certificate'] });
  const example = { allowed_domains: ['example.com'], allow_subdomains: true, key_type: 'ec', key_bits: 256 };
  for (const mount of ['pki', 'pki_int']) await bao.write(`${mount}/roles/web`, example);
  await bao.write('pki/roles/shop', { ...example, allowed_domains: ['shop.example.org'] });
}

/** Who signs in: a person by a password, and others with what the sources hand out. */
async function makeSignIns(bao: Requests, address: string): Promise<void> {
  await bao.write('sys/policies/acl/admin', { policy: rule('kv/admin', 'read') });
  await bao.write('sys/policies/acl/ask', { policy: rule('kv/other', 'read') });
  await bao.write('sys/auth/userpass', { type: 'userpass' });
  await bao.write('auth/userpass/users/ann', { password, token_policies: ['ask'] });
  await bao.write('sys/auth/self', { type: 'jwt' });
  const keys = `${address}/v1/identity/oidc/.well-known/keys`;
  await bao.write('auth/self/config', { jwks_url: keys, jwt_supported_algs: ['ES256'] });
  await bao.write('auth/self/role/adm', {
    role_type: 'jwt',
    user_claim: 'sub',
    bound_audiences: ['app', 'other'],
    bound_claims: { team: 'admin' },
    token_policies: ['admin'],
  });
  await bao.write('sys/auth/cert', { type: 'cert' });
  const { data } = await bao.send('GET', 'pki/cert/ca');
  await bao.write('auth/cert/certs/adm', {
    certificate: data['certificate'],
    allowed_common_names: ['admin.example.com'],
    token_policies: ['admin'],
  });
}

/** A plan that lets ann ask for what one rule says. */
function plan(asked: string): string {
  const policy = (text: string) => ({ id: 'ask', name: 'ask', policy: text });
  const before = policy(rule('kv/other', 'read'));
  return terraform([entry('vault_policy.ask', { before, after: policy(asked) })]);
}

/** Certificate and key, and what goes with it to another one. */
interface Issued {
  certificate: string;
  key: string;
  chain?: string | undefined;
}

/** The status of a sign-in over TLS with a certificate, and the token that comes of it. */
function signedInOverTls({ tls, certificate }: TrafficOpenBao, issued: Issued): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const cert = `${issued.certificate}\n${issued.chain ?? ''}`;
    const options = { method: 'POST', ca: certificate.cert, cert, key: issued.key };
    const sent = request(`${tls}/v1/auth/cert/login`, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () =>
        resolve((JSON.parse(text) as { auth?: { client_token: string } }).auth?.client_token),
      );
    });
    sent.on('error', reject).end('{}');
  });
}

const ann = 'user ann of userpass';
const byCertificate = 'which signs in as role adm of cert: gains read kv/admin';

describeWithOpenBao(
  'what hands out credentials on a service',
  (server) => {
    const traffic = () => server() as TrafficOpenBao;
    let bao: Requests;
    let client: ServiceClient;

    beforeAll(async () => {
      bao = new Requests(server(), 4);
      client = new ServiceClient({ address: server().address, token: server().token });
      await makeSources(bao);
      await makeSignIns(bao, server().address);
    });
    afterAll(async () => {
      await bao.close();
      client.close();
    });

    /** The service as a snapshot has it. */
    async function snapshot() {
      const live = await readLiveGraph(client, { messages: false, whole: true, sources: true });
      const service = { graph: live.graph, ids: live.ids, missing: [] };
      const source = { at: '2026-11-30T00:00:00Z', server: server().address, namespace: '' };
      return readSnapshot(snapshotOf(service, source).text);
    }

    /** What a plan with this rule says of ann. */
    async function said(asked: string): Promise<{ gains: string; lines: string[] }> {
      await bao.write('sys/policies/acl/ask', { policy: rule('kv/other', 'read') });
      const now = BigInt(Date.now()) * 1_000_000n;
      const { gains, access } = review(readPlan(plan(asked)), { now, live: await snapshot() });
      const lines = access.flatMap(({ principals: { name }, also }) =>
        also.map(({ what }) => `${name} ${alsoWords(what)}`),
      );
      return { gains, lines };
    }

    /** A token of ann, once the plan is applied. */
    async function annAfter(asked: string): Promise<string> {
      await bao.write('sys/policies/acl/ask', { policy: asked });
      const { auth } = await bao.send('POST', 'auth/userpass/login/ann', { password }, '');
      return auth?.client_token ?? '';
    }

    async function mayReadAdmin(token: string | undefined): Promise<boolean> {
      const { data } = await bao.send('POST', 'sys/capabilities-self', { paths: ['kv/admin'] }, token ?? '-');
      return JSON.stringify(data['kv/admin']) === '["read"]';
    }

    it('is in its snapshot, all of it', async () => {
      const { graph } = await snapshot();
      const sources = (graph.credentials ?? []).map((source) =>
        [source.kind, 'mount' in source && source.mount, 'name' in source && source.name]
          .filter(Boolean)
          .join(' '),
      );
      expect(sources.sort()).toEqual([
        'identityTokenRole other',
        'identityTokenRole w',
        'pkiEngine pki',
        'pkiEngine pki_int',
        'pkiRole pki shop',
        'pkiRole pki web',
        'pkiRole pki_int web',
      ]);
      const lists = graph.complete?.map(({ list }) => list);
      expect(lists).toEqual(expect.arrayContaining(['credentials', 'namespaces']));
    });

    it('an identity token signs in at the service’s own method, and a key that does not sign for a role gives none', async () => {
      const asked = rule('identity/oidc/token/+', 'read');
      expect(await said(asked)).toEqual({
        gains: 'some',
        lines: [`${ann} reads identity/oidc/token/w, which signs in as role self/adm: gains read kv/admin`],
      });
      const token = await annAfter(asked);
      const { data } = await bao.send('GET', 'identity/oidc/token/w', undefined, token);
      const { auth } = await bao.send('POST', 'auth/self/login', { role: 'adm', jwt: data['token'] }, '');
      expect(await mayReadAdmin(auth?.client_token)).toBe(true);
      const refused = await bao.send('GET', 'identity/oidc/token/other', undefined, token);
      expect(refused.status).toBe(400);
    });

    it.each([
      ['of a role', 'pki/issue/web', 'pki/issue/web', {}],
      ['of an authority below', 'pki_int/issue/web', 'pki_int/issue/web', {}],
      ['of an authority by its name', 'pki/issuer/default/issue/web', 'pki/issuer/+/issue/web', {}],
    ])('a certificate %s signs in over TLS', async (_, path, line) => {
      const asked = rule(path, 'update');
      const { gains, lines } = await said(asked);
      expect([gains, lines]).toEqual(['some', [`${ann} requests ${line}, ${byCertificate}`]]);
      const token = await annAfter(asked);
      const { data } = await bao.send('PUT', path, { common_name: 'admin.example.com', ttl: '1h' }, token);
      const signedIn = await signedInOverTls(traffic(), {
        certificate: String(data['certificate']),
        key: String(data['private_key']),
        chain: String(data['issuing_ca']),
      });
      expect(await mayReadAdmin(signedIn)).toBe(true);
    });

    it('a certificate without a role signs in over TLS', async () => {
      const asked = rule('pki/sign-verbatim', 'update');
      const line = `${ann} requests pki/sign-verbatim, ${byCertificate}`;
      expect(await said(asked)).toEqual({ gains: 'some', lines: [line] });
      const token = await annAfter(asked);
      const own = await bao.write('pki_int/intermediate/generate/exported', {
        common_name: 'admin.example.com',
      });
      const { data } = await bao.send('PUT', 'pki/sign-verbatim', { csr: own['csr'], ttl: '1h' }, token);
      const issued = { certificate: String(data['certificate']), key: String(own['private_key']) };
      expect(await mayReadAdmin(await signedInOverTls(traffic(), issued))).toBe(true);
    });

    it('a role that signs no such name gives nothing more than its own path', async () => {
      expect(await said(rule('pki/issue/shop', 'update'))).toEqual({ gains: 'some', lines: [] });
    });
  },
  startTrafficOpenBao,
);
