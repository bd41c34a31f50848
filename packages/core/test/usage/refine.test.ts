import { describe, expect, test } from '@jest/globals';
import { everyPath, randomFrom, randomPolicies } from '../../../../test/harness/random-policies.ts';
import type { Complete, Graph } from '../../src/graph/graph.ts';
import { Acl } from '../../src/graph/policies/acl.ts';
import { type PathRule, parsePolicy } from '../../src/graph/policies/parse-policy.ts';
import type { LoggedPrincipal } from '../../src/usage/audit-line.ts';
import { type FoldedLog, LogFold, type LoggedRequest } from '../../src/usage/log-fold.ts';
import { type RefineOptions, refine } from '../../src/usage/refine.ts';
import { graphOf, method, now, policy, role } from '../review/graphs.ts';
import { someone } from './replayed-log.ts';

/** All that a service has. */
function whole(parts: Partial<Graph>): Graph {
  const graph = graphOf({ methods: [method('ci')], identities: [], otherAccess: [], ...parts });
  const lists = ['methods', 'groups', 'aliases', 'policies', 'identities', 'otherAccess'] as const;
  const complete: Complete[] = [...lists.map((list) => ({ list })), { list: 'roles', method: 'ci' }];
  return { ...graph, complete };
}

const signedIn = (role: string, tokenPolicies: readonly string[], fields: Partial<LoggedPrincipal> = {}) =>
  someone({ name: `ci-${role}`, entity: '', role, tokenPolicies, ...fields });

function asked(
  by: LoggedPrincipal,
  operation: string,
  path: string,
  fields: Partial<LoggedRequest> = {},
): LoggedRequest {
  const once = { count: 1, first: 1, last: 1, id: 'x' };
  return { by, operation, path, outcome: 'allowed', fields: {}, ...once, ...fields };
}

function logOf(requests: LoggedRequest[], fields: Partial<FoldedLog> = {}): FoldedLog {
  const signIns = [...new Set(requests.map(({ by }) => by))].map((who) => ({
    ...{ who, method: 'ci', count: 1, first: 1, last: 1 },
  }));
  return { ...new LogFold().result(), requests, signIns, ...fields };
}

const web = signedIn('web', ['shop']);
const shop = (...rules: Parameters<typeof policy> extends [string, ...infer R] ? R : never) =>
  policy('shop', ...rules);
const roles = [role('web', { policies: ['shop'] })];

function refined(
  parts: Partial<Graph> & { policies: Graph['policies'] },
  log: FoldedLog,
  options: Partial<RefineOptions> & { isWhole?: boolean } = {},
) {
  const { isWhole = true, ...rest } = options;
  const graph = isWhole ? whole({ roles, ...parts }) : graphOf({ methods: [method('ci')], roles, ...parts });
  const [first = { name: '', text: '' }] = parts.policies;
  return refine(log, { graph }, first, { now, ...rest });
}

describe('a refined policy', () => {
  test('loses the capabilities that no request used', () => {
    const policies = [shop(['a/*', 'read', 'update'], ['b', 'list', 'read'])];
    const log = logOf([asked(web, 'read', 'a/x'), asked(web, 'list', 'b/')]);
    expect(refined({ policies }, log)).toMatchObject({
      after: shop(['a/*', 'read'], ['b', 'list']).text,
      taken: [
        { pattern: 'a/*', capabilities: ['update'] },
        { pattern: 'b', capabilities: ['read'] },
      ],
      ...{ emptied: [], deleted: [], kept: [] },
      proven: { requests: 2, unknown: 0, isWhole: true },
    });
  });

  test('loses rules that no request used, where no broader one decides then', () => {
    const policies = [shop(['a', 'read'], ['b', 'read'])];
    const found = refined({ policies }, logOf([asked(web, 'read', 'a')]));
    expect(found).toMatchObject({ deleted: ['b'], emptied: [] });
    expect(parsePolicy(found.after).map(({ path }) => path)).toEqual(['a']);
  });

  test('keeps an emptied rule, never as a denial, where a broader one would decide', () => {
    const policies = [shop(['a/*', 'read', 'update'], ['a/b', 'read'])];
    const log = logOf([asked(web, 'read', 'a/x'), asked(web, 'update', 'a/x')]);
    const found = refined({ policies }, log);
    expect(found).toMatchObject({
      after: shop(['a/*', 'read', 'update'], ['a/b']).text,
      emptied: ['a/b'],
      kept: [{ pattern: 'a/b', why: 'without it, a broader rule would give update to role web of auth/ci' }],
    });
  });

  test('keeps it where the broader rule is of another policy of the same principals', () => {
    const policies = [shop(['a/b', 'read'], ['c', 'read']), policy('wide', ['a/*', 'update'])];
    const log = logOf([asked(web, 'read', 'c')]);
    const [both, apart] = [['shop', 'wide'], ['shop']].map((held) =>
      refined({ policies, roles: [role('web', { policies: held })] }, log),
    );
    expect(both).toMatchObject({ emptied: ['a/b'], deleted: [] });
    expect(apart).toMatchObject({ emptied: [], deleted: ['a/b'] });
  });

  test('keeps it for tokens of the log that hold more than their role gives now', () => {
    const policies = [shop(['a/b', 'read'], ['c', 'read']), policy('wide', ['a/*', 'update'])];
    const older = signedIn('web', ['shop', 'wide']);
    const log = logOf([asked(web, 'read', 'c'), asked(older, 'read', 'c')]);
    expect(refined({ policies }, log)).toMatchObject({ emptied: ['a/b'], deleted: [] });
  });

  test('keeps the broader one of two emptied rules, if that is enough', () => {
    const policies = [shop(['a/*', 'update'], ['a/b*', 'read'], ['a/bc', 'read'], ['d', 'read'])];
    const found = refined({ policies }, logOf([asked(web, 'update', 'a/x')]));
    expect(found).toMatchObject({ emptied: ['a/b*'], deleted: ['a/bc', 'd'] });
  });

  test('of a part of a service keeps all rules, some of them empty', () => {
    const policies = [shop(['a', 'read'], ['b', 'read', 'list'], ['c', 'read'])];
    const found = refined({ policies }, logOf([asked(web, 'read', 'a'), asked(web, 'read', 'b')]), {
      isWhole: false,
    });
    expect(found.after).toBe(shop(['a', 'read'], ['b', 'read'], ['c']).text);
    expect(found).toMatchObject({ emptied: ['c'], deleted: [], proven: { isWhole: false } });
  });

  test('of a part of a service keeps rules with limits as they are', () => {
    const text = 'path "a" {\n  capabilities = ["read", "update"]\n  denied_parameters = { x = [] }\n}';
    const parts = { policies: [{ name: 'shop', text }] };
    const log = logOf([asked(web, 'read', 'a')]);
    expect(refined(parts, log, { isWhole: false })).toMatchObject({ after: text, kept: [{ pattern: 'a' }] });
    expect(refined(parts, log).after).toBe(text.replace(', "update"', ''));
  });

  test('keeps what a request used by every policy that names the pattern', () => {
    const policies = [shop(['a', 'read', 'list']), policy('other', ['a', 'read'])];
    const both = signedIn('web', ['other', 'shop']);
    const found = refined(
      { policies, roles: [role('web', { policies: ['shop', 'other'] })] },
      logOf([asked(both, 'read', 'a')]),
    );
    expect(found.after).toBe(shop(['a', 'read']).text);
  });

  test('keeps nothing for requests that a more specific rule decided', () => {
    const policies = [shop(['a/*', 'read', 'list']), policy('other', ['a/b', 'read'])];
    const both = signedIn('web', ['other', 'shop']);
    const found = refined(
      { policies, roles: [role('web', { policies: ['shop', 'other'] })] },
      logOf([asked(both, 'read', 'a/b'), asked(both, 'list', 'a/c/')]),
    );
    expect(found.after).toBe(shop(['a/*', 'list']).text);
  });

  test('keeps denials, and rules that are empty already', () => {
    const policies = [shop(['a', 'read', 'list'], ['b', 'deny'], ['c'])];
    const found = refined({ policies }, logOf([asked(web, 'read', 'a')]));
    expect(found.after).toBe(shop(['a', 'read'], ['b', 'deny'], ['c']).text);
  });

  test('keeps sudo where the rule decided, and not where it did not', () => {
    const policies = [shop(['a', 'read', 'sudo'], ['b', 'read', 'sudo'])];
    const found = refined({ policies }, logOf([asked(web, 'read', 'a')]));
    expect(found.after).toContain('path "a" { capabilities = ["read","sudo"] }');
    expect(found.deleted).toEqual(['b']);
  });

  test('keeps an update that comes when a create comes again', () => {
    const policies = [shop(['a', 'create', 'update', 'delete'], ['b', 'create', 'update'])];
    const found = refined({ policies }, logOf([asked(web, 'create', 'a'), asked(web, 'update', 'b')]));
    expect(found.after).toBe(shop(['a', 'create', 'update'], ['b', 'update']).text);
    expect(found.kept).toEqual([{ pattern: 'a', why: 'a create is an update when it comes again' }]);
  });

  test('keeps capabilities whose use no log shows, and rules that expire', () => {
    const expiring = 'path "b" {\n  capabilities = ["read"]\n  expiration = "2090-01-01T00:00:00Z"\n}';
    const text = `${shop(['a', 'read', 'subscribe']).text}\n${expiring}`;
    const found = refined(
      { policies: [{ name: 'shop', text }] },
      logOf([asked(signedIn('x', []), 'read', 'z')]),
    );
    expect(found.after).toBe(`${shop(['a', 'subscribe']).text}\n${expiring}`);
    expect(found.kept.map(({ why }) => why)).toEqual(['no log shows the use of subscribe', 'it expires']);
  });

  test('keeps what the floor has, on the patterns that meet it', () => {
    const policies = [shop(['a/*', 'read', 'delete'], ['b', 'read', 'delete'])];
    const log = logOf([asked(web, 'read', 'a/x'), asked(web, 'read', 'b')]);
    const floor = [{ pattern: 'a/yearly', capabilities: ['delete', 'list'] }];
    expect(refined({ policies }, log, { floor }).after).toBe(
      shop(['a/*', 'read', 'delete'], ['b', 'read']).text,
    );
  });

  test('keeps whatever a request may have used that cannot be judged', () => {
    const policies = [shop(['a/*', 'read', 'update'], ['b', 'read'], ['c', 'read', 'list'])];
    const log = logOf([asked(web, 'help', 'a/x', { count: 3 }), asked(web, 'read', 'c')]);
    const found = refined({ policies }, log);
    expect(found.after).toContain(shop(['a/*', 'read', 'update']).text);
    expect(found).toMatchObject({
      deleted: ['b'],
      kept: [{ pattern: 'a/*', why: expect.stringContaining('which capability help needs') }],
      proven: { requests: 4, unknown: 3 },
    });
  });

  test('keeps all that principals of other namespaces may use', () => {
    const elsewhere = signedIn('web', ['shop'], { isElsewhere: true });
    const policies = [shop(['a', 'read', 'update'], ['b', 'read', 'update'])];
    const found = refined({ policies }, logOf([asked(elsewhere, 'read', 'a'), asked(web, 'read', 'b')]));
    expect(found.after).toBe(shop(['a', 'read', 'update'], ['b', 'read']).text);
  });

  test('keeps rules that may decide in a namespace below', () => {
    const policies = [shop(['team/*', 'read', 'update'], ['+/x', 'read', 'list'], ['b', 'read', 'update'])];
    const log = logOf([asked(web, 'read', 'b')], { namespacesBelow: ['team'] });
    expect(refined({ policies }, log).after).toBe(
      shop(['team/*', 'read', 'update'], ['+/x', 'read', 'list'], ['b', 'read']).text,
    );
  });

  test('keeps one rule, as no policy is without', () => {
    const policies = [shop(['a', 'read'], ['b', 'read'])];
    const found = refined({ policies }, logOf([asked(signedIn('x', []), 'read', 'z')]));
    expect(parsePolicy(found.after)).toHaveLength(1);
  });

  test.each<[what: string, fields: Partial<FoldedLog>]>([
    ['requests that are not held', { notHeld: 1 }],
    ['lines that are cut', { unread: { ...new LogFold().result().unread, cut: 2 } }],
    ['no requests', { requests: [] }],
  ])('is the same for a log with %s', (_, fields) => {
    const policies = [shop(['a', 'read', 'update'])];
    const found = refined({ policies }, logOf([asked(web, 'read', 'a')], fields));
    expect(found).toMatchObject({ after: policies[0]?.text, taken: [], refused: expect.any(String) });
  });

  test('is the same for a text that says something else than the service’s', () => {
    const graph = whole({ roles, policies: [shop(['a', 'read'])] });
    const log = logOf([asked(web, 'read', 'a')]);
    expect(refine(log, { graph }, shop(['a', 'read', 'update']), { now })).toMatchObject({
      refused: 'the service has another text of this policy',
    });
  });
});

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_125);
const cases = Number(process.env['GATEHOUSE_COUNT'] ?? 200);
/** Two segments whole, three in part. */
const paths = everyPath.filter((path, at) => path.split('/').length < 3 || at % 5 === 0);
const operations = ['read', 'update', 'list'];

/** Who may do what: `web read a/b`. */
function abilities(held: Record<string, readonly string[]>, texts: ReadonlyMap<string, PathRule[]>) {
  const found = new Set<string>();
  for (const [who, names] of Object.entries(held)) {
    const acl = new Acl([{ name: '', rules: names.flatMap((name) => texts.get(name) ?? []) }], now);
    for (const path of paths) {
      const [plain, folder] = [acl.decides(path, false), acl.decides(path.replace(/\/$/, ''), true)];
      for (const one of ['read', 'update'])
        if (plain?.capabilities.has(one)) found.add(`${who} ${one} ${path}`);
      if (folder?.capabilities.has('list')) found.add(`${who} list ${path}`);
    }
  }
  return found;
}

/** Each rule without what no request used, and no rule that has nothing then. */
function naive(rules: readonly PathRule[], used: ReadonlySet<string>): PathRule[] {
  return rules.flatMap((rule) => {
    if (rule.capabilities.includes('deny') || rule.capabilities.length === 0) return [rule];
    const capabilities = rule.capabilities.filter((one) => used.has(`${one} ${rule.path}`));
    return capabilities.length === 0 ? [] : [{ ...rule, capabilities }];
  });
}

const capabilitiesIn = (rules: readonly PathRule[]) =>
  new Set(rules.flatMap(({ path, capabilities }) => capabilities.map((one) => `${one} ${path}`)));

test(`of ${cases} random policies no request is lost, no one gains, and what is safe to take is taken (seed ${seed})`, () => {
  const seen = { taken: 0, deleted: 0, naiveSafe: 0, naiveUnsafe: 0 };
  for (let number = 0; number < cases; number += 1) {
    const next = randomFrom(seed + number);
    const names = ['p', 'q', 's'];
    const texts = new Map(randomPolicies(seed + number, 3).map((rules, at) => [names[at] ?? '', rules]));
    const held: Record<string, string[]> = {
      one: ['p'],
      two: ['p', 'q'],
      three: names.filter(() => next(2) === 0),
    };
    const policies = names.map((name) =>
      policy(
        name,
        ...(texts.get(name) ?? []).map(({ path, capabilities }): [string, ...string[]] => [
          path,
          ...capabilities,
        ]),
      ),
    );
    const can = abilities(held, texts);
    const requests = Object.entries(held).flatMap(([who, list]) => {
      const by = signedIn(who, list);
      return Array.from({ length: 12 }, () => {
        const [operation = '', path = ''] = [operations[next(3)], paths[next(paths.length)]];
        const at = operation === 'list' ? `${path.replace(/\/$/, '')}/` : path;
        const outcome = can.has(`${who} ${operation} ${path}`) ? ('allowed' as const) : ('refused' as const);
        return asked(by, operation, at, { outcome });
      });
    });
    const parts = {
      policies,
      roles: Object.entries(held).map(([name, list]) => role(name, { policies: list })),
    };
    const isWhole = number % 2 === 0;
    const found = refined(parts, logOf(requests), { isWhole });
    const after = new Map([...texts, ['p', parsePolicy(found.after)]]);
    const still = abilities(held, after);
    const where = `case ${number}`;
    const allowed = requests.filter(({ outcome }) => outcome === 'allowed');
    const losing = (all: ReadonlySet<string>) =>
      allowed.filter(({ by, operation, path }) => {
        const shown = operation === 'list' ? [path, path.replace(/\/$/, '')] : [path];
        return !shown.some((one) => all.has(`${by.role} ${operation} ${one}`));
      });
    expect([where, losing(still)]).toEqual([where, []]);
    expect([where, [...still].filter((one) => !can.has(one))]).toEqual([where, []]);
    const used = new Set<string>();
    for (const { by, operation, path } of allowed) {
      const acl = new Acl(
        [{ name: '', rules: (held[by.role] ?? []).flatMap((name) => texts.get(name) ?? []) }],
        now,
      );
      const isFolder = operation === 'list';
      used.add(`${operation} ${acl.decides(isFolder ? path.replace(/\/$/, '') : path, isFolder)?.path}`);
    }
    const simple = naive(texts.get('p') ?? [], used);
    const simply = abilities(held, new Map([...texts, ['p', simple]]));
    const isSafe = losing(simply).length === 0 && [...simply].every((one) => can.has(one));
    if (allowed.length > 0) seen[isSafe ? 'naiveSafe' : 'naiveUnsafe'] += 1;
    seen.taken += found.taken.length;
    seen.deleted += found.deleted.length;
    if (!isSafe || allowed.length === 0) continue;
    const left = capabilitiesIn(simple);
    // Where the policy denies, its other rules for the same pattern give nothing.
    const isDenied = (one: string) => left.has(one.replace(/^\w+/, 'deny'));
    const gained = [...capabilitiesIn(parsePolicy(found.after))].filter(
      (one) => !left.has(one) && !isDenied(one),
    );
    expect([where, gained]).toEqual([where, []]);
  }
  // Or it would show nothing.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(cases / 20);
});

test('a log tells the namespaces below the one that is asked about', () => {
  const fold = new LogFold({ namespace: 'a' });
  for (const path of ['', 'a/', 'a/team/', 'b/', 'ab/']) {
    const request = { id: 'x', operation: 'read', path: 's/x', namespace: { id: 'n', path } };
    fold.add(JSON.stringify({ time: '2026-11-25T00:00:00Z', type: 'response', request }));
  }
  expect(fold.result()).toMatchObject({ otherNamespaces: 4, namespacesBelow: ['team'] });
});
