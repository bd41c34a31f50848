import { randomBytes } from 'node:crypto';
import { ServiceClient } from '../../client/service-client.ts';
import { type Client, developmentClient, developmentPeople } from '../../embedded/identity/development.ts';
import { startIdentity } from '../../embedded/identity/identity.ts';
import { signIn } from '../../embedded/identity/sign-in.ts';
import { LocalEngine } from '../../engine/local/local-engine.ts';
import { Secret } from '../../engine/property-value.ts';
import { readStack } from '../../engine/stack-files/read-stack.ts';
import { createStackFile } from '../../engine/stack-files/write-stack.ts';
import { rotate as rotateSecret } from '../../operations/rotate/rotate.ts';
import {
  answerIn,
  createMainRealm,
  keycloakClient,
  keycloakPassword,
  sendLoginForm,
} from '../../test/harness/keycloak-realm.ts';
import { fetchKeycloak, type Keycloak, startKeycloak } from '../../test/harness/keycloak-server.ts';
import { type AtEnd, type Bench, type Figure, figure, median, type Options, percentile } from './frame.ts';
import { apply, environmentOf, makeProgram, startEmbedded } from './project.ts';

/** People who sign in at the same time. */
const workers = 8;
const redirect_uri = keycloakClient.redirectUri;

/** An identity provider whose client can have two secrets. */
interface Side {
  issuer: string;
  clientId: string;
  secret: string;
  /** Signs someone in. Resolves to where the provider sends the browser. */
  authorize(authUrl: string): Promise<string>;
  /** Gives the client a second secret. Of three, the oldest ends. */
  addSecret(): Promise<string>;
}

/** Sign-ins of people while `gatehouse rotate` exchanges the client secret: none may be refused. */
export const rotate: Bench = async (options, atEnd) => {
  const client: Client = { ...developmentClient };
  const identity = await startIdentity({ clients: { cloud_directory: [client] } });
  atEnd(() => identity.close());
  const [{ username } = { username: '' }] = developmentPeople;
  let newest = client.clientSecret;
  const side: Side = {
    ...{ issuer: identity.issuers.cloud_directory, clientId: client.clientId, secret: newest },
    authorize: async (authUrl) => (await signIn({ authUrl, username })).redirectUrl,
    async addSecret() {
      client.clientSecret = newest;
      newest = randomBytes(16).toString('hex');
      client.otherSecrets = [newest];
      return newest;
    },
  };
  return await whileRotating('embedded provider', side, options, atEnd);
};

/** The same at Keycloak, where it can be had. */
export const rotateAtKeycloak: Bench = async (options, atEnd) => {
  const isThere = await fetchKeycloak().then(Boolean, () => false);
  if (!isThere) return [{ what: 'Keycloak', measured: 'skipped: it cannot be had here' }];
  const keycloak = await startKeycloak();
  atEnd(() => keycloak.close());
  await createMainRealm(keycloak);
  await allowTwoSecrets(keycloak);
  const { clientId } = keycloakClient;
  const [{ id }] = (await keycloak.admin('GET', `/main/clients?clientId=${clientId}`)) as [{ id: string }];
  const addSecret = async () =>
    ((await keycloak.admin('POST', `/main/clients/${id}/client-secret`)) as { value: string }).value;
  let Cookie = '';
  const side: Side = {
    ...{ issuer: `${keycloak.address}/realms/main`, clientId, secret: await addSecret(), addSecret },
    async authorize(authUrl) {
      // Once by the form; then the session of the browser is enough, and no password is hashed.
      let answer = await fetch(authUrl, { redirect: 'manual', headers: { Cookie } });
      await answer.body?.cancel();
      if (answer.status !== 302) {
        answer = await sendLoginForm(authUrl, 'ada', keycloakPassword);
        const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
        Cookie = cookies.join('; ');
      }
      return answer.headers.get('location') ?? '';
    },
  };
  return await whileRotating('Keycloak', side, options, atEnd);
};

async function whileRotating(
  name: string,
  side: Side,
  { n = 10_000, rounds = 20, seconds = 300 }: Options,
  atEnd: AtEnd,
): Promise<Figure[]> {
  const service = await startEmbedded(atEnd);
  const { issuer, clientId } = side;
  const directory = await makeProgram(atEnd, 'gatehouse');
  const env = { ...environmentOf(service), PULUMI_CONFIG_PASSPHRASE: 'bench' };
  const roles = [{ name: 'reader', policies: ['default'], ttl: '10m' }];
  const config = {
    'gatehouse:service': { address: service.address },
    'gatehouse:providers': [{ kind: 'oidc', name: 'staff', issuer, clientId, roles }],
    'gatehouse:clientSecrets': { staff: new Secret(side.secret) },
  };
  await createStackFile(directory, 'bench', config, env);
  const stack = () => readStack(directory, 'bench', env);
  await apply(await stack(), env);
  const client = new ServiceClient(service);
  atEnd(() => client.close());

  const latencies: number[] = [];
  const refusals: string[] = [];
  let rotations = 0;
  const started = performance.now();
  const isLate = () => performance.now() - started > seconds * 1000;
  const isDone = () => rotations === rounds && latencies.length + refusals.length >= n;
  const signInAgain = async () => {
    while (!isLate() && !isDone()) {
      const begun = performance.now();
      await signInOnce(client, side).then(
        () => latencies.push(performance.now() - begun),
        (error: Error) => refusals.push(error.message),
      );
    }
  };
  const rotateAll = async () => {
    const quietly = { onEvent: () => {}, confirm: async () => true };
    while (rotations < rounds && !isLate()) {
      const request = { stack: await stack(), env, name: 'staff', secret: await side.addSecret() };
      const approved = { ...request, approval: 'given', unverified: false } as const;
      const { outcome, checks } = await rotateSecret(approved, new LocalEngine({ env }), quietly);
      if (outcome !== 'rotated') throw new Error(`the rotation is ${outcome}: ${JSON.stringify(checks)}`);
      rotations += 1;
    }
  };
  await Promise.all([rotateAll(), ...Array.from({ length: workers }, signInAgain)]);
  if (refusals.length > 0) console.error(`${name}: ${[...new Set(refusals)].slice(0, 5).join('\n')}`);
  return [
    figure(`${name}: sign-ins`, latencies.length),
    figure('  rotations meanwhile', rotations),
    figure('  sign-ins refused', refusals.length, '', 0),
    figure('  seconds', (performance.now() - started) / 1000, ' s'),
    figure('  p50 of a sign-in', median(latencies), ' ms'),
    figure('  p99 of a sign-in', percentile(latencies, 0.99), ' ms'),
  ];
}

async function signInOnce(client: ServiceClient, { authorize }: Side): Promise<void> {
  const { data } = await client.post('auth/staff/oidc/auth_url', { role: 'reader', redirect_uri });
  const back = await authorize(String(data['auth_url']));
  await client.read('auth/staff/oidc/callback', answerIn(back));
}

/** A client's former secret holds for an hour when a new one is made. */
async function allowTwoSecrets({ admin }: Keycloak): Promise<void> {
  const configuration = {
    'expiration-period': 86_400,
    'rotated-expiration-period': 3_600,
    'remaining-rotation-period': 60,
  };
  const profile = { name: 'rotation', executors: [{ executor: 'secret-rotation', configuration }] };
  await admin('PUT', '/main/client-policies/profiles', { profiles: [profile] });
  const conditions = [{ condition: 'any-client', configuration: {} }];
  const policy = { name: 'rotation', enabled: true, conditions, profiles: ['rotation'] };
  await admin('PUT', '/main/client-policies/policies', { policies: [policy] });
}
