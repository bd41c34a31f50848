import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { startAuditedOpenBao } from '../../../../test/harness/openbao-server.ts';
import { everyPath, randomFrom, randomPolicies } from '../../../../test/harness/random-policies.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { policyText } from '../../../core/src/graph/policies/policy-text.ts';
import { textsOf } from '../../../core/src/graph/values/loose-values.ts';
import { readAuditLine } from '../../../core/src/usage/audit-line.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { type ExplainedRequest, explainRequest } from '../../src/explain/explain-request.ts';
import { openStack } from '../../src/open/open-stack.ts';
import type { ServiceSource } from '../../src/usage/open-service.ts';
import { projectFolder } from '../running-command.ts';

const folder = temporaryFolder();
const logFile = join(folder, 'audit.log');
const start = () => startAuditedOpenBao(logFile);

const rule = (path: string, capabilities: string[], limits = '') =>
  `path ${JSON.stringify(path)} { capabilities = ${JSON.stringify(capabilities)} ${limits} }`;
const policies: Record<string, string> = {
  app: [rule('secret/data/app/*', ['read']), rule('secret/metadata/app/*', ['read'])].join('\n'),
  team: `# Of the team.\n${rule('secret/data/app/team/*', ['create', 'update', 'read'])}`,
  limited: rule('secret/data/limited/*', ['create', 'update'], 'allowed_parameters = { "data" = [] }'),
  needy: rule('secret/data/needy/*', ['create', 'update'], 'required_parameters = ["why"]'),
  strict: rule('secret/data/strict/*', ['create', 'update'], 'denied_parameters = { "options" = [] }'),
  closed: `${rule('secret/data/closed/*', ['deny'])}\n${rule('secret/data/shut', ['deny'])}`,
  wrapped: rule('secret/data/wrapped/*', ['read'], 'min_wrapping_ttl = "1m" max_wrapping_ttl = "1h"'),
  mounts: rule('sys/auth/*', ['create', 'update']),
  json: JSON.stringify({ path: { 'secret/data/json/*': { capabilities: ['read'] } } }),
  broad: rule('secret/*', ['create', 'read', 'update', 'list']),
};
/** AppRoles, with what each has. */
const roles: Record<string, string[]> = {
  everything: ['app', 'team', 'limited', 'needy', 'strict', 'closed', 'wrapped', 'mounts', 'json'],
  reader: ['app'],
  team: ['app', 'team'],
  limited: ['limited', 'strict', 'needy'],
  closed: ['closed', 'broad'],
  wrapped: ['wrapped'],
  owner: ['broad', 'mounts'],
  other: ['json', 'closed'],
};

interface Sent {
  method: string;
  path: string;
  body?: object;
}

describeWithOpenBao(
  'a refused request of a real log',
  (server) => {
    const client = () => new ServiceClient({ address: server().address, token: server().token });
    const tokens: Record<string, string> = {};
    let source: ServiceSource;
    const send = async (token: string, { method, path, body }: Sent) => {
      const { status } = await fetch(`${server().address}/v1/${path}`, {
        method,
        headers: { 'X-Vault-Token': token },
        ...(body && { body: JSON.stringify(body) }),
      });
      return status;
    };
    const lastEntry = () => {
      const [last] = readFileSync(logFile, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => readAuditLine(line))
        .filter((one) => typeof one !== 'string')
        .slice(-1);
      if (last === undefined) throw new Error('the log has no entry');
      return last;
    };
    const explain = (id: string) =>
      explainRequest({ id, log: { files: [logFile], stdin: process.stdin }, service: source });
    const explained = async (id: string): Promise<ExplainedRequest> => {
      const found = await explain(id);
      if ('found' in found) throw new Error('it is not in the log');
      return found;
    };
    const refused = async (role: string, sent: Sent) => {
      expect(await send(tokens[role] ?? '', sent)).toBe(403);
      return explained(lastEntry().id);
    };

    beforeAll(async () => {
      const stack = `config:\n  gatehouse:service: { address: ${server().address} }\n  gatehouse:providers: []\n`;
      const env = { VAULT_TOKEN: server().token };
      const project = projectFolder({ 'Pulumi.dev.yaml': stack });
      source = { stack: await openStack(project, 'dev', env), env, from: 'live', now: Date.now() };
      await client().put('sys/auth/apps', { type: 'approle' });
      await client().put('sys/auth/people', { type: 'userpass' });
      await client().put('auth/people/users/ann', { password: 'hush', token_policies: ['app'] });
      for (const [name, policy] of Object.entries(policies))
        await client().put(`sys/policies/acl/${name}`, { policy });
      for (const [name, given] of Object.entries(roles)) {
        await client().put(`auth/apps/role/${name}`, {
          bind_secret_id: false,
          token_bound_cidrs: ['127.0.0.0/8'],
          token_policies: given,
        });
        const { data } = (await client().read(`auth/apps/role/${name}/role-id`)) ?? { data: {} };
        const { auth } = await client().post('auth/apps/login', { role_id: data['role_id'] });
        tokens[name] = String(auth?.['client_token']);
      }
    }, 60_000);

    const body = { data: { a: 'b' } };
    const optional = { ...body, options: {} };
    const lacking = (capability: string) => ({ kind: 'capability', capability });
    const cases: [about: string, role: string, sent: string, why: string | object, body?: object][] = [
      ['no rule', 'everything', 'GET secret/data/none', 'no-rule'],
      ['a missing capability', 'everything', 'POST secret/data/app/x', lacking('create'), body],
      ['a list', 'everything', 'GET secret/metadata/app/deep?list=true', lacking('list')],
      ['a denial', 'everything', 'GET secret/data/closed/x', 'denied'],
      ['a denial of this path', 'closed', 'GET secret/data/shut', 'denied'],
      ['a parameter that is not allowed', 'everything', 'POST secret/data/limited/x', 'parameters', optional],
      ['a parameter that is denied', 'everything', 'POST secret/data/strict/x', 'parameters', optional],
      ['a parameter that is missing', 'everything', 'POST secret/data/needy/x', 'parameters', body],
      ['no wrapping', 'everything', 'GET secret/data/wrapped/x', 'wrapping'],
      ['a path that needs sudo', 'everything', 'POST sys/auth/made', lacking('sudo'), { type: 'approle' }],
      ['a policy in JSON', 'other', 'POST secret/data/json/x', lacking('create'), body],
    ];

    it.each(cases)(
      'is explained, and passes by the smallest change: %s',
      async (_, role, request, kind, ...[given]) => {
        const [method = '', path = ''] = request.split(' ');
        const sent = { method, path, body: given };
        const found = await refused(role, sent);
        const why = typeof kind === 'string' ? { kind } : kind;
        expect(found).toMatchObject({ recorded: 'refused', why, by: { role, method: 'apps' } });
        const { change } = found;
        if (change === undefined) throw new Error(found.noChange);
        const before = await answers(sent);
        await client().put(`sys/policies/acl/${change.policy}`, { policy: change.text });
        try {
          const after = await answers(sent);
          expect(after[role]).toBe(true);
          const gained = Object.keys(roles).filter((one) => !before[one] && after[one]);
          const lost = Object.keys(roles).filter((one) => before[one] && !after[one]);
          const named = change.access.changes.flatMap(({ principals: { name, ownName }, gains }) =>
            gains === 'some' ? (ownName ?? name) : [],
          );
          expect({ gained, lost }).toEqual({
            gained: Object.keys(roles).filter((one) => named.includes(one)),
            lost: [],
          });
        } finally {
          await client().put(`sys/policies/acl/${change.policy}`, { policy: policies[change.policy] });
          await send(server().token, { method: 'DELETE', path: 'sys/auth/made' });
          await send(server().token, {
            method: 'DELETE',
            path: sent.path.replace(/\/data\/|\?.*/g, (one) => (one === '/data/' ? '/metadata/' : '')),
          });
        }
      },
      60_000,
    );

    /** Whether policies let each role send it. */
    async function answers(sent: Sent): Promise<Record<string, boolean>> {
      const found: Record<string, boolean> = {};
      for (const role of Object.keys(roles)) {
        found[role] = (await send(tokens[role] ?? '', sent)) !== 403;
        if (sent.path.startsWith('sys/'))
          await send(server().token, { method: 'DELETE', path: 'sys/auth/made' });
        else if (sent.method === 'POST')
          await send(server().token, { method: 'DELETE', path: sent.path.replace('/data/', '/metadata/') });
      }
      return found;
    }

    it('of random policies passes by the change, and others gain and lose what is said', async () => {
      const seed = Number(process.env['SEED'] ?? 29);
      const next = randomFrom(seed);
      const random = Array.from({ length: 8 }, (_, at) => `random-${at}`);
      const tokensOf: Record<string, string> = {};
      for (const role of random) {
        const given = Array.from({ length: 1 + next(3) }, () => `p${next(6)}`);
        const { auth } = await client().post('auth/token/create-orphan', {
          policies: given,
          no_default_policy: true,
          meta: { role_name: role },
        });
        tokensOf[role] = String(auth?.['client_token']);
        await client().put(`auth/apps/role/${role}`, {
          bind_secret_id: false,
          token_bound_cidrs: ['127.0.0.0/8'],
          token_policies: given,
          token_no_default_policy: true,
        });
      }
      const capabilitiesAt = async (path: string) => {
        const found: Record<string, string[]> = {};
        for (const role of random) {
          const { data } = await client().post('sys/capabilities', { token: tokensOf[role], path });
          found[role] = textsOf(data['capabilities']).filter((one) => one !== 'deny' && one !== 'list');
        }
        return found;
      };
      const counts = { changes: 0, none: 0, othersGain: 0, lose: 0 };
      for (let round = 0; round < 60; round += 1) {
        const texts = randomPolicies(seed * 1000 + round, 6).map((rules) =>
          policyText(rules.map((one) => ({ ...one, path: `secret/data/${one.path}` }))),
        );
        for (const [at, policy] of texts.entries()) await client().put(`sys/policies/acl/p${at}`, { policy });
        const role = random[next(random.length)] ?? '';
        const paths = everyPath.filter((one) => !/\/(\/|$)/.test(one));
        const path = `secret/data/${paths[next(paths.length)]}`;
        const sent = next(2) === 0 ? { method: 'GET', path } : { method: 'POST', path, body };
        if ((await send(tokensOf[role] ?? '', sent)) !== 403) continue;
        const found = await explained(lastEntry().id);
        expect(found.why.kind).toMatch(/^(no-rule|denied|capability)$/);
        const { change } = found;
        if (change === undefined) {
          counts.none += 1;
          continue;
        }
        counts.changes += 1;
        const before = await capabilitiesAt(path);
        await client().put(`sys/policies/acl/${change.policy}`, { policy: change.text });
        const after = await capabilitiesAt(path);
        expect({ round, status: (await send(tokensOf[role] ?? '', sent)) !== 403 }).toEqual({
          round,
          status: true,
        });
        for (const one of random) {
          const [had = [], has = []] = [before[one], after[one]];
          const asker = change.access.changes.find(({ principals }) => principals.ownName === one);
          const there = asker?.paths.find(({ path: pattern }) => pattern === path);
          const exceptList = (list: string[] = []) => list.filter((capability) => capability !== 'list');
          const gained = has.filter((capability) => !had.includes(capability));
          const lost = had.filter((capability) => !has.includes(capability));
          expect({ round, one, gained: exceptList(there?.gained), lost: exceptList(there?.lost) }).toEqual({
            round,
            one,
            gained,
            lost,
          });
          if (one !== role && gained.length > 0) counts.othersGain += 1;
          if (lost.length > 0) counts.lose += 1;
        }
      }
      console.info(`seed ${seed}: ${JSON.stringify(counts)}`);
      expect(counts.changes).toBeGreaterThan(20);
      expect(counts.othersGain).toBeGreaterThan(5);
    }, 120_000);

    it('without a valid token, or as a sign-in, is told apart', async () => {
      await send('nope', { method: 'GET', path: 'secret/data/app/a' });
      expect(await explained(lastEntry().id)).toMatchObject({ why: { kind: 'no-token' } });
      await send('nope', { method: 'GET', path: 'auth/token/lookup-self' });
      expect(await explained(lastEntry().id)).toMatchObject({ why: { kind: 'no-token' } });
      await send('', { method: 'POST', path: 'auth/apps/login', body: { role_id: 'none' } });
      expect(await explained(lastEntry().id)).toMatchObject({ why: { kind: 'sign-in', method: 'apps' } });
      await send('', { method: 'POST', path: 'auth/people/login/ann', body: { password: 'wrong' } });
      expect(await explained(lastEntry().id)).toMatchObject({ why: { kind: 'sign-in', method: 'people' } });
    });

    it('that was allowed has its rule, and of changed policies says so', async () => {
      await send(tokens['reader'] ?? '', { method: 'GET', path: 'secret/data/app/x' });
      const { id } = lastEntry();
      expect(await explained(id)).toMatchObject({
        why: { kind: 'allowed' },
        pattern: 'secret/data/app/*',
        policies: ['app'],
        notes: [],
      });
      await client().put('sys/policies/acl/app', { policy: rule('secret/data/app/y', ['read']) });
      const changed = await explained(id);
      await client().put('sys/policies/acl/app', { policy: policies['app'] });
      expect(changed).toMatchObject({
        why: { kind: 'changed', now: 'refused' },
        notes: [{ kind: 'policy-written', policy: 'app', at: expect.stringMatching(/^20/) }],
      });
      expect(await explain('no such id')).toMatchObject({ found: false, isDamaged: false, unread: 0 });
    });

    it('by a policy that was deleted since says that', async () => {
      await client().put('sys/policies/acl/short', { policy: rule('secret/data/short', ['read']) });
      const { auth } = await client().post('auth/token/create', { policies: ['short'] });
      expect(textsOf(auth?.['policies'])).toContain('short');
      await send(String(auth?.['client_token']), { method: 'GET', path: 'secret/data/short' });
      const { id } = lastEntry();
      await client().delete('sys/policies/acl/short');
      const { notes, why } = await explained(id);
      expect(why).toEqual({ kind: 'changed', now: 'refused' });
      expect(notes).toContainEqual({ kind: 'policies-gone', policies: ['short'] });
    });
  },
  start,
);
