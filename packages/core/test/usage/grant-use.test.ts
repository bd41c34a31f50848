import { describe, expect, test } from '@jest/globals';
import type { Principals } from '../../src/access/access-change.ts';
import { entityAlias, otherAlias } from '../../src/graph/nodes/other-alias.ts';
import { wordsOf } from '../../src/graph/nodes/other-node.ts';
import { issuedTokens } from '../../src/graph/nodes/tokens.ts';
import type { FoldedLog } from '../../src/usage/folded-log.ts';
import { grantUse } from '../../src/usage/grant-use.ts';
import type { LoggedPrincipal, LoggedRequest } from '../../src/usage/logged-request.ts';
import { logOf } from './replayed-log.ts';
import { graphOf, now, principal, rule, serviceOf } from './usage-graph.ts';

const graph = {
  ...graphOf({ app: rule('kv/*', ['read']), team: rule('team/*', ['read']) }, { web: ['app'] }),
  groups: [{ name: 'admins', policies: ['team'] }],
};
const ids = { mount: {}, group: {}, entity: { e1: 'ann' } };
const by = principal('web', ['app']);
const request = (path: string, by: LoggedPrincipal, fields: Partial<LoggedRequest> = {}) => ({
  path,
  by,
  count: 2,
  last: 9,
  ...fields,
});
const log = (...requests: ReturnType<typeof request>[]): FoldedLog => ({
  ...logOf(...requests),
  signIns: requests.map(({ by }) => ({ who: by, method: 'apps', role: 'web', count: 1, first: 1, last: 1 })),
});
const useOf = (folded: FoldedLog) => grantUse(folded, { ...serviceOf(graph), ids }, now);
const who = (kind: Principals['kind'], name: string, fields = {}) =>
  ({ kind, name, ...fields }) as Principals;
const [node] = graph.others ?? [];
const web = who('other', 'role web of apps (approle)', { node });

describe('the last use of a grant', () => {
  test('is that of the role and the entity that asked, by the rule that decides', () => {
    const use = useOf(log(request('kv/x', by), request('kv/y', by, { last: 7 })));
    expect(use.lastOf(web, 'kv/*', ['app'])).toBe(9);
    expect(use.lastOf(who('entity', 'Ann'), 'kv/*', ['app'])).toBe(9);
    expect(use.lastOf(web, 'team/*', ['team'])).toBeUndefined();
    expect(use.lastOf(web, 'kv/*', ['team'])).toBeUndefined();
    expect(use.lastOf(who('role', 'web', { method: 'other' }), 'kv/*', ['app'])).toBeUndefined();
    expect(use.missing).toEqual([]);
  });

  test('is that of a group whose policies the token all had', () => {
    const inside = principal('web', ['app'], {
      identityPolicies: ['team'],
      policies: ['app', 'default', 'team'],
    });
    const use = useOf(log(request('team/x', inside)));
    expect(use.lastOf(who('alias', '/admins', { group: 'admins' }), 'team/*', ['team'])).toBe(9);
    expect(useOf(log(request('kv/x', by))).lastOf(who('group', 'admins'), 'kv/*', ['app'])).toBeUndefined();
  });

  test('counts no refused request, and none of the root', () => {
    const root = principal('', [], { policies: ['root'], entity: '' });
    const use = useOf(log(request('kv/x', by, { outcome: 'refused' }), request('kv/x', root)));
    expect(use.lastOf(web, 'kv/*', ['app'])).toBeUndefined();
    expect(use.missing).toEqual([]);
  });

  test('says what it cannot tell', () => {
    const stranger = principal('other', ['app'], { entity: 'of another service' });
    const folded = { ...log(request('nowhere', by)), notHeld: 3 };
    folded.requests.push(...logOf(request('kv/x', stranger)).requests);
    expect(useOf(folded).missing).toEqual([
      { kind: 'rules', count: 2 },
      { kind: 'askers', count: 2 },
      { kind: 'not-listed', count: 3 },
    ]);
  });

  test.each([issuedTokens(['app']), entityAlias('web', 'apps', 'b'), otherAlias('web', 'apps', 'ldap', 'b')])(
    'of what is no role is not known: $kind',
    (other) => {
      const use = useOf(log(request('kv/x', by)));
      expect(use.lastOf(who('other', wordsOf(other), { node: other }), 'kv/*', ['app'])).toBeUndefined();
    },
  );
});
