import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { readStack } from '../../../engine/src/stack-files/read-stack.ts';
import { listen } from '../../../host/src/listen.ts';
import { remember } from '../../src/open/remembered.ts';
import { preflightStack } from '../../src/verify/preflight.ts';
import { verify } from '../../src/verify/verify.ts';

const key = (kid: string) => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
  ...{ kid, alg: 'ES256' },
});

let server: Server;
let address: string;
let folder: string;
let keys: object[];
let document: object;
let status: number;
let requests: string[];

beforeEach(async () => {
  [keys, document, status, requests] = [[key('one')], {}, 200, []];
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const published = { issuer: address, jwks_uri: `${address}/keys`, token_endpoint: `${address}/token` };
    const body = request.url === '/keys' ? { keys } : { ...published, ...document };
    response.writeHead(status).end(JSON.stringify(body));
  });
  address = `http://127.0.0.1:${await listen(server, 0)}`;
  folder = temporaryFolder();
  await writeFile(join(folder, 'Pulumi.yaml'), 'name: gatehouse\nruntime: nodejs\nstackConfigDir: stacks\n');
  await mkdir(join(folder, 'stacks'));
  await declare(['discovered', `discoveryUrl: ${address}`], ['keyed', `jwksUrl: ${address}/keys`]);
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
});

async function declare(...providers: [name: string, source: string][]): Promise<void> {
  const each = providers.map(
    ([name, source]) =>
      `{ kind: jwt, name: ${name}, ${source}, roles: [{ name: ${name}, policies: [default], userClaim: sub, boundAudiences: [secrets], boundSubject: me }] }`,
  );
  await writeFile(
    join(folder, 'stacks/Pulumi.dev.yaml'),
    `config:\n  gatehouse:service: { address: http://127.0.0.1:9 }\n  gatehouse:providers: [${each.join(', ')}]\n`,
  );
}

const file = () => join(folder, 'stacks/providers.dev.json');
const stack = () => readStack(folder, 'dev', {});
const accept = async () =>
  (await remember(await stack(), {})).changes.map(({ method, change }) => `${method} ${change}`);
const compared = async () =>
  (await preflightStack(await stack(), {}))
    .filter(({ what }) => what === 'what it published before')
    .map(({ subject, outcome, detail }) => `${subject.name} ${outcome}: ${detail}`);

test('nothing is compared before anything is remembered', async () => {
  expect(await compared()).toEqual([]);
});

test('it is remembered next to the stack file, and Pulumi sees no stack in it', async () => {
  expect(await accept()).toContain(`discovered issuer: none → ${address}`);
  expect(JSON.parse(await readFile(file(), 'utf8'))).toMatchObject({
    discovered: { discovery: { issuer: address }, keys: [{ kid: 'one' }] },
    keyed: { keys: [{ kid: 'one' }] },
  });
  expect(await readdir(join(folder, 'stacks'))).toEqual(['Pulumi.dev.yaml', 'providers.dev.json']);
  expect(await compared()).toEqual(['discovered ok: unchanged', 'keyed ok: unchanged']);
});

test('a key and an endpoint that change are failures until they are accepted', async () => {
  await accept();
  keys = [...keys, key('two')];
  document = { token_endpoint: 'https://elsewhere.example/token' };
  expect(await compared()).toEqual([
    `discovered failed: token_endpoint: ${address}/token → https://elsewhere.example/token`,
    expect.stringMatching(/^discovered failed: key added: kid "two", ES256, thumbprint [\w-]{43}$/),
    expect.stringMatching(/^keyed failed: key added: kid "two"/),
  ]);
  expect(await accept()).toHaveLength(3);
  expect(await accept()).toEqual([]);
  expect(await compared()).toEqual(['discovered ok: unchanged', 'keyed ok: unchanged']);
});

test('a provider that cannot be read is not known, and stays as it was remembered', async () => {
  await accept();
  const before = await readFile(file(), 'utf8');
  status = 503;
  expect(await compared()).toEqual([
    expect.stringMatching(/^discovered unverified: .* answers 503$/),
    expect.stringMatching(/^keyed unverified: .* answers 503$/),
  ]);
  expect(await accept()).toEqual([]);
  expect(await readFile(file(), 'utf8')).toBe(before);
});

test('a provider that is new is not known, and one that is gone is forgotten', async () => {
  await declare(['keyed', `jwksUrl: ${address}/keys`]);
  await accept();
  await declare(['discovered', `discoveryUrl: ${address}`]);
  expect(await compared()).toEqual([expect.stringMatching(/^discovered unverified: nothing is remembered/)]);
  expect(await accept()).toContain('keyed no longer declared');
  expect(Object.keys(JSON.parse(await readFile(file(), 'utf8')))).toEqual(['discovered']);
});

test('another issuer in the stack file is a difference, too', async () => {
  await accept();
  await declare(['discovered', `discoveryUrl: ${address}/, config: { boundIssuer: ${address} }`]);
  document = { issuer: `${address}/` };
  expect(await compared()).toEqual([`discovered failed: issuer: ${address} → ${address}/`]);
});

test('a file that is not what was written is refused', async () => {
  for (const text of ['', '{"keyed": {"keys": [1]}}', '{"keyed": {"keys": []']) {
    await writeFile(file(), text);
    await expect(compared()).rejects.toMatchObject({ code: 'remembered_invalid' });
    await expect(accept()).rejects.toMatchObject({ code: 'remembered_invalid' });
  }
});

test('verify reads each document once', async () => {
  await accept();
  await declare(['discovered', `discoveryUrl: ${address}`]);
  requests = [];
  await verify({ stack: await stack(), env: {}, tokens: new Map() });
  expect(requests.sort()).toEqual(['/.well-known/openid-configuration', '/keys']);
});
