import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { started } from '../../../../test/harness/started.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { readDeclaring } from '../../src/open/open-stack.ts';
import { checkTokenNames, revokeSignIns, withServiceToken } from '../../src/open/service-token.ts';
import { projectFolder } from '../running-command.ts';

const at = (address: string, keys = '') => `config:\n  gatehouse:service: { address: "${address}"${keys} }\n`;
const folder = projectFolder({
  'Pulumi.prod-eu.yaml': at('https://vault.example:8200'),
  'Pulumi.prod.eu.yaml': at('https://vault.example:8200'),
  'Pulumi.plain.yaml': at('http://vault.example:8200'),
  'Pulumi.us.yaml': at('https://vault-us.example'),
  'Pulumi.name.yaml': at('https://vault.example:8200'),
  'Pulumi.us-file.yaml': at('https://vault-us.example'),
  'Pulumi.in-file.yaml': 'config:\n  gatehouse:file: main.yaml\n',
  'main.yaml': 'service: { address: "https://vault-us.example" }\n',
  token: 'hvs.from-file\n',
  empty: '\n',
  page: '<html>504</html>',
});
const file = (name: string) => join(folder, name);
const openStack = (name: string) => readDeclaring(folder, name, {});
const tokenOf = async (name: string, env: NodeJS.ProcessEnv) =>
  (await withServiceToken(await openStack(name), env))['VAULT_TOKEN'];

const everything = {
  VAULT_TOKEN_PROD_EU: 'hvs.stack',
  VAULT_TOKEN_PROD_EU_FILE: file('token'),
  VAULT_TOKEN_VAULT_EXAMPLE_8200: 'hvs.service',
  VAULT_TOKEN_VAULT_EXAMPLE_8200_FILE: file('token'),
  VAULT_TOKEN: 'hvs.any',
};

describe('the token of a stack is that of', () => {
  test.each([
    ['the stack', 'hvs.stack', []],
    ['its file', 'hvs.from-file', ['VAULT_TOKEN_PROD_EU']],
    ['the service, with its port', 'hvs.service', ['VAULT_TOKEN_PROD_EU', 'VAULT_TOKEN_PROD_EU_FILE']],
    ['all', 'hvs.any', Object.keys(everything).filter((name) => name !== 'VAULT_TOKEN')],
  ])('%s', async (_, token, unset) => {
    const left = Object.entries(everything).filter(([name]) => !unset.includes(name as never));
    expect(await tokenOf('prod-eu', Object.fromEntries(left))).toBe(token);
  });

  test('the address that a variable gives', async () => {
    const env = { VAULT_TOKEN_OTHER: 'hvs.other', GATEHOUSE_SERVICE_ADDRESS: 'https://other:443' };
    expect(await tokenOf('us', env)).toBe('hvs.other');
  });

  test('the address in a file of the environment', async () => {
    expect(await tokenOf('in-file', { VAULT_TOKEN_VAULT_US_EXAMPLE: 'hvs.us' })).toBe('hvs.us');
  });
});

test('a file is read anew each time', async () => {
  const env = { VAULT_TOKEN_US_FILE: file('rotated') };
  writeFileSync(file('rotated'), 'hvs.one');
  expect(await tokenOf('us', env)).toBe('hvs.one');
  writeFileSync(file('rotated'), 'hvs.two');
  expect(await tokenOf('us', env)).toBe('hvs.two');
});

test.each([
  ['an empty variable', { VAULT_TOKEN_US: '' }],
  ['an empty file', { VAULT_TOKEN_US_FILE: file('empty') }],
  ['a file that is not there', { VAULT_TOKEN_US_FILE: file('gone') }],
  ['a page instead of a token', { VAULT_TOKEN_US_FILE: file('page') }],
  ['a path instead of a token', { VAULT_TOKEN_US: file('token') }],
  ['a token instead of a path', { VAULT_TOKEN_US_FILE: 'hvs.secret' }],
  ['a token instead of a JWT', { VAULT_JWT_US: 'hvs' }],
])('%s is an error that names the variable and shows nothing, and no other token is used', async (_, set) => {
  const [variable = '', given] = Object.entries(set)[0] ?? [];
  const error = await tokenOf('us', { ...set, VAULT_TOKEN: 'hvs.any' }).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'token_invalid', message: expect.stringContaining(`${variable}:`) });
  expect(error.cause).toBeUndefined();
  if (given !== '') expect(error.message).not.toContain(given);
});

test('an engine is given the token of its stack, and no other', async () => {
  const env = await withServiceToken(await openStack('us'), {
    ...everything,
    VAULT_JWT_X: 'a.b.c',
    HOME: '/',
  });
  expect(env).toEqual({ VAULT_TOKEN: 'hvs.any', HOME: '/' });
});

test('VAULT_TOKEN_NAME is what the plugin calls its tokens, and not the token of a stack', async () => {
  const env = { VAULT_TOKEN_NAME: 'pipeline', VAULT_TOKEN: 'hvs.any' };
  expect(await withServiceToken(await openStack('name'), env)).toEqual(env);
});

test("the file of one stack's token is not the token of another", async () => {
  const env = { VAULT_TOKEN_US_FILE: file('token'), VAULT_TOKEN: 'hvs.any' };
  await expect(tokenOf('us-file', env)).rejects.toMatchObject({ code: 'token_invalid' });
});

test.each([
  ['two stacks', ['prod-eu', 'prod.eu'], 'VAULT_TOKEN_PROD_EU', ['prod-eu', 'prod.eu']],
  [
    'two services',
    ['prod-eu', 'plain'],
    'VAULT_TOKEN_VAULT_EXAMPLE_8200',
    ['https://vault.example:8200', 'http://vault.example:8200'],
  ],
  ['a file and a token', ['us', 'us-file'], 'VAULT_TOKEN_US_FILE', ['us', 'us-file']],
])('a variable for %s is an error that names both', async (_, names, variable, owners) => {
  const stacks = await Promise.all(names.map(openStack));
  const check = () => checkTokenNames(stacks, { [variable]: 'hvs.x' });
  expect(check).toThrow(variable);
  for (const owner of owners) expect(check).toThrow(owner);
  expect(() => checkTokenNames(stacks, { VAULT_TOKEN: 'hvs.x' })).not.toThrow();
});

test('a variable of a service that several stacks share is theirs', async () => {
  const stacks = await Promise.all(['prod-eu', 'prod.eu'].map(openStack));
  expect(() => checkTokenNames(stacks, { VAULT_TOKEN_VAULT_EXAMPLE_8200: 'hvs.x' })).not.toThrow();
});

describe('a sign-in', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwt = (subject = 'watcher') =>
    new SignJWT({ n: Math.random() })
      .setProtectedHeader({ alg: 'RS256' })
      .setSubject(subject)
      .setAudience('gatehouse')
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);

  const service = started(startEmbeddedService);
  const client = started(() => new ServiceClient(service()));
  beforeAll(async () => {
    await client().post('sys/auth/ci', { type: 'jwt' });
    await client().put('auth/ci/config', {
      jwt_validation_pubkeys: [publicKey.export({ type: 'spki', format: 'pem' })],
    });
    await client().put('auth/ci/role/watcher', {
      role_type: 'jwt',
      user_claim: 'sub',
      bound_subject: 'watcher',
      bound_audiences: ['gatehouse'],
      token_policies: ['read'],
      token_ttl: '10m',
    });
    writeFileSync(file('Pulumi.ci.yaml'), at(service().address, ', signIn: { path: ci, role: watcher }'));
    writeFileSync(file('Pulumi.silent.yaml'), at(service().address));
  });
  const lookUp = async (token = '') => (await client().with({ token }).read('auth/token/lookup-self'))?.data;

  test('gives a token, which is used again for the same JWT, and is revoked in the end', async () => {
    const env = { VAULT_JWT_CI: await jwt(), VAULT_TOKEN: 'hvs.any' };
    const stack = await openStack('ci');
    const both = await Promise.all([1, 2].map(() => withServiceToken(stack, env)));
    const [token, other] = both.map((one) => one['VAULT_TOKEN']);
    expect(await lookUp(token)).toMatchObject({ policies: expect.arrayContaining(['read']) });
    expect(other).toBe(token);
    expect(await tokenOf('ci', { VAULT_JWT_CI: await jwt() })).not.toBe(token);
    await revokeSignIns();
    await expect(lookUp(token)).rejects.toMatchObject({ code: 'permission_denied' });
  });

  test('is made anew once two thirds of the time of its token are over', async () => {
    const env = { VAULT_JWT_CI: await jwt() };
    const { now } = Date;
    try {
      const token = await tokenOf('ci', env);
      Date.now = () => now() + 390_000;
      expect(await tokenOf('ci', env)).toBe(token);
      Date.now = () => now() + 410_000;
      expect(await tokenOf('ci', env)).not.toBe(token);
    } finally {
      Date.now = now;
      await revokeSignIns();
    }
  });

  test('comes after a token for the stack or its service', async () => {
    const { host } = new URL(service().address);
    const variable = `VAULT_TOKEN_${host.replace(/\W/g, '_')}`;
    expect(await tokenOf('ci', { VAULT_JWT_CI: 'not.a.jwt', [variable]: 'hvs.x' })).toBe('hvs.x');
  });

  test('that the service refuses is an error without the JWT', async () => {
    const env = { VAULT_JWT_CI: await jwt('intruder'), VAULT_TOKEN: 'hvs.any' };
    const [error, other] = await Promise.all([1, 2].map(() => tokenOf('ci', env).catch((thrown) => thrown)));
    expect(other).toMatchObject({ code: error.code, message: error.message });
    expect(error).toMatchObject({ code: 'token_refused', message: expect.stringContaining('VAULT_JWT_CI') });
    expect(error.message).not.toContain(env.VAULT_JWT_CI);
  });

  test('needs to be told where', async () => {
    const env = { VAULT_JWT_SILENT: await jwt(), VAULT_TOKEN: 'hvs.any' };
    await expect(tokenOf('silent', env)).rejects.toMatchObject({ code: 'token_missing' });
  });
});
