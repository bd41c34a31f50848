import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { ask, type Server, write } from '../../../../test/harness/ask.ts';
import { describeRunning } from '../../../../test/harness/describe-running.ts';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { isIn } from '../../../../test/harness/long-run.ts';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { startLoggingOpenBao } from '../../../../test/harness/recorded-traffic.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { enableJwt, goodClaims, login, signed } from '../../../../test/security/jwt-methods.ts';
import { LogFold } from '../../../core/src/usage/log-fold.ts';

/** What is read of the log of the same traffic, on whichever server. */
function theLog(logged: () => Server & { log: string }): void {
  let fold: LogFold;
  beforeAll(async () => {
    const server = logged();
    await write(server, 'sys/policies/acl/lists', {
      policy:
        'path "sys/auth" { capabilities = ["read", "sudo"] } path "sys/policies/acl/*" { capabilities = ["list"] }',
    });
    await write(server, 'sys/policies/acl/lists-too', {
      policy: 'path "sys/auth" { capabilities = ["read"] }',
    });
    await enableJwt(server, { path: 'jobs', role: { token_policies: ['lists'] } });
    const { auth } = (await login(server, 'jobs', signed({ alg: 'RS256' }, goodClaims()))).body;
    const token = String(auth.client_token);
    await write(server, `identity/entity/id/${auth.entity_id}`, { policies: ['lists-too'] });
    const asked = [
      ['GET', 'sys/auth'],
      ['LIST', 'sys/policies/acl'],
      ['GET', 'sys/policies/acl/lists'],
      ['POST', 'auth/token/renew-self'],
    ] as const;
    for (const [method, path] of asked)
      await ask(server, { method, path, token, body: method === 'POST' ? {} : undefined });
    fold = new LogFold();
    for await (const line of createInterface({ input: createReadStream(server.log) })) fold.add(line);
  });

  test('says by which role a token was signed in', () => {
    const { signIns } = fold.result();
    expect(signIns).toMatchObject([{ method: 'jobs', role: 'people', count: 1 }]);
    expect(signIns[0]?.who).toMatchObject({ tokenPolicies: ['default', 'lists'] });
  });

  test('says what a token was allowed and refused, by its own policies and those of its entity', () => {
    const { requests } = fold.result();
    const own = requests.filter(({ by }) => by.lineage?.method === 'jobs');
    expect(own.map(({ operation, path, outcome }) => `${operation} ${path} ${outcome}`).sort()).toEqual([
      'list sys/policies/acl/ allowed',
      'read sys/auth allowed',
      'read sys/policies/acl/lists refused',
      'update auth/token/renew-self allowed',
    ]);
    for (const { by } of own)
      expect(by).toMatchObject({ tokenPolicies: ['default', 'lists'], identityPolicies: ['lists-too'] });
  });
}

if (isIn('npm test'))
  describe('the log of the embedded service', () => {
    const log = join(temporaryFolder(), 'audit.log');
    describeRunning('read', { start: () => startEmbeddedService({ auditFile: log }) }, (running) =>
      theLog(() => ({ ...running(), log })),
    );
  });
if (isIn('test:long'))
  describeWithOpenBao(
    'the log of OpenBao, read',
    (openbao) => theLog(() => openbao() as Awaited<ReturnType<typeof startLoggingOpenBao>>),
    startLoggingOpenBao,
  );
