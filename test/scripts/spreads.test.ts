import { expect, test } from '@jest/globals';
import { spreadsOfData, spreadsOfLiterals } from '../../scripts/spreads.ts';

test.each([
  'const all = [1]; Math.max(...all);',
  'const all: number[] = [1]; Math.max(0, ...all);',
  'function add(some: string[]) { list.push(...some); }',
  'const add = ({ some }: { some: string[] }) => list.unshift(...some);',
  'for (const some of lists) list.splice(0, 0, ...some);',
  'String.fromCharCode(...bytes());',
  'Object.assign({}, ...parts.map(read));',
  'Math.max(...[...all]);',
  'new Set(...all);',
  'list.push(...(await read()));',
  'const pair: [number, ...number[]] = [1]; Math.max(...pair);',
  // The inner declaration is the one that is meant.
  'const all = [1, 2] as const; const largest = (all: number[]) => Math.max(...all);',
])('a list of any length is spread into arguments: %s', (text) => {
  expect(spreadsOfData(text)).toHaveLength(1);
});

test.each([
  'Math.max(...[1, 2], ...[3]);',
  'const option = ["--task", "text"] as const; command.option(...option);',
  'function all(...names: string[]) { return key("space", ...names); }',
  'const print = (...[style, width]: [Style, number]) => [style, width]; const list = [...many, ...others];',
  'let given: Parameters<Resolve> | undefined; resolve(...given);',
  'const pair: readonly [number, number] = read(); Math.max(...pair);',
])('what is written out is no list of any length: %s', (text) => {
  expect(spreadsOfData(text)).toEqual([]);
});

test('a constant list of another file is written out', () => {
  const text = 'import { names } from "./names.ts"; all(...names);';
  expect(spreadsOfData(text, () => 'export const names = ["a", "b"] as const;')).toEqual([]);
  expect(spreadsOfData(text, () => 'export const names = read();')).toEqual(['1: ...names']);
});

test.each(['const all = { a, ...{ b, c } };', 'const all = [a, ...[b, c]];', 'list.push(...["a", "b"]);'])(
  'a literal is spread into a literal, or into arguments: %s',
  (text) => {
    expect(spreadsOfLiterals(text)).toHaveLength(1);
  },
);

test.each([
  'const all = { ...defaults, b };',
  'const all = [...[a, b].map(name)];',
  'f(...(isSet ? [a] : []));',
])('what is spread is no literal: %s', (text) => {
  expect(spreadsOfLiterals(text)).toEqual([]);
});
