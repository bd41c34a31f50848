import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { CompactSign } from 'jose';
import { isIn } from '../../../../test/harness/long-run.ts';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import type { OpenBao } from '../../../../test/harness/openbao-server.ts';
import { everyPath, randomFrom, randomPolicies } from '../../../../test/harness/random-policies.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { decide as decidePaths } from '../../src/access/decide.ts';
import type { PolicySides } from '../../src/access/policy-sides.ts';
import { RuleBook } from '../../src/access/rule-book.ts';
import type { PathRule } from '../../src/graph/policies/parse-policy.ts';

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_121);
/** Witnesses to show OpenBao. */
const count = isIn('npm test') ? 25 : 1_000;

/** A role and two groups, with a policy each. */
const names = ['role', 'one', 'two'] as const;
type Texts = Record<(typeof names)[number], PathRule[]>;

interface Replayed {
  witnesses: number;
  /** Values that a kv mount was really asked for. */
  reads: number;
  /** Pairs of which nobody gains, asked at some paths. */
  silent: number;
  wrong: string[];
}

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/**
 * Shows OpenBao what is gained and lost between random policies of a role and of groups: a token signs in with the
 * witness's groups before and after, and is asked for the witness's path. Where nobody gains, other paths are asked.
 */
async function replay(server: OpenBao, seed: number, witnesses: number): Promise<Replayed> {
  const root = new ServiceClient({ address: server.address, token: server.token });
  await setUp(root);
  const next = randomFrom(seed);
  const replayed: Replayed = { witnesses: 0, reads: 0, silent: 0, wrong: [] };
  for (let round = 0; replayed.witnesses < witnesses; round++) {
    const texts = randomPolicies(seed + round, 4, 3).map((rules) =>
      rules.filter(({ path, capabilities }) => !path.includes('+*') && capabilities.length > 0),
    ) as [PathRule[], PathRule[], PathRule[], PathRule[]];
    const before: Texts = { role: texts[0], one: texts[1], two: texts[2] };
    const after: Texts = { ...before, [names[round % 3] ?? 'role']: texts[3] };
    const { changes } = decide(before, after);
    // Of a folder, `sys/capabilities` answers what a list sees.
    const shown = changes.filter(
      ({ path, capabilities: [first] }) => first === 'list' || !path.endsWith('/'),
    );
    const asked: { groups: string[]; side?: string; path: string; capability?: string }[] = shown
      .slice(0, 4)
      .map(({ by, together, direction: side, path, capabilities: [capability] }) => ({
        groups: [by, ...together].map((grant) => grant.by).filter((who) => who !== 'role'),
        side,
        path,
        ...(capability && { capability }),
      }));
    if (!changes.some(({ direction }) => direction === 'gained')) {
      replayed.silent += 1;
      for (let at = 0; at < 3; at++) {
        const groups = names.slice(1).filter(() => next(2) === 0);
        asked.push({ groups, path: everyPath[next(everyPath.length)] as string });
      }
    }
    const was = await answersOf(server, root, before, asked);
    const is = await answersOf(server, root, after, asked);
    for (const [at, { side, capability, ...question }] of asked.entries()) {
      const [old, wanted] = [was[at], is[at]] as [Answers, Answers];
      replayed.wrong.push(
        ...[old, wanted]
          .filter(({ isRead }) => isRead !== undefined)
          .flatMap(({ isRead, may }) => {
            replayed.reads += 1;
            return isRead === may.includes('read') ? [] : [`${JSON.stringify(question)} is read: ${isRead}`];
          }),
      );
      const gained = wanted.may.filter((one) => !old.may.includes(one));
      const lost = old.may.filter((one) => !wanted.may.includes(one));
      const isExpected =
        side === undefined
          ? gained.length === 0
          : (side === 'gained' ? gained : lost).includes(capability ?? '');
      if (side !== undefined) replayed.witnesses += 1;
      if (!isExpected)
        replayed.wrong.push(JSON.stringify({ before, after, side, capability, question, old, wanted }));
    }
  }
  return replayed;
}

function decide(before: Texts, after: Texts) {
  const policies = names.map((name): [string, PolicySides] => [
    name,
    { before: before[name], after: after[name], isSame: before[name] === after[name] },
  ]);
  const [role, ...groups] = names.map((name) => ({ by: name, before: [name], after: [name] }));
  return decidePaths(
    [{ roles: role === undefined ? [] : [role], groups }],
    new RuleBook(new Map(policies), 0n),
  );
}

interface Answers {
  may: string[];
  /** Whether a value there could be read, or was not found; absent outside of the mounts. */
  isRead?: boolean;
}

/** A mount for every first word, a role that reads groups, and an external group for each name. */
async function setUp(root: ServiceClient): Promise<void> {
  for (const mount of ['a', 'ab']) {
    await root.post(`sys/mounts/${mount}`, { type: 'kv', options: { version: '1' } });
    for (const path of everyPath) {
      const depth = path.split('/').length;
      if (path.startsWith(`${mount}/`) && depth < 4 && !/\/$|\/\//.test(path)) await root.put(path, { v: 1 });
    }
  }
  await root.post('sys/auth/jwt', { type: 'jwt' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  await root.put('auth/jwt/config', { jwt_validation_pubkeys: [pem] });
  await root.put('auth/jwt/role/r', {
    role_type: 'jwt',
    user_claim: 'sub',
    groups_claim: 'groups',
    bound_audiences: ['x'],
    token_policies: ['role'],
    token_no_default_policy: true,
  });
  const methods = (await root.read('sys/auth'))?.data as Record<string, { accessor: string }>;
  for (const name of names.slice(1)) {
    const group = { name, type: 'external', policies: [name] };
    const { data } = (await root.post('identity/group', group)) as { data: { id: string } };
    await root.post('identity/group-alias', {
      name,
      mount_accessor: methods['jwt/']?.accessor,
      canonical_id: data.id,
    });
  }
}

/** Writes the policies, signs in anew for each question, and asks it. */
async function answersOf(
  { address }: OpenBao,
  root: ServiceClient,
  texts: Texts,
  asked: { groups: string[]; path: string }[],
): Promise<Answers[]> {
  for (const name of names) {
    const blocks = texts[name].map(
      ({ path, capabilities }) =>
        `path ${JSON.stringify(path)} { capabilities = ${JSON.stringify(capabilities)} }`,
    );
    await root.put(`sys/policies/acl/${name}`, { policy: blocks.join('\n') || '# nothing' });
  }
  const found: Answers[] = [];
  for (const { groups, path } of asked) {
    const now = Math.floor(Date.now() / 1000);
    const claims = { sub: `s-${groups.join('-')}`, aud: 'x', groups, iat: now, exp: now + 600 };
    const jwt = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'ES256' })
      .sign(privateKey);
    const { auth } = await root.post('auth/jwt/login', { role: 'r', jwt });
    const token = String(auth?.['client_token']);
    const { data } = (await root.post('sys/capabilities', {
      token,
      paths: [path],
    })) as {
      data: Record<string, string[]>;
    };
    const may = (data[path] ?? []).filter((one) => one !== 'deny');
    const isValue = /^ab?\//.test(path) && path.split('/').length < 4 && !/\/$|\/\//.test(path);
    found.push({ may, ...(isValue && { isRead: await reads(address, token, path) }) });
  }
  return found;
}

async function reads(address: string, token: string, path: string): Promise<boolean> {
  const { status } = await fetch(`${address}/v1/${path}`, { headers: { 'X-Vault-Token': token } });
  return status !== 403;
}

describeWithOpenBao(`${count} witnesses of decided policies, seed ${seed}`, (server) => {
  test('are what a token may do before and after; no one gains where it is said', async () => {
    const { wrong, reads: read, silent } = await replay(server(), seed, count);
    expect(wrong).toEqual([]);
    expect(read).toBeGreaterThan(count / 20);
    expect(silent).toBeGreaterThan(count / 100);
  }, 600_000);
});
