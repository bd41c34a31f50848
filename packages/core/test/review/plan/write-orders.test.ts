import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { composeChanges } from '../../../src/review/plan/compose-change.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { entries, graph, type PlanEntry } from '../../worlds.ts';
import {
  applyOperation,
  idOf,
  ModelService,
  ordersOf,
  type ProviderOperation,
  Refused,
  referencesOf,
  summaryOf,
} from './provider-model.ts';
import { terraform } from './terraform.ts';

const { complete = [] } = graph('method ci\n method staff\n method x\n complete');

const policies = fc.subarray(['p', 'q', 'deny']).map((names) => names.join(',') || '-');
const people = fc.subarray(['ann', 'bob']);
const members = people.map((names) => names.map((name) => `entity:${name}`).join(' '));
const memberIds = people.map((names) => `member_entity_ids: [${names.map((name) => `id-${name}`)}]`);
const listed = fc.subarray(['p', 'q', 'deny']).map((names) => `policies: [${names}]`);
const mounts = fc.constantFrom('ci', 'staff');
const groups = fc.constantFrom('g', 'h');
const internal = fc.constantFrom('i', 'j');
const exclusive = fc.constantFrom('exclusive: false', 'exclusive: false', 'exclusive: true');
const text = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(' '));
const word = (value: string) => fc.constant(value);

/** Resources by how often they are in a plan: a line without its sign, and what an update may change. */
const resources: { weight: number; line: fc.Arbitrary<string>; change: fc.Arbitrary<string> }[] = [
  { weight: 1, line: text(word('method'), mounts), change: fc.constantFrom('path: x', 'bound_issuer: x') },
  {
    weight: 2,
    line: text(
      word('role'),
      mounts.map((mount) => `${mount}/a`),
      policies,
    ),
    change: policies,
  },
  {
    weight: 3,
    line: text(word('group'), groups, fc.oneof(policies, word('- external_policies: true'))),
    change: fc.oneof(policies, word('name: k'), word('external_policies: false'), word('metadata: {a: b}')),
  },
  {
    weight: 3,
    line: text(
      word('internal'),
      internal,
      fc.oneof(
        text(policies, members),
        text(word('-'), members, word('external_policies: true')),
        text(policies, word('external_member_entity_ids: true')),
      ),
    ),
    change: fc.oneof(policies, word('name: k'), word('name: i'), word('metadata: {a: b}')),
  },
  { weight: 2, line: text(word('entity'), fc.constantFrom('ann', 'bob'), policies), change: policies },
  {
    weight: 3,
    line: text(word('alias'), fc.constantFrom('/a', '/b'), mounts, groups),
    change: fc.oneof(
      word('name: /c'),
      groups.map((name) => `canonical_id: id-${name}`),
    ),
  },
  {
    weight: 4,
    line: text(word('attach'), fc.oneof(groups, internal), policies, exclusive),
    change: fc.oneof(listed, exclusive),
  },
  {
    weight: 3,
    line: text(word('join'), internal, members, exclusive),
    change: fc.oneof(memberIds, exclusive),
  },
];

const signs = fc.constantFrom('', '', '+', '-', '~', '~', '-/+', '+/-');
const line = fc.oneof(
  ...resources.map(({ weight, line: head, change }) => {
    const arbitrary = fc.tuple(signs, head, change, fc.boolean()).map(([sign, words, then, isOther]) => {
      const isChanged = sign === '~' || (isOther && sign.length > 1);
      return `${sign} ${words}${isChanged ? ` → ${then}` : ''}`;
    });
    return { weight, arbitrary };
  }),
);
/** What most plans have, so that others can refer to it. */
const base = fc.subarray([
  'entity ann q',
  'entity bob -',
  'method ci',
  'group g - external_policies: true',
  'internal i p entity:ann',
]);

/** A plan, in which each resource has an address of its own. */
const plans = fc.tuple(base, fc.array(line, { minLength: 1, maxLength: 5 })).map(([there, lines]) => {
  const addressed = [...there, ...lines].map((one, at) => one.trim().replace(/([a-z]+)(?= )/, `$1@r${at}`));
  return entries(addressed.join('\n'));
});

test('no order of the provider’s writes ends as a review does not say', () => {
  fc.assert(
    fc.property(plans, fc.boolean(), fc.boolean(), fc.boolean(), (plan, deletesLast, isRead, hasOthers) => {
      fc.pre(!sharesNames(plan) && plan.every((entry) => isOneDeployment(entry, plan)));
      const service = serviceUnder(plan);
      fc.pre(service !== undefined && plan.every((entry) => isAsPlanned(entry, service)));
      if (service === undefined) return;
      if (isRead && hasOthers) addOthers(service);
      const ends = endsOf(plan, service, deletesLast);
      fc.pre(ends.length > 0);
      const read = readPlan(terraform(plan, { gatehouse: { deletes_last: deletesLast } }));
      const [first] = composeChanges(read, isRead ? liveOf(service) : undefined);
      if (first === undefined || first.change.unknown.length > 0) return;
      for (const end of ends) expect(summaryOf(first.change.after)).toEqual(end);
    }),
    { numRuns: 400, seed: 16, maxSkipsPerRun: 500 },
  );
});

/** Whether a tool would plan it so. What is made anew has another id then: in these plans it is the same. */
function isOneDeployment(entry: PlanEntry, plan: readonly PlanEntry[]): boolean {
  const { actions, before, after } = entry.change;
  const rest = plan.filter((other) => other !== entry);
  const isReplaced = actions.length > 1;
  const id = idOf(entry, 'before') ?? idOf(entry, 'after');
  const isReferred = rest.some((other) => referencesOf(other, 'before').includes(id));
  if (entry.type === 'vault_jwt_auth_backend') {
    return !isReplaced && !(before === null && rest.some((other) => idOf(other, 'before') === id));
  }
  // Whether a group that leaves a list to others sends what it says of it is not known for sure: these plans say nothing.
  const isIgnored = after?.['external_policies'] === true && policiesOf(after).length > 0;
  if (isIgnored) return false;
  const isRenamed = isReplaced && before?.['name'] !== after?.['name'];
  if (id !== undefined && isRenamed) return actions[0] === 'delete' && !isReferred;
  // An alias that is made anew first, at a mount that moves, is taken for one that stays.
  const isAlias = entry.type === 'vault_identity_group_alias';
  const movesMount = rest.some(({ change }) => change.before?.['path'] !== change.after?.['path']);
  return !(isAlias && isReplaced && actions[0] === 'create' && movesMount);
}

function policiesOf(fields: Record<string, unknown>): unknown[] {
  return [fields['policies'] ?? []].flat();
}

/** The service on which a plan's resources were made; undefined where they could not be. */
function serviceUnder(plan: readonly PlanEntry[]): ModelService | undefined {
  const service = new ModelService();
  const existing = plan.filter(({ change }) => change.before !== null);
  const names = new Set(existing.map((entry) => nameOf(entry, 'before')));
  if (names.size < existing.length) return undefined;
  const isReferred = (entry: PlanEntry) => idOf(entry, 'before') !== undefined;
  const isEntity = ({ type }: PlanEntry) => type === 'vault_identity_entity';
  const rank = (entry: PlanEntry) => (isEntity(entry) ? 0 : isReferred(entry) ? 1 : 2);
  const dependencyOrder = existing.toSorted((left, right) => rank(left) - rank(right));
  const operations = dependencyOrder.map((entry): ProviderOperation => {
    return { entry: { ...entry, change: { ...entry.change, after: entry.change.before } }, does: 'create' };
  });
  return applied(service, operations);
}

/** Whether two resources of a plan make one thing. */
function sharesNames(plan: readonly PlanEntry[]): boolean {
  const names = plan.flatMap((entry) => [...new Set([nameOf(entry, 'before'), nameOf(entry, 'after')])]);
  const known = names.filter((name) => name !== undefined);
  return new Set(known).size < known.length;
}

/** What a resource makes; two of one name are one thing. What is attached has no name. */
function nameOf({ address, type, change }: PlanEntry, side: 'before' | 'after'): string | undefined {
  const fields = change[side];
  if (fields === null) return undefined;
  const { path, backend, role_name, name, mount_accessor, group_id } = fields;
  return group_id === undefined
    ? JSON.stringify([type, path, backend, role_name, name, mount_accessor])
    : address;
}

/** Whether the service has what the plan says of a resource before. */
function isAsPlanned({ type, change: { before } }: PlanEntry, service: ModelService): boolean {
  if (before === null) return true;
  const { mount_accessor: accessor, name } = before;
  if (type === 'vault_identity_group_alias') return service.aliases.has(`${accessor} ${name}`);
  const owner = service.owners.get(String(before['group_id'] ?? before['id']));
  if (owner === undefined) return true;
  const isListed = (field: string, list: ReadonlySet<string>) =>
    [before[field]].flat().every((entry) => entry === undefined || list.has(String(entry)));
  return isListed('policies', owner.policies) && isListed('member_entity_ids', owner.members);
}

/** What others have made or written by hand: a policy of each owner, and a group. */
function addOthers({ owners }: ModelService): void {
  for (const { policies: list } of owners.values()) list.add('others');
  const byHand = { policies: new Set(['others']), members: new Set(owners.has('id-ann') ? ['id-ann'] : []) };
  owners.set('id-by-hand', { kind: 'group', name: 'k', isExternal: false, ...byHand });
}

/** What is there after each order of the writes that the service takes. */
function endsOf(plan: readonly PlanEntry[], service: ModelService, deletesLast: boolean): string[][] {
  const operations = plan.flatMap((entry) =>
    entry.change.actions.flatMap((action): ProviderOperation[] =>
      action === 'create' || action === 'update' || action === 'delete' ? [{ entry, does: action }] : [],
    ),
  );
  const ends = new Map<string, string[]>();
  for (const order of ordersOf(operations, deletesLast)) {
    const end = applied(service.copy(), order)?.summary();
    if (end !== undefined) ends.set(JSON.stringify(end), end);
  }
  return [...ends.values()];
}

/** @returns undefined where the service refuses one of the writes */
function applied(service: ModelService, operations: readonly ProviderOperation[]): ModelService | undefined {
  try {
    for (const operation of operations) applyOperation(service, operation);
    return service;
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

function liveOf(service: ModelService) {
  const idsOf = (kind: string) =>
    Object.fromEntries(
      [...service.owners].flatMap(([id, owner]) => (owner.kind === kind ? [[id, owner.name]] : [])),
    );
  const ids = { mount: Object.fromEntries(service.mounts), group: idsOf('group'), entity: idsOf('entity') };
  return { graph: { ...service.graph(), complete }, ids, missing: [], namespace: '' };
}
