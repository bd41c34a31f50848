import { randomBytes } from 'node:crypto';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServiceClient } from '../client/service-client.ts';
import { type Client, developmentClient, developmentPeople } from '../embedded/identity/development.ts';
import { startIdentity } from '../embedded/identity/identity.ts';
import { signIn } from '../embedded/identity/sign-in.ts';
import { LocalEngine } from '../engine/local/local-engine.ts';
import { Secret } from '../engine/property-value.ts';
import { readStack } from '../engine/stack-files/read-stack.ts';
import { createStackFile } from '../engine/stack-files/write-stack.ts';
import { rotate as rotateSecret } from '../operations/rotate/rotate.ts';
import {
  createMainRealm,
  keycloakClient,
  keycloakPassword,
  sendLoginForm,
} from '../test/harness/keycloak-realm.ts';
import { fetchKeycloak, startKeycloak } from '../test/harness/keycloak-server.ts';
import { apply, environmentOf, makeScratch, root } from './bench-project.ts';
import { atMost, type Figure, figure, median } from './figure.ts';
import { startServer } from './processes.ts';

export interface RotateOptions {
  /** Defaults to 10,000, for each provider. */
  signIns?: number;
  /** Defaults to 20. */
  rounds?: number;
  /** Seconds after which a side ends, whatever is done. Defaults to 300. */
  seconds?: number;
  /** Whether Keycloak is measured, too, where it can be had. Defaults to true. */
  keycloak?: boolean;
}

/** People who sign in at the same time. */
const workers = 8;
const redirectUri = 'http://localhost:8250/oidc/callback';

/** An identity provider whose client can have two secrets. */
interface Side {
  issuer: string;
  clientId: string;
  secret: string;
  /** Signs somebody in, and resolves with where the browser is led back to. */
  authorize(authUrl: string): Promise<string>;
  /** Gives the client a second secret. Of three, the oldest ends. */
  addSecret(): Promise<string>;
  close(): Promise<void>;
}

/** Sign-ins of people while the client secret is rotated by `gatehouse rotate`: none may be refused. */
export async function rotate({
  signIns = 10_000,
  rounds = 20,
  seconds = 300,
  keycloak = true,
}: RotateOptions): Promise<Figure[]> {
  const figures = await measured('embedded provider', await embedded(), { signIns, rounds, seconds });
  const isThere = keycloak && (await fetchKeycloak().then(Boolean, () => false));
  if (!isThere) return figures;
  return [...figures, ...(await measured('Keycloak', await realKeycloak(), { signIns, rounds, seconds }))];
}

async function measured(
  name: string,
  side: Side,
  { signIns, rounds, seconds }: Required<Omit<RotateOptions, 'keycloak'>>,
): Promise<Figure[]> {
  const token = randomBytes(20).toString('hex');
  const server = await startServer([fileURLToPath(new URL('login-server.ts', import.meta.url)), token]);
  const project = await makeScratch('rotate');
  const env = { ...environmentOf({ address: server.address, token }), PULUMI_CONFIG_PASSPHRASE: 'bench' };
  const client = new ServiceClient({ address: server.address, token });
  try {
    await writeProject(project.directory, server.address, side, env);
    const stack = () => readStack(project.directory, 'bench', env);
    await apply(await stack(), env);

    const latencies: number[] = [];
    const refusals: string[] = [];
    let rotations = 0;
    let isOver = false;
    const started = performance.now();
    const isLate = () => performance.now() - started > seconds * 1000;
    const work = async () => {
      while (!isLate() && !(isOver && latencies.length + refusals.length >= signIns)) {
        const begun = performance.now();
        try {
          await signInOnce(client, side);
          latencies.push(performance.now() - begun);
        } catch (error) {
          refusals.push((error as Error).message);
        }
      }
    };
    const rotateAll = async () => {
      while (rotations < rounds && !isLate()) {
        const secret = await side.addSecret();
        const request = { stack: await stack(), env, name: 'staff', secret } as const;
        const { outcome, checks } = await rotateSecret(
          { ...request, approval: 'given', unverified: false },
          new LocalEngine({ env }),
          { onEvent: () => {}, confirm: async () => true },
        );
        if (outcome !== 'rotated') throw new Error(`the rotation is ${outcome}: ${JSON.stringify(checks)}`);
        rotations += 1;
      }
      isOver = true;
    };
    await Promise.all([rotateAll(), ...Array.from({ length: workers }, work)]);
    if (refusals.length > 0) console.error(`${name}: ${[...new Set(refusals)].slice(0, 5).join('\n')}`);
    const sorted = latencies.toSorted((a, b) => a - b);
    return [
      figure(`${name}: sign-ins`, latencies.length, ''),
      figure('  rotations meanwhile', rotations, ''),
      atMost('  sign-ins refused', refusals.length, 0, ''),
      figure('  seconds', (performance.now() - started) / 1000, ' s'),
      figure('  p50 of a sign-in', median(sorted), ' ms'),
      figure('  p99 of a sign-in', sorted[Math.floor(0.99 * (sorted.length - 1))] ?? Number.NaN, ' ms'),
    ];
  } finally {
    client.close();
    await side.close();
    await server.close();
    await project.remove();
  }
}

async function signInOnce(client: ServiceClient, side: Side): Promise<void> {
  const body = { role: 'reader', redirect_uri: redirectUri };
  const { data } = await client.post('auth/staff/oidc/auth_url', body);
  const back = await side.authorize(String(data['auth_url']));
  await client.read('auth/staff/oidc/callback', Object.fromEntries(new URL(back).searchParams));
}

async function writeProject(
  directory: string,
  address: string,
  { issuer, clientId, secret }: Side,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  await copyFile(join(root, 'Pulumi.yaml'), join(directory, 'Pulumi.yaml'));
  await writeFile(join(directory, 'package.json'), '{ "type": "module", "main": "main.mjs" }');
  await writeFile(join(directory, 'main.mjs'), `export * from ${JSON.stringify(join(root, 'main.mjs'))};\n`);
  const roles = [{ name: 'reader', policies: ['default'], ttl: '10m' }];
  await createStackFile(
    directory,
    'bench',
    {
      'gatehouse:service': { address },
      'gatehouse:providers': [{ kind: 'oidc', name: 'staff', issuer, clientId, roles }],
      'gatehouse:clientSecrets': { staff: new Secret(secret) },
    },
    env,
  );
}

async function embedded(): Promise<Side> {
  const client: Client = { ...developmentClient };
  const identity = await startIdentity({ clients: { cloud_directory: [client] } });
  let newest = client.clientSecret;
  return {
    issuer: identity.issuers.cloud_directory,
    clientId: client.clientId,
    secret: newest,
    async authorize(authUrl) {
      return (await signIn({ authUrl, username: developmentPeople[0]?.username ?? '' })).redirectUrl;
    },
    async addSecret() {
      client.clientSecret = newest;
      newest = randomBytes(16).toString('hex');
      client.otherSecrets = [newest];
      return newest;
    },
    close: () => identity.close(),
  };
}

async function realKeycloak(): Promise<Side> {
  const keycloak = await startKeycloak();
  await createMainRealm(keycloak);
  await allowTwoSecrets(keycloak.admin);
  const [{ id }] = (await keycloak.admin('GET', `/main/clients?clientId=${keycloakClient.clientId}`)) as [
    { id: string },
  ];
  const secretPath = `/main/clients/${id}/client-secret`;
  const addSecret = async () => ((await keycloak.admin('POST', secretPath)) as { value: string }).value;
  let cookies = '';
  return {
    issuer: `${keycloak.address}/realms/main`,
    clientId: keycloakClient.clientId,
    secret: await addSecret(),
    async authorize(authUrl) {
      // Once by the form; then the session of the browser is enough, and no password is hashed.
      let answer = await fetch(authUrl, { redirect: 'manual', headers: { Cookie: cookies } });
      await answer.body?.cancel();
      if (answer.status !== 302) {
        answer = await sendLoginForm(authUrl, 'ada', keycloakPassword);
        cookies = answer.headers
          .getSetCookie()
          .map((cookie) => cookie.split(';')[0])
          .join('; ');
      }
      return answer.headers.get('location') ?? '';
    },
    addSecret,
    close: () => keycloak.close(),
  };
}

/** A client's former secret holds for an hour when a new one is made. */
async function allowTwoSecrets(admin: (method: string, path: string, body?: object) => Promise<unknown>) {
  await admin('PUT', '/main/client-policies/profiles', {
    profiles: [
      {
        name: 'rotation',
        executors: [
          {
            executor: 'secret-rotation',
            configuration: {
              'expiration-period': 86_400,
              'rotated-expiration-period': 3_600,
              'remaining-rotation-period': 60,
            },
          },
        ],
      },
    ],
  });
  await admin('PUT', '/main/client-policies/policies', {
    policies: [
      {
        name: 'rotation',
        enabled: true,
        conditions: [{ condition: 'any-client', configuration: {} }],
        profiles: ['rotation'],
      },
    ],
  });
}
