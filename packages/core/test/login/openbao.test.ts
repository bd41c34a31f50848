import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CompactSign } from 'jose';
import { ask, write as writeTo } from '../../../../test/harness/ask.ts';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { listen } from '../../../host/src/listen.ts';
import { roleFromWire } from '../../src/graph/resources/role.ts';
import { toCamelCase } from '../../src/graph/values/wire.ts';
import type { TokenRules } from '../../src/login/compact-token.ts';
import { type KeySet, keyFromPem, keysFromJwks } from '../../src/login/key-set.ts';
import { LoginRefused } from '../../src/login/login-refused.ts';
import { signIn } from '../../src/login/sign-in.ts';
import { cases, claims, jwks, pems, role, rsa } from './openbao-cases.ts';

// openbao/openbao builtin/credential/jwt/path_login.go and claims.go; hashicorp/cap jwt/jwt.go.
describeWithOpenBao('packages/core/src/login says what OpenBao says', (server) => {
  let issuer: Server;
  let jwksUrl: string;
  beforeAll(async () => {
    issuer = createServer((_, response) => {
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(jwks));
    });
    jwksUrl = `http://127.0.0.1:${await listen(issuer, 0)}/`;
    await write('sys/auth/jwt', { type: 'jwt' });
  });
  afterAll(() => {
    issuer.close();
    issuer.closeAllConnections();
  });

  const call = (path: string, body: object) => ask(server(), { method: 'POST', path, body });
  const write = (path: string, body: object) => writeTo(server(), path, body);

  let count = 0;
  test.each(Object.entries(cases))('%s', async (_, one) => {
    const name = `role${count++}`;
    const wireRole = { ...role, ...one.role };
    const keys = one.published ? { jwks_url: jwksUrl } : { jwt_validation_pubkeys: pems };
    await write('auth/jwt/config', { ...keys, ...one.config });
    await write(`auth/jwt/role/${name}`, wireRole);
    const payload = Buffer.from(JSON.stringify({ ...claims, ...one.claims }));
    const good = await new CompactSign(payload)
      .setProtectedHeader(one.header ?? { alg: 'RS256' })
      .sign(one.key ?? rsa.privateKey);
    const jwt = one.change?.(good) ?? good;

    const { body } = await call('auth/jwt/login', { role: name, jwt });
    const real = body.auth?.metadata ?? { refused: body.errors.join() };

    const judged = async (rules: TokenRules) => {
      const keySet: KeySet = one.published
        ? { source: 'published', keys: keysFromJwks(jwks, rules) ?? [] }
        : { source: 'configured', keys: pems.map((text) => keyFromPem(text, rules)!) };
      const answer = await signIn({
        config: camelCase(one.config ?? {}),
        roleName: name,
        role: () => roleFromWire('jwt', name, wireRole),
        token: jwt,
        keys: () => keySet,
        rules,
        addressAllowed: () => true,
        now: BigInt(Date.now()) * 1_000_000n,
      });
      return answer instanceof LoginRefused ? { refused: answer.message } : (answer.metadata as any);
    };
    const [asked, own] = [await judged('server'), await judged('own')];
    const isToken = expect.stringMatching(/^error validating token: /);
    if (one.malformed && 'refused' in real) {
      expect([asked.refused, real.refused]).toEqual([isToken, isToken]);
    } else expect(asked).toEqual(real);
    // Never looser than real servers; stricter only where it is meant.
    if (one.stricter) expect(own).toEqual({ refused: isToken });
    else if (one.malformed) expect(own.refused).toEqual(isToken);
    else expect(own).toEqual(real);
  });
});

function camelCase(wire: object): Record<string, any> {
  return Object.fromEntries(Object.entries(wire).map(([name, value]) => [toCamelCase(name), value]));
}
