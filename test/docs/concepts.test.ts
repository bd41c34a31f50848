import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const root = new URL('../..', import.meta.url).pathname;
const rows = [...readFileSync(`${root}docs/index.md`, 'utf8').matchAll(/^\|[^|]*\|[^|]*\|([^|]*)\|$/gm)];
const types = rows.flatMap(([, code = '']) => [...code.matchAll(/`(\w+)`/g)].map(([, type]) => type ?? ''));
const sources = globSync('packages/{core,engine,run-tasks}/src/**/*.ts', { cwd: root }).map((path) =>
  readFileSync(`${root}${path}`, 'utf8'),
);

test.each(types)('the word of the type %s names one type', (type) => {
  const declaration = new RegExp(`^export (?:interface|type|class) ${type}\\b`, 'm');
  expect(sources.filter((text) => declaration.test(text))).toHaveLength(1);
});
