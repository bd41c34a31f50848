import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connections } from '../../../packages/service-client/src/exchange.ts';
import { certificate } from '../certificate.ts';
import { describeRunning } from '../describe-running.ts';
import { lastingPort, ServerProcess } from '../server-process.ts';
import { programs, whyNoCluster } from './programs.ts';

/** How long a server may take to answer: five seconds on two free cores. */
const startTimeoutMs = 120_000;

/** A running Kubernetes API server with its own etcd: no nodes and no controllers, so nothing runs in it. */
export interface Cluster {
  /** `https://127.0.0.1:<port>`: of the API server, and the issuer of its service account tokens. */
  address: string;
  /** The CA that vouches for its certificate. */
  caPem: string;
  /** A kubeconfig of one context: of the administrator, or of the owner of a token. */
  kubeconfig(context?: string, token?: string): string;
  /** Sends a request to the API as the administrator. Rejects unless it is answered 2xx. */
  api(method: string, path: string, body?: object): Promise<any>;
  /** Makes a namespace with service accounts in it. */
  makeServiceAccounts(namespace: string, ...names: string[]): Promise<void>;
  /**
   * A token of a service account (`namespace/name`) by TokenRequest, bound to a pod if one is named. Its audience
   * defaults to the API server.
   */
  token(account: string, audience?: string, pod?: { name: string; uid: string }): Promise<string>;
  /** Restarts the API server with a new key that signs; the old ones stay published unless `forget`. */
  rotate(given?: { forget: boolean }): Promise<void>;
  /** Stops both servers and resolves once they have ended. Safe to call twice. */
  close(): Promise<void>;
}

const unavailable =
  (await whyNoCluster()) ?? (certificate === undefined ? 'There is no openssl.' : undefined);
if (unavailable !== undefined) console.warn(`Tests against Kubernetes are skipped. ${unavailable}`);

/** A `describe` with real clusters for its tests; where the programs were not built, they are skipped by their names. */
export function describeWithKubernetes(
  name: string,
  count: number,
  tests: (cluster: (index?: number) => Cluster) => void,
): void {
  const start = async () => {
    const all: Cluster[] = [];
    for (let index = 0; index < count; index++) all.push(await startCluster());
    return { all, close: () => Promise.all(all.map((cluster) => cluster.close())) };
  };
  const patienceMs = count * startTimeoutMs + 10_000;
  describeRunning(name, { start, unavailable, patienceMs }, (running) =>
    tests((index = 0) => running().all[index] as Cluster),
  );
}

/** Starts a cluster of the test's own, with an empty store. The test closes it. */
export async function startCluster(): Promise<Cluster> {
  if (certificate === undefined) throw new Error('the certificate is made with openssl');
  const { cert: caPem, key } = certificate;
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-k8s-'));
  const at = (name: string) => join(folder, name);
  const adminToken = randomBytes(20).toString('hex');
  await writeFile(at('tls.pem'), caPem);
  await writeFile(at('tls-key.pem'), key);
  await writeFile(at('tokens.csv'), `${adminToken},admin,admin,"system:masters"\n`);

  const { PATH, HOME } = process.env;
  const env = { PATH, HOME };
  const socket = `unix://${at('etcd.sock')}`;
  const etcd = new ServerProcess(
    programs.etcd,
    [
      '--data-dir',
      at('etcd'),
      '--unsafe-no-fsync',
      '--log-level',
      'error',
      '--listen-client-urls',
      socket,
      '--advertise-client-urls',
      socket,
      '--listen-peer-urls',
      `unix://${at('peer.sock')}`,
      '--initial-cluster-state',
      'new',
      '--initial-advertise-peer-urls',
      `unix://${at('peer.sock')}`,
      '--initial-cluster',
      `default=unix://${at('peer.sock')}`,
    ],
    { name: 'etcd', env },
  );
  const port = await lastingPort();
  const address = `https://127.0.0.1:${port}`;
  const keys: string[] = [];

  async function serve(): Promise<ServerProcess> {
    const file = at(`key-${keys.length}.pem`);
    await writeFile(file, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pem));
    keys.push(file);
    return new ServerProcess(
      programs['kube-apiserver'],
      [
        `--etcd-servers=${socket}`,
        '--bind-address=127.0.0.1',
        `--secure-port=${port}`,
        `--tls-cert-file=${at('tls.pem')}`,
        `--tls-private-key-file=${at('tls-key.pem')}`,
        `--token-auth-file=${at('tokens.csv')}`,
        '--authorization-mode=RBAC',
        '--profiling=false',
        `--service-account-issuer=${address}`,
        `--service-account-jwks-uri=${address}/openid/v1/jwks`,
        `--service-account-signing-key-file=${file}`,
        ...keys.map((published) => `--service-account-key-file=${published}`),
        '--service-cluster-ip-range=10.0.0.0/24',
        '--endpoint-reconciler-type=none',
      ],
      { name: 'Kubernetes API server', env },
    );
  }

  let connections = new Connections(new URL(address), { caPem });
  async function send(method: string, path: string, body?: object) {
    const answer = await connections.send(path, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      idleMs: 30_000,
    });
    return { status: answer.status, text: answer.body.toString() };
  }
  async function api(method: string, path: string, body?: object): Promise<any> {
    const { status, text } = await send(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return JSON.parse(text);
  }
  const isReady = async () => !etcd.hasEnded && (await send('GET', '/readyz')).status === 200;

  let server = await serve();
  async function close(): Promise<void> {
    connections.close();
    await server.stop();
    await etcd.stop();
    await rm(folder, { recursive: true, force: true });
  }
  async function ready(): Promise<void> {
    await server.answering(isReady, startTimeoutMs, 100).catch(async (cause: Error) => {
      await close();
      throw new Error(`Kubernetes did not start: ${etcd.output}\n${cause.message}`);
    });
  }
  await ready();

  return {
    address,
    caPem,
    api,
    close,
    kubeconfig(name = 'test', token = adminToken) {
      const data = Buffer.from(caPem).toString('base64');
      return JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': name,
        clusters: [{ name, cluster: { server: address, 'certificate-authority-data': data } }],
        users: [{ name, user: { token } }],
        contexts: [{ name, context: { cluster: name, user: name } }],
      });
    },
    async makeServiceAccounts(namespace, ...names) {
      const { status } = await send('GET', `/api/v1/namespaces/${namespace}`);
      if (status === 404) await api('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
      for (const name of names) await api('POST', path, { metadata: { name } });
    },
    async token(account, audience, pod) {
      const [namespace, name] = account.split('/');
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
      const bound = pod && { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', ...pod } };
      const audiences = audience ? [audience] : [];
      const spec = { audiences, expirationSeconds: 600, ...bound };
      return (await api('POST', path, { spec })).status.token;
    },
    async rotate({ forget } = { forget: false }) {
      await server.stop();
      if (forget) keys.length = 0;
      // Those of the server that is gone would fail the first request.
      connections.close();
      connections = new Connections(new URL(address), { caPem });
      server = await serve();
      await ready();
    },
  };
}

const pem = { type: 'pkcs8', format: 'pem' } as const;
