import { describe, expect, test } from '@jest/globals';
import { type SmallestChange, smallestChange } from '../../src/usage/smallest-change.ts';
import { graphOf, now, rule, serviceOf } from './usage-graph.ts';

const asking = (path: string, operation = 'read', fields = {}) => ({
  entity: 'e1',
  request: { operation, path, fields },
});

function change(
  policies: Record<string, string>,
  roles: Record<string, string[]>,
  request: ReturnType<typeof asking>,
  held = roles['web'] ?? [],
  deciding: string[] = [],
): SmallestChange | string {
  const asked = { ...request, policies: [...held, 'default'], deciding };
  return smallestChange(asked, serviceOf(graphOf(policies, roles)), now);
}

const gaining = (found: SmallestChange | string) =>
  typeof found === 'string'
    ? found
    : found.access.changes.filter(({ gains }) => gains === 'some').map(({ principals }) => principals.name);

describe('the smallest change', () => {
  test('keeps what was decided there, and goes where the fewest hold it', () => {
    const found = change(
      { app: rule('kv/*', ['read']), own: rule('other', ['read']) },
      { web: ['app', 'own'], more: ['app'] },
      asking('kv/x', 'update'),
    );
    expect(found).toMatchObject({
      policy: 'own',
      principals: 1,
      replaces: false,
      rule: 'path "kv/x" {\n  capabilities = ["read", "update"]\n}',
      access: { losses: 'none', gains: 'some' },
    });
    expect(gaining(found)).toEqual(['role web of apps (approle)']);
  });

  test('goes to the policy that decides, where no more hold it', () => {
    const policies = { app: rule('other', ['read']), own: rule('kv/*', ['read']) };
    const found = change(policies, { web: ['app', 'own'] }, asking('kv/x', 'update'), undefined, ['own']);
    expect(found).toMatchObject({ policy: 'own' });
  });

  test('gives others of the policy no more than the capability, where no one loses by that', () => {
    const found = change(
      { app: rule('kv/x', ['read']), own: rule('other', ['read']) },
      { web: ['app', 'own'], more: ['app'], yet: ['app'] },
      asking('kv/x', 'update'),
    );
    expect(found).toMatchObject({ policy: 'own', rule: 'path "kv/x" {\n  capabilities = ["update"]\n}' });
  });

  test('is passed on to the next policy where someone would lose', () => {
    const found = change(
      { app: rule('kv/*', ['read']), own: rule('other', ['read']), wide: rule('kv/*', ['delete']) },
      { web: ['app', 'own'], more: ['own', 'wide'], yet: ['app'], again: ['app'] },
      asking('kv/x', 'update'),
    );
    expect(found).toMatchObject({ policy: 'app', access: { losses: 'none' } });
  });

  test('says who loses where someone does in any case', () => {
    const found = change(
      { own: rule('other', ['read']), wide: rule('kv/*', ['delete']) },
      { web: ['own'], more: ['own', 'wide'] },
      asking('kv/x', 'update'),
    );
    expect(found).toMatchObject({ policy: 'own', access: { losses: 'some' } });
  });

  test('of a list is for the path with a slash, and keeps the rule for others', () => {
    const found = change({ app: rule('kv/*', ['read']) }, { web: ['app'] }, asking('kv/x/', 'list'));
    expect(found).toMatchObject({ rule: 'path "kv/x/" {\n  capabilities = ["list", "read"]\n}' });
  });

  test('has sudo where the path needs it', () => {
    const found = change({ app: rule('kv/*', ['read']) }, { web: ['app'] }, asking('sys/auth/x', 'update'));
    expect(found).toMatchObject({ rule: 'path "sys/auth/x" {\n  capabilities = ["sudo", "update"]\n}' });
  });

  test('replaces a denial of this very path in the one policy that has it', () => {
    const found = change(
      { closed: `${rule('kv/x', ['deny'])}\n${rule('kv/y', ['read'])}` },
      { web: ['closed'] },
      asking('kv/x'),
    );
    expect(found).toMatchObject({
      replaces: true,
      text: 'path "kv/y" {\n  capabilities = ["read"]\n}\n\npath "kv/x" {\n  capabilities = ["read"]\n}\n',
    });
  });

  test('is none where several policies deny this very path', () => {
    const found = change(
      { closed: rule('kv/x', ['deny']), shut: rule('kv/x', ['deny']) },
      { web: ['closed', 'shut'] },
      asking('kv/x'),
    );
    expect(found).toBe('no-rule');
  });

  test.each([
    ['required_parameters = ["why"]', ''],
    ['denied_parameters = { "b" = [] }', ''],
    ['denied_parameters = { "*" = [] }', ''],
    [
      'allowed_parameters = { "a" = ["x"] }',
      '\n  allowed_parameters = {\n    "a" = ["x"]\n    "b" = []\n  }',
    ],
    ['min_wrapping_ttl = "1m" max_wrapping_ttl = "1h"', ''],
  ])('loosens %s for the fields of the request alone', (limit, left) => {
    const found = change(
      { app: rule('kv/*', ['update'], limit) },
      { web: ['app'] },
      asking('kv/x', 'update', { b: 'hmac-sha256:0' }),
    );
    expect(found).toMatchObject({ rule: `path "kv/x" {\n  capabilities = ["update"]${left}\n}` });
  });

  test('keeps a comment of the policy, and writes JSON as blocks', () => {
    const text = `# Of the team.\n${rule('kv/y', ['read'])}`;
    expect(change({ app: text }, { web: ['app'] }, asking('kv/x'))).toMatchObject({
      text: expect.stringMatching(/^# Of the team\.\n/),
    });
    const json = JSON.stringify({ path: { 'kv/y': { capabilities: ['read'] } } });
    expect(change({ app: json }, { web: ['app'] }, asking('kv/x'))).toMatchObject({
      text: expect.stringMatching(/^path "kv\/y" \{/),
    });
  });

  test.each(['kv/x*', 'kv/+/x', 'kv/+x', 'kv/{{x}}', 'kv/"', 'kv/\n', 'kv/$x'])(
    'is none for a path that no pattern names alone: %j',
    (path) => {
      expect(change({ app: rule('kv/*', ['list']) }, { web: ['app'] }, asking(path))).toBe('no-pattern');
    },
  );

  test('is none where no text of a policy is known, or one has a limit that cannot be written', () => {
    expect(change({}, { web: ['app'] }, asking('kv/x'))).toBe('no-text');
    const limited = rule('kv/*', ['read'], 'mfa_methods = ["a"]');
    expect(change({ app: limited }, { web: ['app'] }, asking('kv/x', 'update'))).toBe('no-rule');
  });
});
