import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { startAuditedOpenBao } from '../../../../test/harness/openbao-server.ts';
import { everyPath, randomFrom, randomPolicies } from '../../../../test/harness/random-policies.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { until } from '../../../../test/harness/until.ts';
import { wholeLiveGraph } from '../../../cli/src/open/open-graph.ts';
import { readLog } from '../../../cli/src/usage/read-log.ts';
import { type JsonObject, ServiceClient } from '../../../service-client/src/service-client.ts';
import { isWhole, withText } from '../../src/graph/graph.ts';
import { parsePolicy } from '../../src/graph/policies/parse-policy.ts';
import { refine } from '../../src/usage/refine.ts';

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_125);
const services = Number(process.env['GATEHOUSE_COUNT'] ?? 10);
const names = ['deploy', 'wide', 'narrow', 'team', 'spare'];
const people = ['ann', 'bob'];
const jobs = ['web', 'batch'];
const builds = ['lint', 'ship'];
const paths = everyPath
  .filter((path) => !/\/$|\/\//.test(path))
  .filter((_, at) => at < 30 || (at < 155 && at % 4 === 0))
  .map((path) => `kv/${path}`);
const requestsEach = 80;

const folder = temporaryFolder();
const logFile = join(folder, 'audit.log');
const start = () => startAuditedOpenBao(logFile);

/** A request as it is sent. */
interface Sent {
  who: string;
  method: 'GET' | 'LIST' | 'PUT' | 'DELETE';
  path: string;
  /** Whether something was there before a write: it is a create or an update. */
  isThere: boolean;
}

describeWithOpenBao(
  `policies refined from the log of a service (seed ${seed})`,
  (server) => {
    let client: ServiceClient;
    const ids: Record<string, string> = {};
    const roleIds: Record<string, string> = {};
    let signed: (name: string) => Promise<string>;

    const call = async (token: string, method: string, path: string, body?: object): Promise<number> => {
      const { status } = await fetch(`${server().address}/v1/${path}`, {
        method,
        headers: { 'X-Vault-Token': token },
        ...(body && { body: JSON.stringify(body) }),
      });
      return status;
    };

    beforeAll(async () => {
      client = new ServiceClient({ address: server().address, token: server().token });
      await client.put('sys/mounts/kv', { type: 'kv' });
      await client.put('sys/auth/apps', { type: 'approle' });
      await client.put('sys/auth/people', { type: 'userpass' });
      await client.put('sys/auth/ci', { type: 'jwt' });
      const { publicKey, privateKey } = await generateKeyPair('RS256');
      await client.put('auth/ci/config', { jwt_validation_pubkeys: [await exportSPKI(publicKey)] });
      signed = (name) =>
        new SignJWT({ groups: ['makers'] })
          .setProtectedHeader({ alg: 'RS256' })
          .setSubject(name)
          .setAudience('x')
          .setIssuedAt()
          .setExpirationTime('1h')
          .sign(privateKey);
      const accessorOf = async (path: string) =>
        String((await client.read(`sys/auth/${path}`))?.data['accessor']);
      const [mount, ci] = [await accessorOf('people'), await accessorOf('ci')];
      for (const name of people) {
        await client.put(`auth/people/users/${name}`, { password: 'x' });
        ids[name] = String((await client.post('identity/entity', { name })).data['id']);
        await client.post('identity/entity-alias', { name, mount_accessor: mount, canonical_id: ids[name] });
      }
      ids['inside'] = String((await client.post('identity/group', { name: 'inside' })).data['id']);
      const makers = { name: 'makers', type: 'external' };
      ids['makers'] = String((await client.post('identity/group', makers)).data['id']);
      const alias = { name: 'makers', mount_accessor: ci, canonical_id: ids['makers'] };
      await client.post('identity/group-alias', alias);
    }, 60_000);

    const signIn = async (name: string): Promise<string> => {
      const { auth } = people.includes(name)
        ? await client.post(`auth/people/login/${name}`, { password: 'x' })
        : jobs.includes(name)
          ? await client.post('auth/apps/login', { role_id: roleIds[name] ?? '' })
          : await client.post('auth/ci/login', { role: name, jwt: await signed(name) });
      return String(auth?.['client_token']);
    };

    /** Policies that overlap, and who has them. */
    async function furnish(number: number): Promise<void> {
      const next = randomFrom(seed + number);
      const some = () => names.filter(() => next(2) === 0);
      const texts = randomPolicies(seed + number, names.length, 5).map((rules) =>
        rules
          .map(({ path, capabilities }) => {
            const added = capabilities.includes('update')
              ? ['create', 'delete'].filter(() => next(2) === 0)
              : [];
            const list = [...capabilities, ...added];
            const written =
              next(2) === 0
                ? JSON.stringify(list)
                : `[\n${list.map((one) => `    "${one}", # ${one}\n`).join('')}  ]`;
            return `# Rule of ${path}\npath "kv/${path}" {\n  capabilities = ${written}\n}\n`;
          })
          .join('\n'),
      );
      for (const [at, name] of names.entries())
        await client.put(`sys/policies/acl/${name}`, { policy: texts[at] ?? '' });
      const put = (path: string, body: JsonObject) => client.put(path, body);
      for (const name of jobs) {
        const unbound = { bind_secret_id: false, token_bound_cidrs: ['127.0.0.0/8'] };
        await put(`auth/apps/role/${name}`, { ...unbound, token_policies: some() });
        roleIds[name] = String((await client.read(`auth/apps/role/${name}/role-id`))?.data['role_id']);
      }
      for (const name of builds) {
        const bounds = {
          role_type: 'jwt',
          user_claim: 'sub',
          bound_audiences: ['x'],
          groups_claim: 'groups',
        };
        await put(`auth/ci/role/${name}`, { ...bounds, token_policies: some() });
      }
      for (const name of people) {
        await put(`auth/people/users/${name}/policies`, { token_policies: some() });
        await put(`identity/entity/id/${ids[name]}`, { name, policies: some().slice(0, 1) });
      }
      const member_entity_ids = people.filter(() => next(2) === 0).map((name) => ids[name] ?? '');
      await put(`identity/group/id/${ids['inside']}`, {
        name: 'inside',
        policies: some().slice(0, 2),
        member_entity_ids,
      });
      await put(`identity/group/id/${ids['makers']}`, {
        name: 'makers',
        type: 'external',
        policies: some().slice(0, 2),
      });
    }

    test('loses no request that was observed, and lets no one do more', async () => {
      const seen = {
        refinements: 0,
        requests: 0,
        allowed: 0,
        replayed: 0,
        capabilities: 0,
        taken: 0,
        emptied: 0,
        deleted: 0,
      };
      const wrong: string[] = [];
      for (let number = 0; number < services; number += 1) {
        const next = randomFrom(seed * 7 + number);
        await furnish(number);
        const since = Date.now();
        const everyone = [...people, ...jobs, ...builds];
        const tokens = Object.fromEntries(
          await Promise.all(everyone.map(async (name) => [name, await signIn(name)] as const)),
        );
        const send = async ({ who, method, path, isThere }: Sent): Promise<number> => {
          if (method === 'PUT')
            await (isThere ? client.put(path, { a: 'b' }) : call(server().token, 'DELETE', path));
          return call(tokens[who] ?? '', method, path, method === 'PUT' ? { a: 'b' } : undefined);
        };
        const observed: Sent[] = [];
        for (const who of everyone) {
          // Each uses a part of what they may.
          const own = paths.filter(() => next(3) === 0);
          for (let at = 0; at < requestsEach; at += 1) {
            const method = (['GET', 'GET', 'LIST', 'PUT', 'DELETE'] as const)[next(5)] ?? 'GET';
            const sent = { who, method, path: own[next(own.length)] ?? '', isThere: next(2) === 0 };
            seen.requests += 1;
            if ((await send(sent)) !== 403) observed.push(sent);
          }
        }
        seen.allowed += observed.length;
        const abilities = async () => {
          const found = new Set<string>();
          for (const who of everyone) {
            const { data } = await client.post('sys/capabilities', { token: tokens[who] ?? '', paths });
            for (const path of paths)
              for (const one of data[path] as string[])
                if (one !== 'deny' && one !== 'list') found.add(`${who} ${one} ${path}`);
            // Of a list, that answer does not hold.
            for (const path of paths.slice(0, 20))
              if ((await call(tokens[who] ?? '', 'LIST', path)) !== 403) found.add(`${who} list ${path}`);
          }
          return found;
        };
        const now = BigInt(Date.now()) * 1_000_000n;
        const live = await wholeLiveGraph(client);
        expect([isWhole(live.graph), live.missing]).toEqual([true, []]);
        const log = await readLog({ files: [logFile], stdin: process.stdin, since });
        // Requests of the test itself come later.
        let graph = live.graph;
        let can = await abilities();
        for (const name of names) {
          const { text = '' } = graph.policies.find((one) => one.name === name) ?? {};
          const found = refine(log, { graph, ids: live.ids }, { name, text }, { now });
          expect(found.refused).toBeUndefined();
          seen.refinements += 1;
          seen.capabilities += parsePolicy(text).flatMap(({ capabilities }) => capabilities).length;
          seen.taken += found.taken.flatMap(({ capabilities }) => capabilities).length;
          seen.emptied += found.emptied.length;
          seen.deleted += found.deleted.length;
          if (found.after === text) continue;
          await client.put(`sys/policies/acl/${name}`, { policy: found.after });
          graph = withText(graph, name, found.after);
          for (const sent of observed) {
            seen.replayed += 1;
            if ((await send(sent)) === 403)
              wrong.push(`service ${number}, ${name}: lost ${sent.who} ${sent.method} ${sent.path}`);
          }
          const still = await abilities();
          for (const one of still) if (!can.has(one)) wrong.push(`service ${number}, ${name}: gained ${one}`);
          can = still;
        }
      }
      expect(wrong).toEqual([]);
      // Or it would show nothing.
      expect(Math.min(seen.taken, seen.emptied, seen.deleted)).toBeGreaterThan(services / 2);
      console.log(`Of ${services} services: ${JSON.stringify(seen)}`);
    }, 900_000);

    test('keeps at the new path of a mount that was moved what requests used at the old one', async () => {
      const text = ['early/*', 'late/*', 'idle/*']
        .map((path) => `path "${path}" { capabilities = ["read"] }`)
        .join('\n');
      await client.put('sys/policies/acl/moved', { policy: text });
      await client.put('sys/mounts/early', { type: 'kv' });
      await client.put('early/a', { a: 'b' });
      await client.put('auth/people/users/ann/policies', { token_policies: ['moved'] });
      const since = Date.now();
      const token = await signIn('ann');
      expect(await call(token, 'GET', 'early/a')).toBe(200);
      await client.put('sys/remount', { from: 'early', to: 'late' });
      await until(async () => (await call(server().token, 'GET', 'late/a')) === 200);
      await signIn('ann');
      const live = await wholeLiveGraph(client);
      const log = await readLog({ files: [logFile], stdin: process.stdin, since });
      const now = BigInt(Date.now()) * 1_000_000n;
      const { taken, refused } = refine(
        log,
        { graph: live.graph, ids: live.ids },
        { name: 'moved', text },
        { now },
      );
      expect([refused, taken]).toEqual([undefined, [{ pattern: 'idle/*', capabilities: ['read'] }]]);
    });
  },
  start,
);
