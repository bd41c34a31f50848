import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../../src/access/questions/change.ts';
import { policyFor, wholeService } from '../../../src/environment/token-policies.ts';
import { effectOf } from '../../../src/graph/nodes/other-node.ts';
import { otherRole, pathOfRole } from '../../../src/graph/nodes/other-role.ts';
import { Acl } from '../../../src/graph/policies/acl.ts';
import { parsePolicy } from '../../../src/graph/policies/parse-policy.ts';
import { listInWords } from '../../../src/graph/resources/method-lists.ts';
import { allLists, namesPerson, signsInByItself } from '../../../src/graph/resources/other-methods.ts';
import { readSnapshot, snapshotOf } from '../../../src/review/snapshot.ts';
import { now } from '../../review/graphs.ts';
import { compose, entry } from '../../review/plan/terraform.ts';
import { auditLine, folded } from '../../usage/log-lines.ts';
import { change, graph } from '../../worlds.ts';

const fields = { token_policies: ['app'] };
const reading = new Acl(
  [{ name: 'reading', rules: parsePolicy(policyFor('reading', wholeService, '')) }],
  now,
);
const source = { at: '2026-11-23T12:00:00Z', server: 'https://s.example', namespace: '' };
const key = 'a key of sixteen letters';

/** A new row of the table has to be all of this, and nothing else has to name it. */
describe.each(allLists.map((list) => [list.type, list.path, list] as const))('%s: %s', (_, __, list) => {
  const { type, noun, path: listed, terraform = `vault_${type}_auth_backend_${noun}` } = list;
  const node = otherRole({ type, method: 'm', noun, name: 'ann-lee' }, fields);
  const path = pathOfRole(node);
  const plannedOthers = (...resources: [address: string, after: object][]) =>
    compose(resources.map(([address, after]) => entry(address, { after }))).after.others;

  test('is read by the reading token', () => {
    expect(reading.allows({ path: `auth/m/${listed}`, capability: 'list' })).toBe(true);
    expect(reading.allows({ path, capability: 'read' })).toBe(true);
  });

  test.each(['m', 'a/b', 'a/b/c'])('is administration at %s', (mount) => {
    const written = path.replace('auth/m/', `auth/${mount}/`);
    const { changes } = decideAccess(change(`policy p: ${written} update\n ~ role r - → p`), now);
    expect(changes.flatMap(({ paths }) => paths.map(({ administers }) => administers))).toEqual([
      expect.anything(),
    ]);
  });

  test('counts as a write of access in a log', () => {
    const { writes } = folded([auditLine({ path, operation: 'update', mount: 'auth/m/' })]);
    expect([...writes.keys()]).toEqual([path]);
  });

  test('is read from a plan, by its own type and by a write to its path', () => {
    expect(plannedOthers([`${terraform}.x`, { name: 'ann-lee', backend: 'm', ...fields }])).toEqual([node]);
    const mount = ['vault_auth_backend.m', { path: 'm', type }] as const;
    const write = ['vault_generic_endpoint.x', { path, data_json: JSON.stringify(fields) }] as const;
    expect(plannedOthers([...mount], [...write])).toContainEqual(node);
  });

  test('gives access where it is written at a mount of a type that is not known, if one signs in by it', () => {
    const write = { path, data_json: JSON.stringify(fields) };
    const [written] = plannedOthers(['vault_generic_endpoint.x', write]) ?? [];
    expect(written && effectOf(written)).toBe(signsInByItself(noun) ? 'gives' : 'either');
  });

  test('comes back from a snapshot, where the name of a person is hidden', () => {
    const live = {
      graph: { ...graph(''), others: [node] },
      ids: { mount: {}, group: {}, entity: {} },
      missing: [],
    };
    expect(readSnapshot(snapshotOf(live, source).text).graph.others).toEqual([node]);
    const { text } = snapshotOf(live, source, key);
    expect(text.includes('ann-lee')).toBe(!namesPerson(noun));
    expect(readSnapshot(text, { key, names: ['ann-lee'] }).graph.others).toEqual([node]);
  });
});

test.each([
  ['github team', 'github', 'team'],
  ['kubernetes role', 'kubernetes', 'role'],
  ['no such method user', 'no such method', 'user'],
  ['ldap shelf', 'ldap', undefined],
])('%s is of %s', (words, type, noun) => {
  expect(listInWords(words)).toEqual({ type, noun });
});
