import { describe, expect, test } from '@jest/globals';
import { otherRole } from '../../src/graph/nodes/other-role.ts';
import { LoggedPrincipals } from '../../src/usage/logged-principals.ts';
import { replay } from '../../src/usage/replay.ts';
import { usageOf } from '../../src/usage/usage.ts';
import { missingFromLogWords } from '../../src/words/missing-from-log-words.ts';
import { auditLine, folded, type Line, signInLine, start } from './log-lines.ts';
import { graphOf, now, rule } from './usage-graph.ts';

const web = {
  name: 'apps',
  entity: 'e-web',
  accessor: 'web',
  token: ['app', 'default'],
  metadata: { role_name: 'web' },
};
const kid = { ...web, name: 'token-kid', accessor: 'kid', metadata: { role: 'other' } };
const service = graphOf({ app: rule('kv/*', ['read']) + rule('auth/token/*', ['update']) }, { web: ['app'] });
const tokenRole = otherRole(
  { type: 'token', method: 'token', noun: 'role', name: 'maker' },
  { allowed_policies: ['app'] },
);
const tokens = { mount: 'auth/token/', operation: 'update' };

/** A renewal by the token itself, or another answer of the tokens' own mount. */
const ofTokens = (path: string, by: Line['by'], given: Line['by'], line: Line = {}) =>
  auditLine({ ...tokens, path: `auth/token/${path}`, by, gives: given, ...line });
const renewal = (path: string, at: number) => ofTokens(path, web, web, { at });
const making = (path: string, given: Line['by'], line: Line = {}) =>
  ofTokens(path, web, given, { at: 5, ...line });
const reading = (by: Line['by'], at = 10) => auditLine({ path: 'kv/a', mount: 'kv/', by, at });

const origins = (...lines: string[]) => {
  const log = folded(lines);
  const principals = new LoggedPrincipals({ graph: service }, service, log);
  return log.requests
    .filter(({ path }) => path.startsWith('kv/'))
    .map(({ by }) => principals.signedInAt(by))
    .map((at) => (at === undefined ? 'unknown' : `${at.method}/${at.role}`));
};
const roleUse = (...lines: string[]) =>
  usageOf(folded(lines), { graph: service }, now).used.find(
    ({ kind, name }) => kind === 'role' && name === 'auth/apps/web',
  );

test('a child token is no sign-in, and no one else', () => {
  const lines = [signInLine('apps', web), making('create', kid), reading(kid), reading(kid, 20)];
  expect(folded(lines).signIns).toMatchObject([{ method: 'apps', role: 'web', count: 1 }]);
  expect(roleUse(...lines)).toMatchObject({ count: 1, people: 1, last: start + 20_000 });
});

describe('a renewal is no sign-in', () => {
  test.each(['renew-self', 'renew', 'renew-accessor'])('by auth/token/%s', (path) => {
    const log = folded([signInLine('apps', web), renewal(path, 5)]);
    expect(log.signIns).toMatchObject([{ method: 'apps', role: 'web', count: 1 }]);
  });

  test('its token is still of the role that it was signed in by', () => {
    expect(origins(signInLine('apps', web), renewal('renew-self', 5), reading(web))).toEqual(['apps/web']);
  });

  test('a role whose tokens are renewed is in use until now', () => {
    expect(roleUse(signInLine('apps', web), renewal('renew-self', 5), reading(web, 7200))).toMatchObject({
      used: 'yes',
      last: start + 7_200_000,
    });
  });

  test('a replay refuses what a renewed token asks once its role loses the policy', () => {
    const log = folded([signInLine('apps', web), renewal('renew-self', 5), reading(web)]);
    const after = graphOf({ app: rule('kv/*', ['read']) }, { web: ['default'] });
    const { refused, unknown } = replay(log, { before: service, after }, { now });
    expect([refused, unknown].map((all) => all.map(({ request }) => request.path))).toEqual([['kv/a'], []]);
  });
});

describe('a token is of the sign-in that began it', () => {
  const child = { data: { policies: ['hmac-sha256:p'] } };

  test.each<[string, string[]]>([
    ['a child', [signInLine('apps', web), making('create', kid), reading(kid)]],
    [
      'an orphan',
      [
        signInLine('apps', web),
        making('create-orphan', { ...kid, entity: '' }),
        reading({ ...kid, entity: '' }),
      ],
    ],
    ['one of a token role', [signInLine('apps', web), making('create/maker', kid, child), reading(kid)]],
    [
      'the child of a child',
      [
        signInLine('apps', web),
        making('create', kid),
        ofTokens('create', kid, { ...kid, accessor: 'grandchild' }, { at: 6 }),
        reading({ ...kid, accessor: 'grandchild' }),
      ],
    ],
    [
      'a wrapped one',
      [
        signInLine('apps', web),
        making('create', undefined, { wrapped: 'kid' }),
        auditLine({
          path: 'sys/wrapping/unwrap',
          mount: 'sys/',
          operation: 'update',
          by: { ...web, accessor: 'wrap', token: ['response-wrapping'] },
        }),
        reading(kid),
      ],
    ],
    [
      'that of a wrapped sign-in',
      [signInLine('apps', web, { signIn: undefined, wrapped: 'web' }), reading(web)],
    ],
    [
      'a batch token',
      [
        signInLine('apps', web),
        making('create', { ...kid, accessor: '', client: 'batch' }),
        reading({ ...kid, accessor: '', client: 'batch' }),
      ],
    ],
    ['one whose sign-in is on a later line', [reading(web, 0), signInLine('apps', web)]],
    ['one of the same entity, where the log lacks its making', [signInLine('apps', web), reading(kid)]],
  ])('%s', (_, lines) => {
    expect(origins(...lines)).toEqual(['apps/web']);
  });

  test('that is older than what counts, and is not counted', () => {
    const orphan = { ...kid, entity: '' };
    const lines = [signInLine('apps', web), making('create-orphan', orphan, { at: 2 }), reading(orphan)];
    const log = folded(lines, { since: start + 5_000 });
    const principals = new LoggedPrincipals({ graph: service }, service, log);
    expect(log).toMatchObject({ signIns: [], entries: 1 });
    expect(log.requests.map(({ by }) => principals.signedInAt(by))).toEqual([
      { method: 'apps', role: 'web' },
    ]);
  });

  test('a token role is in the path, and used', () => {
    const lines = [signInLine('apps', web), making('create/maker', kid, child), reading(kid, 60)];
    const [, maker] = usageOf(
      folded(lines),
      { graph: { ...service, others: [...(service.others ?? []), tokenRole] } },
      now,
    ).used;
    expect(maker).toMatchObject({ name: 'auth/token/maker', used: 'yes', last: start + 60_000 });
  });

  test('that no line tells is unknown, and said with its share', () => {
    const older = { ...web, entity: '', name: 'elsewhere-x', accessor: 'old' };
    const { origins: found, untold } = usageOf(
      folded([signInLine('apps', web), reading(web), reading(web), reading(web), reading(older)]),
      { graph: service },
      now,
    );
    expect(found).toEqual({ known: 3, unknown: 1 });
    expect(untold.map(missingFromLogWords)).toContain(
      'the sign-in of 1 request (25.0 %): its token is older than the logs',
    );
  });

  test('of a name like that of a method is not of its role where another entity has it', () => {
    expect(
      origins(
        signInLine('apps', web),
        reading({ ...web, entity: 'e-2', name: 'other-x', accessor: 'x', metadata: {} as never }),
      ),
    ).toEqual(['unknown']);
  });
});

describe('a child is made anew in the same way', () => {
  const inherited = [signInLine('apps', web), making('create', kid), reading(kid)];
  const explicit = [
    signInLine('apps', web),
    making('create', kid, { data: { policies: ['hmac-sha256:p'] } }),
    reading(kid),
  ];
  const answersTo = (lines: string[], role: string[], texts: Record<string, string>) => {
    const after = graphOf(texts, { web: role });
    const { refused, unknown } = replay(folded(lines), { before: service, after }, { now });
    return [refused, unknown].map((all) => all.map(({ request }) => request.path));
  };
  const text = rule('kv/*', ['read']) + rule('auth/token/*', ['update']);

  test('it has what its maker has', () => {
    expect(answersTo(inherited, ['new'], { new: text })).toEqual([[], []]);
    expect(answersTo(inherited, ['new'], { new: rule('auth/token/*', ['update']) })).toEqual([['kv/a'], []]);
  });

  test('it cannot ask for a policy that its maker has lost', () => {
    expect(answersTo(explicit, ['new'], { new: text, app: text })).toEqual([['kv/a'], []]);
    expect(answersTo(explicit, ['app'], { app: text })).toEqual([[], []]);
  });

  test('it is not made where its maker may not', () => {
    expect(answersTo(inherited, ['app'], { app: rule('kv/*', ['read']) })).toEqual([
      ['auth/token/create', 'kv/a'],
      [],
    ]);
  });
});
