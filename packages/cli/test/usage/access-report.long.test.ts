import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { startAuditedOpenBao } from '../../../../test/harness/openbao-server.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { readAccessCsv } from '../../../core/src/access-list/access-csv.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { projectFolder, runCommand } from '../running-command.ts';

const folder = temporaryFolder();
const logFile = join(folder, 'audit.log');
const start = () => startAuditedOpenBao(logFile);

const rule = (path: string, capabilities: string[]) =>
  `path ${JSON.stringify(path)} { capabilities = ${JSON.stringify(capabilities)} }`;

describeWithOpenBao(
  'an access report of a real service',
  (server) => {
    const client = () => new ServiceClient({ address: server().address, token: server().token });
    let project = '';
    const report = async (...args: string[]) => {
      const env = { VAULT_TOKEN: server().token };
      return runCommand(['report', '--access', '-s', 'dev', '--live', ...args], env, project);
    };
    const rows = async (...args: string[]) => JSON.parse((await report('--json', ...args)).out).rows;

    beforeAll(async () => {
      const stack = `config:\n  gatehouse:service: { address: ${server().address} }\n  gatehouse:providers: []\n`;
      project = projectFolder({ 'Pulumi.dev.yaml': stack });
      await client().put('sys/policies/acl/app', {
        policy: `${rule('secret/data/app/*', ['read', 'update'])}\n${rule('+/unused', ['read'])}`,
      });
      await client().put('sys/policies/acl/ops', { policy: rule('secret/metadata/*', ['list']) });
      await client().put('sys/auth/people', { type: 'userpass' });
      await client().put('auth/people/users/ann', { password: 'hush', token_policies: ['app'] });
      await client().put('sys/auth/apps', { type: 'approle' });
      await client().put('auth/apps/role/deploy', {
        bind_secret_id: false,
        token_bound_cidrs: ['127.0.0.0/8'],
        token_policies: ['app'],
      });
      const { auth } = await client().post('auth/people/login/ann', { password: 'hush' });
      await client().post('identity/entity', {
        id: auth?.['entity_id'],
        name: '=ann,"x"\n!',
        policies: ['ops'],
      });
      const own = new ServiceClient({ address: server().address, token: String(auth?.['client_token']) });
      await own.read('secret/data/app/x');
    }, 60_000);

    it('has a row for each grant, when it was last used, and what was not read', async () => {
      const found: Record<string, unknown>[] = await rows(logFile);
      const of = (who: string, pattern: string) =>
        found.find((row) => String(row['who']).includes(who) && row['pattern'] === pattern);
      expect(of('user ann of people', 'secret/data/app/*')).toMatchObject({
        kind: 'other',
        capabilities: ['read', 'update'],
        policies: ['app'],
        lastUsed: expect.stringMatching(/^20/),
      });
      expect(of('user ann of people', '+/unused')).toMatchObject({ lastUsed: '' });
      expect(of('role deploy of apps', 'secret/data/app/*')).toMatchObject({ kind: 'other', lastUsed: '' });
      expect(found.filter(({ kind }) => kind === 'entity')).toEqual([
        expect.objectContaining({ pattern: 'secret/metadata/*', capabilities: ['list'] }),
      ]);
      expect(found.filter(({ kind }) => kind === 'not read').map(({ who }) => who)).toEqual([
        'tokens that were issued, or made by hand',
      ]);
    });

    it('keeps decisions of a spreadsheet for rows that did not change', async () => {
      const first = await report(logFile);
      expect(first.code).toBe(0);
      expect(first.err).toContain('1 of them say what was not read.');
      const file = join(folder, 'first.csv');
      writeFileSync(file, first.out);
      const earlier = readAccessCsv(readFileSync(file, 'utf8'), file);
      expect(earlier.filter(({ who }) => who === 'entity "=ann,\\"x\\"\\n!"')).toHaveLength(1);
      expect(first.out).toContain(",'+/unused,");
      const marked = JSON.parse((await report('--json', logFile)).out);
      for (const row of marked.rows) row.decision = 'keep';
      const json = join(folder, 'first.json');
      writeFileSync(json, JSON.stringify(marked));
      await client().put('auth/apps/role/deploy', { token_bound_cidrs: ['10.0.0.0/8'] });
      await client().put('sys/policies/acl/ops', { policy: rule('secret/metadata/*', ['list', 'read']) });
      await client().put('sys/policies/acl/more', { policy: rule('secret/data/more', ['read']) });
      await client().put('auth/people/users/ann', { token_policies: ['app', 'more'] });
      const second: Record<string, unknown>[] = await rows('--since-report', json, logFile);
      const columns = second.map(({ status, kind, pattern, decision }) => [status, kind, pattern, decision]);
      const order = columns.map(([status]) => status);
      expect(order.lastIndexOf('new')).toBeLessThan(order.indexOf('same'));
      expect(order.lastIndexOf('changed')).toBeLessThan(order.indexOf('same'));
      expect(columns).toEqual(
        expect.arrayContaining([
          ['changed', 'entity', 'secret/metadata/*', ''],
          ['new', 'other', 'secret/data/more', ''],
          ['changed', 'other', 'secret/data/app/*', ''],
          ['same', 'everyone', 'cubbyhole/*', 'keep'],
        ]),
      );
    });
  },
  start,
);
