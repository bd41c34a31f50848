import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isIn } from '../../../../test/harness/long-run.ts';
import type { Graph, Identity } from '../../src/graph/graph.ts';
import { Acl } from '../../src/graph/policies/acl.ts';
import { readPolicy } from '../../src/graph/policies/parse-policy.ts';
import { replay } from '../../src/usage/replay.ts';
import { logOf, now, partOf, policyOf, roleOf, serviceOf, someone } from './replayed-log.ts';

const names = ['a', 'b', 'c', 'd'];
const groups = ['g1', 'g2', 'g3'];
const paths = ['x/1', 'x/2', 'y/1'];
const some = (of: string[], most = of.length) => fc.subarray(of, { maxLength: most });

/** A service: what its policies say, who has which, and the alias that leads into each group. */
const service = fc.record({
  texts: fc.tuple(
    ...names.map((name) =>
      fc.record({
        name: fc.constant(name),
        path: fc.constantFrom('x/*', 'x/1', 'x/2', 'y/*', '*'),
        capability: fc.constantFrom('read', 'list', 'deny'),
      }),
    ),
  ),
  role: fc.option(some(names, 2), { freq: 8, nil: undefined }),
  groups: fc.tuple(
    ...groups.map(() =>
      fc.record({ policies: some(names, 2), alias: fc.constantFrom('own', 'own', 'own', 'other') }),
    ),
  ),
  entity: some(names, 1),
  team: fc.record({ policies: some(names, 1), isIn: fc.boolean() }),
});
type Service = typeof service extends fc.Arbitrary<infer T> ? T : never;

/** Changes little: each part of it with a chance of one in four. */
const changed = (was: Service) =>
  fc.record({
    texts: fc.tuple(
      ...was.texts.map((one, at) =>
        fc.oneof(
          { weight: 3, arbitrary: fc.constant(one) },
          service.map(({ texts }) => texts[at] ?? one),
        ),
      ),
    ),
    role: fc.oneof(
      { weight: 3, arbitrary: fc.constant(was.role) },
      service.map(({ role }) => role),
    ),
    groups: fc.tuple(
      ...was.groups.map((one, at) =>
        fc.oneof(
          { weight: 3, arbitrary: fc.constant(one) },
          service.map((other) => other.groups[at] ?? one),
        ),
      ),
    ),
    entity: fc.oneof(
      { weight: 3, arbitrary: fc.constant(was.entity) },
      service.map(({ entity }) => entity),
    ),
    team: fc.oneof(
      { weight: 3, arbitrary: fc.constant(was.team) },
      service.map(({ team }) => team),
    ),
  }) as fc.Arbitrary<Service>;

function graphOf({ texts, role, groups: held, entity, team }: Service, isWhole: boolean): Graph {
  const identities: Identity[] = [
    { kind: 'entity', name: 'alice', policies: entity },
    {
      kind: 'group',
      name: 'team',
      policies: team.policies,
      members: team.isIn ? [{ kind: 'entity', name: 'alice' }] : [],
    },
  ];
  return (isWhole ? serviceOf : partOf)({
    policies: texts.map(({ name, path, capability }) => policyOf(name, path, capability)),
    roles: role === undefined ? [] : [roleOf({ policies: role })],
    groups: held.map(({ policies }, at) => ({ name: groups[at] ?? '', policies })),
    aliases: held.map(({ alias }, at) => ({ name: `${alias}-${at}`, method: 'ci', group: groups[at] ?? '' })),
    identities,
  });
}

/** Policies of the identity: those of the groups whose alias is among the person's claims, of the entity and its team. */
function identityOf({ groups: held, entity, team }: Service, claims: string[]): string[] {
  const inside = held.filter(({ alias }, at) => claims.includes(`${alias}-${at}`));
  return [
    ...new Set([
      ...inside.flatMap(({ policies }) => policies),
      ...entity,
      ...(team.isIn ? team.policies : []),
    ]),
  ];
}

function allows(one: Service, claims: string[], path: string): boolean {
  if (one.role === undefined) return false;
  const held = ['default', ...one.role, ...identityOf(one, claims)];
  const rules = one.texts.flatMap(({ name, path: pattern, capability }) =>
    held.includes(name) ? (readPolicy(policyOf(name, pattern, capability).text) ?? []) : [],
  );
  return new Acl([{ name: '', rules }], now).allows({ path, capability: 'read' });
}

const claimsOf = some(['own-0', 'own-1', 'own-2', 'other-0', 'other-1', 'other-2']);

test.each([
  ['a service that was read', true],
  ['a plan alone', false],
])('predicts nothing wrong, of %s', (_, isWhole) => {
  let [answered, undecided] = [0, 0];
  const changes = service.chain((was) =>
    fc.tuple(fc.constant(was), changed(was), claimsOf, fc.constantFrom(...paths)),
  );
  fc.assert(
    fc.property(changes, ([was, is, claims, path]) => {
      if (!allows(was, claims, path)) return;
      const by = someone({
        tokenPolicies: ['default', ...(was.role ?? [])],
        identityPolicies: identityOf(was, claims),
      });
      const ids = isWhole ? { entity: { 'e-1': 'alice' } } : {};
      const change = { before: graphOf(was, isWhole), after: graphOf(is, isWhole) };
      const { refused, unknown } = replay(logOf({ by, path }), change, { now, ids });
      if (unknown.length > 0) undecided += 1;
      else {
        answered += 1;
        expect({ was, is, claims, path, refused: refused.length === 1 }).toMatchObject({
          refused: !allows(is, claims, path),
        });
      }
    }),
    { numRuns: isIn('npm test') ? 500 : 20_000 },
  );
  expect(answered).toBeGreaterThan(undecided);
});
