import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import { randomFrom } from '../../../../../test/harness/random-policies.ts';
import { configFields } from '../../../src/graph/resources/auth-method.ts';
import { methodPath } from '../../../src/graph/resources/checks.ts';
import { type Fields, problemsOf, wireNameIn } from '../../../src/graph/resources/field.ts';
import { roleRefusals } from '../../../src/graph/resources/refusals.ts';
import { roleFields, roleFromWire } from '../../../src/graph/resources/role.ts';
import { roleSettings } from '../../../src/graph/resources/role-settings.ts';
import { certificatePem, keyPem, otherKeyPem } from '../../pems.ts';

/** Values at and around what servers take, by field. Each field that is checked has some. */
const ofRoles: Record<string, readonly unknown[]> = {
  roleType: ['jwt', 'oidc'],
  ttl: [0, 1800, 3600, 7200],
  tokenMaxTtl: [0, 3600],
  tokenExplicitMaxTtl: [0, 60],
  tokenPeriod: [0, 3600],
  tokenNumUses: [0, 3],
  tokenType: ['default', 'service', 'batch'],
  boundSubject: ['', 'kim'],
  boundAudiences: [[], ['app']],
  boundClaimsType: ['string', 'glob'],
  boundClaims: [{}, { a: 'b' }, { a: 5 }, { a: ['x', true] }, { a: { b: 1 } }, { a: null }],
  claimMappings: [{}, { a: 'role' }, { role: 'a' }, { a: 'b', c: 'b' }],
  allowedRedirectUris: [[], ['http://localhost:8250/oidc/callback']],
  tokenBoundCidrs: [
    [],
    ['10.0.0.1'],
    ['10.0.0.0/8', 'fd00::/8'],
    ['localhost'],
    ['10.0.0.256'],
    ['::1', 'x'],
  ],
};

const privateKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
const spki = { type: 'spki', format: 'pem' } as const;
const ofKeys = [
  keyPem,
  certificatePem,
  keyPem.trim(),
  `note\n${keyPem}`,
  keyPem.replaceAll('\n', '\r\n'),
  keyPem + otherKeyPem,
  String(privateKey),
  keyPem + String(privateKey),
  'junk',
  '',
  `${keyPem}x`,
  keyPem.replaceAll('\n', ' '),
  keyPem.replaceAll('\n', '\\n'),
  keyPem.replace('MFkw', 'MFkx'),
  keyPem.replaceAll('PUBLIC KEY', 'CERTIFICATE'),
  keyPem.replace('-----\n', '-----\na: b\n\n'),
  ...(['secp256k1', 'P-224', 'P-384', 'P-521'] as const).map((namedCurve) =>
    generateKeyPairSync('ec', { namedCurve }).publicKey.export(spki),
  ),
  generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export(spki),
  generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'pkcs1', format: 'pem' }),
  generateKeyPairSync('ed25519').publicKey.export(spki),
  generateKeyPairSync('x25519').publicKey.export(spki),
].map(String);
const ofCertificates = [
  certificatePem,
  `${certificatePem}x`,
  keyPem + certificatePem,
  keyPem,
  'junk',
  certificatePem.replace('MII', 'MIA'),
  certificatePem.replace('MII', 'MIA') + certificatePem,
];

const ofPaths = [
  'ci',
  'team/ci',
  'token',
  'token/x',
  'x/token',
  'TOKEN',
  'a.b',
  '.a',
  'a.',
  '..',
  '.',
  'a/..',
  'a@b',
  'a:b',
  '{{a}}',
  'a+',
  'a*',
  'é',
  'login',
  'config',
  'identity',
  'cubbyhole',
  'a\tb',
];
const ofNames = ['a', 'A', 'a.b', 'a-b', '_a', '0', '-a', 'a-', '.a', 'a.', 'a b', 'a/b', 'é', 'a@b', 'a..b'];

describeWithOpenBao('what servers refuse', (server) => {
  const send = async (method: string, path: string, body?: object) => {
    const { address, token } = server();
    const answer = await fetch(`${address}/v1/${path}`, {
      method,
      headers: { 'X-Vault-Token': token },
      ...(body && { body: JSON.stringify(body) }),
    });
    return answer.status;
  };
  const isRefused = (status: number) => status >= 400;

  test('in a role is what is refused here', async () => {
    await send('POST', 'sys/auth/roles', { type: 'jwt' });
    await send('POST', 'auth/roles/config', { jwt_validation_pubkeys: [keyPem] });
    const next = randomFrom(Number(process.env['GATEHOUSE_REFUSALS_SEED'] ?? 1));
    const wrong: unknown[] = [];
    const counts = { taken: 0, refused: 0 };
    for (let at = 0; at < 600; at += 1) {
      const values = Object.fromEntries(
        Object.entries(ofRoles).flatMap(([name, all]) =>
          name === 'roleType' || next(3) === 0 ? [[name, all[next(all.length)]]] : [],
        ),
      );
      const wire = Object.fromEntries(
        Object.entries({ ...values, userClaim: 'sub' }).map(([name, value]) => [
          wireNameIn(roleFields, name),
          value,
        ]),
      );
      await send('DELETE', 'auth/roles/role/tried');
      const refused = isRefused(await send('POST', 'auth/roles/role/tried', wire));
      counts[refused ? 'refused' : 'taken'] += 1;
      const role = roleFromWire('roles', 'tried', wire);
      const ours = [
        ...roleRefusals
          .filter(({ words, isRefused: isOne }) => words !== undefined && isOne(role))
          .map(({ message }) => message),
        ...Object.entries(role).flatMap(([name, value]) => {
          const field = (roleFields as Fields)[name];
          return field === undefined ? [] : problemsOf(field, value).map(({ message }) => message);
        }),
      ];
      if (refused !== ours.length > 0) wrong.push({ values, refused, ours });
    }
    expect(wrong).toEqual([]);
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(100);
  });

  test('as a key or a certificate is what is refused here', async () => {
    await send('POST', 'sys/auth/keys', { type: 'jwt' });
    const asked = [
      ...ofKeys.map((key) => ({ field: 'jwtValidationPubkeys', value: [key], body: {} })),
      ...ofCertificates.map((value) => ({
        field: 'jwksCaPem',
        value,
        body: { jwks_url: 'http://127.0.0.1:1/keys', skip_jwks_validation: true },
      })),
    ];
    const answers = [];
    for (const { field, value, body } of asked) {
      const status = await send('POST', 'auth/keys/config', {
        ...body,
        [wireNameIn(configFields, field)]: value,
      });
      answers.push({ value, refused: isRefused(status) });
    }
    const ours = asked.map(({ field, value }) => {
      const problems = problemsOf((configFields as Fields)[field] ?? configFields.jwksUrl, value);
      return { value, refused: problems.length > 0 };
    });
    expect(ours).toEqual(answers);
  });

  test('as the path of a method or the name of a role is what is refused here', async () => {
    const taken = async (path: string, body: object) => {
      const refused = isRefused(await send('POST', path.split('/').map(encodeURIComponent).join('/'), body));
      if (!refused) await send('DELETE', path.split('/').map(encodeURIComponent).join('/'));
      return refused;
    };
    const paths = [];
    for (const path of ofPaths) paths.push([path, await taken(`sys/auth/${path}`, { type: 'jwt' })]);
    expect(ofPaths.map((path) => [path, methodPath.problem(path) !== undefined])).toEqual(paths);
    const { shape } = roleSettings({}).out;
    const names = [];
    for (const name of ofNames) {
      const path = `auth/roles/role/${encodeURIComponent(name)}`;
      names.push([
        name,
        isRefused(await send('POST', path, { role_type: 'jwt', user_claim: 'sub', bound_subject: 'x' })),
      ]);
    }
    expect(ofNames.map((name) => [name, !shape.name.safeParse(name).success])).toEqual(names);
  });

  test('each refusal of several fields is tried', () => {
    expect(roleRefusals.filter(({ field, words }) => words !== undefined && !(field in ofRoles))).toEqual([]);
  });
});
