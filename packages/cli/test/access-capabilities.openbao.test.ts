import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { certificate } from '../../../test/harness/certificate.ts';
import { startClusterDouble } from '../../../test/harness/doubles/cluster.ts';
import { describeWithOpenBao } from '../../../test/harness/openbao.ts';
import { startOpenBao } from '../../../test/harness/openbao-server.ts';
import { everyPath, randomFrom, randomPolicies } from '../../../test/harness/random-policies.ts';
import { lastingPort } from '../../../test/harness/server-process.ts';
import { principalsNamed, reachOf, reachOfPolicies } from '../../core/src/access/questions/reach.ts';
import { Acl } from '../../core/src/graph/policies/acl.ts';
import {
  type EmbeddedIdentityProvider,
  startIdentity,
} from '../../secrets-service/src/identity-provider/identity.ts';
import { ServiceClient } from '../../service-client/src/service-client.ts';
import { wholeLiveGraph } from '../src/open/open-graph.ts';
import { OnService } from './review/everyday/on-service.ts';
import { town } from './review/everyday/plans.ts';
import { reviewOf, type SignIns, signInsOf } from './review/everyday/sign-ins.ts';

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_123);
const now = BigInt(Date.now()) * 1_000_000n;
const [asked, capabilities] = [500, ['create', 'read', 'update', 'delete'] as const];
/** In words that are the same here and there. */
const paths = everyPath.filter((path) => !/\/$|\/\//.test(path));

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
const port = await lastingPort();
const { cert = '', key = '' } = certificate ?? {};
const start = () => {
  const at = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return startOpenBao(
    at(
      'tls.hcl',
      `listener "tcp" {
        address = "127.0.0.1:${port}"
        tls_cert_file = "${at('cert.pem', cert)}"
        tls_key_file = "${at('key.pem', key)}"
      }`,
    ),
  );
};

/** Signs in with a certificate, which only a listener with TLS asks for. */
async function certificateToken(): Promise<string> {
  return await new Promise((resolve, reject) => {
    const options = { method: 'POST', port, path: '/v1/auth/cert/login', cert, key, ca: cert };
    const sent = request({ host: '127.0.0.1', ...options }, async (answer) => {
      let text = '';
      for await (const chunk of answer) text += chunk;
      resolve(JSON.parse(text).auth?.client_token ?? reject(new Error(text)));
    });
    sent.on('error', reject).end('{"name":"web"}');
  });
}

describeWithOpenBao(
  `everyone who really signs in (seed ${seed})`,
  (server) => {
    let identity: EmbeddedIdentityProvider;
    let cluster: Awaited<ReturnType<typeof startClusterDouble>>;
    let client: ServiceClient;
    let signIns: SignIns;

    beforeAll(async () => {
      const redirectUris = ['http://localhost:8250/oidc/callback'];
      identity = await startIdentity({
        clients: { open_source_identity_server: [{ clientId: 'vault', clientSecret: 's', redirectUris }] },
      });
      cluster = await startClusterDouble(() => ({
        status: 201,
        body: reviewOf(cluster.asked.at(-1)?.body.spec.token),
      }));
      const host = JSON.parse(cluster.kubeconfig).clusters[0].cluster.server;
      client = new ServiceClient({ address: server().address, token: server().token });
      const service = new OnService(client);
      const oidc = { path: 'staff', type: 'oidc', accessor: 'acc_staff' };
      for (const [type, side] of [
        // Every server in dev mode has this mount.
        ...town.filter(([type]) => type !== 'vault_mount'),
        [
          'vault_jwt_auth_backend',
          {
            ...oidc,
            oidc_client_id: 'vault',
            oidc_client_secret: 's',
            oidc_discovery_url: identity.issuers.open_source_identity_server,
          },
        ],
        [
          'vault_jwt_auth_backend_role',
          {
            backend: 'staff',
            role_name: 'reader',
            role_type: 'oidc',
            user_claim: 'sub',
            allowed_redirect_uris: redirectUris,
            token_policies: ['wide', 'narrow'],
          },
        ],
        ['vault_auth_backend', { path: 'cert', type: 'cert', accessor: 'acc_cert' }],
        [
          'vault_cert_auth_backend_role',
          { backend: 'cert', name: 'web', certificate: cert, token_policies: ['wide', 'deploy'] },
        ],
      ] as typeof town)
        await service.write(
          type,
          JSON.parse(JSON.stringify(side).replaceAll('https://cluster.example', host)),
        );
      const texts = randomPolicies(seed, 4, 12).map((rules) =>
        rules
          .map(
            ({ path, capabilities }) => `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }`,
          )
          .join('\n'),
      );
      for (const [at, name] of ['deploy', 'wide', 'narrow', 'none-yet'].entries())
        await client.put(`sys/policies/acl/${name}`, { policy: texts[at] ?? '' });
      signIns = await signInsOf(client);
      signIns.set('auth/cert web ', certificateToken);
    });
    afterAll(async () => {
      client.close();
      cluster.close();
      await identity.close();
      rmSync(folder, { recursive: true });
    });

    test('can do there what gatehouse access says, and nothing else', async () => {
      const { graph, missing } = await wholeLiveGraph(client);
      expect(missing).toEqual([]);
      const next = randomFrom(seed);
      const seen = new Set<string>();
      for (const [who, signsIn] of signIns) {
        const token = await signsIn(client).catch(() => undefined);
        if (token === undefined) continue;
        const [, method = '', name = '', rest = ''] = /^auth\/(\S+) (\S+) (.*)$/.exec(who) ?? [];
        const role = graph.roles.find((one) => one.method === method && one.name === name);
        const inGroups: string[] = role?.groupsClaim ? JSON.parse(rest)[role.groupsClaim] : [];
        // A token may have one of the policies of its role.
        const picked = method === 'token' && rest !== '' ? [rest, 'default'] : undefined;
        const own = principalsNamed(graph, { kind: 'role', name, method }).flatMap((one) => one.policies);
        const ofEntity =
          method === 'people'
            ? principalsNamed(graph, { kind: 'entity', name }).flatMap((one) => one.policies)
            : [];
        const { rows, policies } =
          role === undefined
            ? reachOfPolicies(graph, picked ?? [...own, ...ofEntity], now)
            : reachOf(graph, role, inGroups, now);
        const lookedUp = (await client.with({ token }).read('auth/token/lookup-self'))?.data ?? {};
        const held = [lookedUp['policies'], lookedUp['identity_policies'] ?? []].flat() as string[];
        expect([who, [...policies].sort()]).toEqual([who, [...new Set(held)].sort()]);
        const rules = rows.map((row) => ({ path: row.pattern, capabilities: row.capabilities }));
        const acl = new Acl([{ name: 'all', rules }], now);
        const pairs = Array.from({ length: asked }, () => ({
          path: paths[next(paths.length)] ?? '',
          capability: capabilities[next(capabilities.length)] ?? 'read',
        }));
        const unique = [...new Set(pairs.map(({ path }) => path))];
        const { data } = await client.post('sys/capabilities', { token, paths: unique });
        const wrong = pairs.filter(
          ({ path, capability }) =>
            (data[path] as string[]).includes(capability) !==
            [...acl.capabilities(path)].includes(capability),
        );
        expect([who, wrong]).toEqual([who, []]);
        seen.add(method);
      }
      expect([...seen].sort()).toEqual(['apps', 'cert', 'ci', 'k8s', 'people', 'staff', 'token']);
    });
  },
  start,
);
