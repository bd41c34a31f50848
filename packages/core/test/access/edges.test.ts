import { describe, expect, test } from '@jest/globals';
import {
  type EdgeKind,
  type EdgeRow,
  type How,
  type NodeKey,
  sourceNode,
} from '../../src/access/edges/edge.ts';
import { edges } from '../../src/access/edges/edges.ts';
import { GraphIndex } from '../../src/access/graph-index.ts';
import { decideAccess } from '../../src/access/questions/change.ts';
import { keyOfNode, type OtherNode } from '../../src/graph/nodes/other-node.ts';
import { resources } from '../../src/graph/resources/resources.ts';
import { reasonWords } from '../../src/words/reason-words.ts';
import { now } from '../review/graphs.ts';
import { change, graph } from '../worlds.ts';
import {
  credentialWorlds,
  gains,
  guardWorlds,
  type HeldWorld,
  heldWorlds,
  type OpenWorld,
  openWorlds,
} from './edge-worlds.ts';

const rows = (Object.keys(edges) as EdgeKind[]).flatMap((kind) => {
  const list: EdgeRow<never>[] = edges[kind];
  return list.map((row) => ({ name: `${kind} ${row.attribute}`, kind, list, row }));
});
const composing: readonly How[] = ['always', 'any of', 'some of', 'only if'];
const isComposing = (row: EdgeRow<never>) =>
  row.how !== undefined && composing.includes(row.how) && row.to !== 'methodType';
const namesOf = (isMeant: (row: EdgeRow<never>) => boolean) =>
  rows.flatMap(({ row, name }) => (isMeant(row) ? name : [])).sort();

/** What a function finds without a row. */
function without<Found>(name: string, find: () => Found): Found {
  const { list, row } = rows.find((one) => one.name === name) ?? {};
  if (list === undefined || row === undefined) throw new Error(`there is no row ${name}`);
  const at = list.indexOf(row);
  list.splice(at, 1);
  try {
    return find();
  } finally {
    list.splice(at, 0, row);
  }
}

test('each row has a world in which it matters', () => {
  const known = [heldWorlds, openWorlds, guardWorlds, credentialWorlds, gains].flatMap((worlds) =>
    Object.keys(worlds),
  );
  // Of a field that no graph has, what is not known of it is asked about (reached.test.ts).
  expect([...new Set([...known, 'entityAlias customMetadata'])].sort()).toEqual(namesOf(() => true));
});

describe('what a token holds', () => {
  /** All that tokens may have, and what they must have, from a node on. */
  function heldFrom({ text, from }: HeldWorld): { policies: string[]; required: readonly NodeKey[] } {
    const world = graph(text);
    const { walk } = new GraphIndex(world);
    const last: OtherNode | undefined = world.others?.at(-1);
    const key = from ?? (last === undefined ? '' : keyOfNode(last));
    const brought = [...walk.bringing(key).keys()].flatMap((source) => walk.ends(source, 'any of'));
    const policies = [key, ...brought].flatMap((node) => walk.policiesOf(node));
    return { policies: [...new Set(policies)].sort(), required: walk.ends(key, 'only if') };
  }

  test('has a world of each row that composes it', () => {
    expect(Object.keys(heldWorlds).sort()).toEqual(namesOf(isComposing));
  });

  test.each(Object.entries(heldWorlds))('%s: it is found by it, and by nothing else', (name, world) => {
    const held = heldFrom(world);
    const isRequired = rows.some(({ name: of, row }) => of === name && row.how === 'only if');
    expect(isRequired ? held.required : held.policies).not.toEqual([]);
    expect(without(name, () => heldFrom(world))).not.toEqual(held);
  });
});

describe('what a change may lead to elsewhere', () => {
  const saidOf = ({ change: text, says: _, ...rest }: OpenWorld) => {
    const { gains: answer, unseen, uncertain } = decideAccess(change(text, rest), now);
    return { answer, said: [...unseen, ...uncertain].map(reasonWords) };
  };
  const isHungOn = (kind: EdgeKind | undefined) =>
    rows.some(({ kind: of, row }) => of === kind && row.how === undefined && row.opens && !row.open);
  /** Whether ends of a row, or what hangs on its node, may be elsewhere, so that a change of it is followed. */
  const isOpening = (row: EdgeRow<never>) =>
    row.how === undefined
      ? row.opens !== undefined
      : (row.open ?? row.along) !== undefined || (row.how === 'always' && isHungOn(row.to) && !!row.lists);

  test('has a world of each row that opens', () => {
    expect(Object.keys(openWorlds).sort()).toEqual(namesOf(isOpening));
  });

  test.each(Object.entries(openWorlds).flatMap(([name, all]) => all.map((world) => [name, world] as const)))(
    '%s: it is said, and no one is said to gain nothing',
    (_, world) => {
      const { answer, said } = saidOf(world);
      expect(said).toEqual(expect.arrayContaining(world.says));
      expect(answer).not.toBe('none');
    },
  );

  test.each(Object.entries(openWorlds))('%s: without the row, a world of it is not told', (name, all) => {
    const isMissed = all.some((world) => {
      const { said } = without(name, () => saidOf(world));
      return world.says.some((words) => !said.includes(words));
    });
    expect(isMissed).toBe(true);
  });
});

describe('what gives a credential', () => {
  const targets = (text: string) => {
    const world = graph(text);
    const { walk } = new GraphIndex(world);
    return (world.credentials ?? []).flatMap((source) => walk.ends(sourceNode(source), 'signs in'));
  };

  test.each(Object.entries(credentialWorlds))('%s: it is found by it, and by nothing else', (name, text) => {
    expect(targets(text)).toHaveLength(1);
    expect(without(name, () => targets(text))).toEqual([]);
  });
});

describe('whom a guard asks for more', () => {
  const judged = (text: string) => {
    const { changes } = decideAccess(change(text), now);
    return changes.some(({ also }) => also.some(({ what }) => what.kind === 'unguarded'));
  };

  test.each(Object.entries(guardWorlds))('%s: it is found by it, and by nothing else', (name, text) => {
    expect(without(name, () => judged(text))).toBe(!judged(text));
  });
});

test.each(Object.entries(gains))('a change of %s is a gain in the graph', (_, text) => {
  const known = text.includes('policy p') ? '' : 'policy p: a read';
  const { gains: answer, life } = decideAccess(change(`${known}\n ${text}`), now);
  expect([answer, life]).not.toEqual(['none', 'same']);
});

/** What rows of a kind have to decide where a field of it bears on something. */
const deciding: Record<string, string[]> = {
  access: ['who', 'groups', 'policies', 'abilities', 'rules', 'identity'],
  lifetime: ['lifetime'],
  identity: ['identity', 'templates'],
};

test.each(
  resources.flatMap(({ type, fields }) =>
    Object.entries(fields).flatMap(([field, { bearsOn }]) =>
      bearsOn === 'nothing' ? [] : [[`${type} ${field}`, type, bearsOn] as const],
    ),
  ),
)('a field that bears on something has a row of its kind: %s', (_, type, bearsOn) => {
  const decides = rows.flatMap(({ kind, row }): string[] => (kind === type ? [...row.decides] : []));
  expect(decides.some((what) => deciding[bearsOn]?.includes(what))).toBe(true);
});
