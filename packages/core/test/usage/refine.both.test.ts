import { describe, expect, test } from '@jest/globals';
import { isIn } from '../../../../test/harness/long-run.ts';
import { everyPath, randomFrom, randomPolicies } from '../../../../test/harness/random-policies.ts';
import { Acl } from '../../src/graph/policies/acl.ts';
import { type PathRule, parsePolicy } from '../../src/graph/policies/parse-policy.ts';
import type { FoldedLog } from '../../src/usage/folded-log.ts';
import { LogFold } from '../../src/usage/log-fold.ts';
import type { LoggedPrincipal, LoggedRequest } from '../../src/usage/logged-request.ts';
import { type RefineOptions, refine } from '../../src/usage/refine.ts';
import { now, whole } from '../review/graphs.ts';
import { graph } from '../worlds.ts';
import { someone } from './replayed-log.ts';

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
    who,
    method: 'ci',
    role: roleOf(who),
    count: 1,
    first: 1,
    last: 1,
  }));
  return { ...new LogFold().result(), requests, signIns, ...fields };
}

const roleOf = ({ metadata }: LoggedPrincipal) => metadata['role'] ?? '';
const web = signedIn('web', ['shop']);
const textOf = (rules: string) => graph(`policy shop: ${rules}`).policies[0]?.text ?? '';

function refined(text: string, log: FoldedLog, options: Partial<RefineOptions> & { isWhole?: boolean } = {}) {
  const { isWhole = true, ...rest } = options;
  const given = graph(`method ci\n ${text.includes('role ') ? '' : 'role web shop'}\n ${text}`);
  const [first = { name: '', text: '' }] = given.policies;
  return refine(log, { graph: isWhole ? whole(given) : given }, first, { now, ...rest });
}

/** `read a/x, list b/` of one principal. */
const asks = (requests: string, by = web, fields: Partial<LoggedRequest> = {}) =>
  requests.split(', ').map((one) => {
    const [operation = '', path = ''] = one.split(' ');
    return asked(by, operation, path, fields);
  });
const log = (requests: string, fields: Partial<FoldedLog> = {}) => logOf(asks(requests), fields);

describe('a refined policy', () => {
  const wide = 'policy shop: a/b read; c read\n policy wide: a/* update';
  const both = 'role web shop,other';
  const twice = signedIn('web', ['other', 'shop']);

  test.each<[what: string, service: string, log: FoldedLog, after: string, found?: object]>([
    [
      'loses the capabilities that no request used',
      'policy shop: a/* read,update; b list,read',
      log('read a/x, list b/'),
      'a/* read; b list',
      {
        taken: [
          { pattern: 'a/*', capabilities: ['update'] },
          { pattern: 'b', capabilities: ['read'] },
        ],
        emptied: [],
        deleted: [],
        kept: [],
        proven: { requests: 2, unknown: 0, isWhole: true },
      },
    ],
    [
      'keeps an emptied rule, never as a denial, where a broader one would decide',
      'policy shop: a/* read,update; a/b read',
      log('read a/x, update a/x'),
      'a/* read,update; a/b -',
      {
        emptied: ['a/b'],
        kept: [
          {
            pattern: 'a/b',
            why: [
              { kind: 'gain', capabilities: ['update'], to: [{ kind: 'role', method: 'ci', name: 'web' }] },
            ],
          },
        ],
      },
    ],
    [
      'keeps what a request used by every policy that names the pattern',
      `policy shop: a read,list\n policy other: a read\n ${both}`,
      logOf(asks('read a', twice)),
      'a read',
    ],
    [
      'keeps nothing for requests that a more specific rule decided',
      `policy shop: a/* read,list\n policy other: a/b read\n ${both}`,
      logOf([asked(twice, 'read', 'a/b'), asked(twice, 'list', 'a/c/')]),
      'a/* list',
    ],
    [
      'keeps denials, and rules that are empty already',
      'policy shop: a read,list; b deny; c -',
      log('read a'),
      'a read; b deny; c -',
    ],
    [
      'keeps an update that comes when a create comes again',
      'policy shop: a create,update,delete; b create,update',
      log('create a, update b'),
      'a create,update; b update',
      { kept: [{ pattern: 'a', why: [{ kind: 'create-again' }] }] },
    ],
    [
      'keeps all that principals of other namespaces may use',
      'policy shop: a read,update; b read,update',
      logOf([...asks('read a', signedIn('web', ['shop'], { unknown: 'elsewhere' })), ...asks('read b')]),
      'a read,update; b read',
    ],
    [
      'keeps rules that a damaged line may have used',
      'policy shop: team/* read,update; +/x read,list; b read,update',
      log('read b', { damaged: [{ id: '', path: 'team/x', namespace: '', isRequest: false }] }),
      'team/* read,update; +/x read,list; b read',
    ],
  ])('%s', (_, service, requests, after, found = {}) => {
    expect(refined(service, requests)).toMatchObject({ after: textOf(after), ...found });
  });

  test.each<[what: string, service: string, log: FoldedLog, emptied: string[], deleted: string[]]>([
    [
      'keeps the broader rule of another policy of the same principals',
      `${wide}\n role web shop,wide`,
      log('read c'),
      ['a/b'],
      [],
    ],
    ['does not keep it where others have that policy', wide, log('read c'), [], ['a/b']],
    [
      'keeps it for tokens of the log that hold more than their role gives now',
      wide,
      logOf([...asks('read c'), ...asks('read c', signedIn('web', ['shop', 'wide']))]),
      ['a/b'],
      [],
    ],
    [
      'keeps the broader one of two emptied rules, if that is enough',
      'policy shop: a/* update; a/b* read; a/bc read; d read',
      log('update a/x'),
      ['a/b*'],
      ['a/bc', 'd'],
    ],
  ])('%s', (_, service, requests, emptied, deleted) => {
    expect(refined(service, requests)).toMatchObject({ emptied, deleted });
  });

  test('loses rules that no request used, where no broader one decides then', () => {
    const found = refined('policy shop: a read; b read', log('read a'));
    expect(found).toMatchObject({ deleted: ['b'], emptied: [] });
    expect(parsePolicy(found.after).map(({ path }) => path)).toEqual(['a']);
  });

  test('of a part of a service keeps all rules, some of them empty', () => {
    const found = refined('policy shop: a read; b read,list; c read', log('read a, read b'), {
      isWhole: false,
    });
    expect(found.after).toBe(textOf('a read; b read; c -'));
    expect(found).toMatchObject({ emptied: ['c'], deleted: [], proven: { isWhole: false } });
  });

  test('of a part of a service keeps rules with limits as they are', () => {
    const text = 'path "a" { capabilities = ["read", "update"] denied_parameters = { x = [] } }';
    const found = refined(`policy shop: ${text}`, log('read a'), { isWhole: false });
    expect(found).toMatchObject({ after: text, kept: [{ pattern: 'a' }] });
    expect(refined(`policy shop: ${text}`, log('read a')).after).toBe(text.replace(', "update"', ''));
  });

  test('keeps sudo where the rule decided, and not where it did not', () => {
    const found = refined('policy shop: a read,sudo; b read,sudo', log('read a'));
    expect(found.after).toContain('path "a" { capabilities = ["read","sudo"] }');
    expect(found.deleted).toEqual(['b']);
  });

  test('keeps capabilities whose use no log shows, and rules that expire', () => {
    const expiring = 'path "b" { capabilities = ["read"] expiration = "2090-01-01T00:00:00Z" }';
    const requests = logOf(asks('read z', web));
    const found = refined(`policy shop: ${textOf('a read,subscribe')} ${expiring}`, requests);
    expect(found.after).toBe(`${textOf('a subscribe')} ${expiring}`);
    expect(found.kept.map(({ why }) => why)).toEqual([
      [{ kind: 'use-not-logged', capability: 'subscribe' }],
      [{ kind: 'expires' }],
    ]);
  });

  test('keeps what the floor has, on the patterns that meet it', () => {
    const floor = [{ pattern: 'a/yearly', capabilities: ['delete', 'list'] }];
    const found = refined('policy shop: a/* read,delete; b read,delete', log('read a/x, read b'), { floor });
    expect(found.after).toBe(textOf('a/* read,delete; b read'));
  });

  test('keeps whatever a request may have used that cannot be judged', () => {
    const requests = logOf([...asks('help a/x', web, { count: 3 }), ...asks('read c')]);
    const found = refined('policy shop: a/* read,update; b read; c read,list', requests);
    expect(found.after).toContain(textOf('a/* read,update'));
    expect(found).toMatchObject({
      deleted: ['b'],
      kept: [
        {
          pattern: 'a/*',
          why: [{ kind: 'may-be-used', missing: { kind: 'capability-needed', operation: 'help' } }],
        },
      ],
      proven: { requests: 4, unknown: 3 },
    });
  });

  test('keeps one rule, as no policy is without', () => {
    const service = 'policy shop: a read; b read\n policy wide: c read\n role web shop,wide';
    const requests = logOf(asks('read c', signedIn('web', ['shop', 'wide'])));
    expect(parsePolicy(refined(service, requests).after)).toHaveLength(1);
  });

  test.each<[what: string, fields: Partial<FoldedLog>]>([
    ['requests that are not held', { notHeld: 1 }],
    ['no requests', { requests: [] }],
    ['no request of a token that has the policy', { requests: asks('read z', signedIn('job', ['other'])) }],
  ])('is the same for a log with %s', (_, fields) => {
    const found = refined('policy shop: a read,update', log('read a', fields));
    expect(found).toMatchObject({
      after: textOf('a read,update'),
      taken: [],
      refused: { kind: expect.any(String) },
    });
  });

  test('is the same for a text that says something else than the service’s', () => {
    const service = whole(graph('method ci\n role web shop\n policy shop: a read'));
    const asked = { name: 'shop', text: textOf('a read,update') };
    expect(refine(log('read a'), { graph: service }, asked, { now })).toMatchObject({
      refused: { kind: 'other-text' },
    });
  });
});

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_125);
const cases = Number(process.env['GATEHOUSE_COUNT'] ?? (isIn('npm test') ? 40 : 200));
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
    const rules = (name: string) =>
      (texts.get(name) ?? []).map(({ path, capabilities }) => `${path} ${capabilities.join() || '-'}`);
    const policies = names.map((name) => `policy ${name}: ${rules(name).join('; ')}`);
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
    const roles = Object.entries(held).map(([name, list]) => `role ${name} ${list.join() || '-'}`);
    const isWhole = number % 2 === 0;
    const found = refined([...policies, ...roles].join('\n'), logOf(requests), { isWhole });
    const after = new Map([...texts, ['p', parsePolicy(found.after)]]);
    const still = abilities(held, after);
    const where = `case ${number}`;
    const allowed = requests.filter(({ outcome }) => outcome === 'allowed');
    const losing = (all: ReadonlySet<string>) =>
      allowed.filter(({ by, operation, path }) => {
        const shown = operation === 'list' ? [path, path.replace(/\/$/, '')] : [path];
        return !shown.some((one) => all.has(`${roleOf(by)} ${operation} ${one}`));
      });
    expect([where, losing(still)]).toEqual([where, []]);
    expect([where, [...still].filter((one) => !can.has(one))]).toEqual([where, []]);
    const used = new Set<string>();
    for (const { by, operation, path } of allowed) {
      const acl = new Acl(
        [{ name: '', rules: (held[roleOf(by)] ?? []).flatMap((name) => texts.get(name) ?? []) }],
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
    if (!isSafe || !allowed.some(({ by }) => held[roleOf(by)]?.includes('p'))) continue;
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
