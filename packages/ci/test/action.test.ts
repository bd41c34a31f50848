import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readRequest } from '../check.ts';

const action = parse(readFileSync('action.yml', 'utf8'));

test('no script of the action holds an expression, which would be part of the script', () => {
  const scripts = action.runs.steps.flatMap(({ run }: { run?: string }) => run ?? []);
  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.filter((script: string) => script.includes('{{'))).toEqual([]);
});

test('every action that is used is pinned to a commit', () => {
  const workflows = 'packages/cli/templates/dot-github/workflows';
  const files = ['action.yml', ...readdirSync(workflows).map((name) => `${workflows}/${name}`)];
  const used = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/uses: (\S+)/g)].map(([, name]) => name),
  );
  expect(used.filter((name) => !/@[0-9a-f]{40}$|^\.\//.test(name ?? ''))).toEqual([]);
});

test('every input is used, and every input that is used is there', () => {
  const text = readFileSync('action.yml', 'utf8');
  const used = new Set([...text.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name));
  expect([...used].sort()).toEqual(Object.keys(action.inputs).sort());
});

test('docs/pull-requests.md has every input', () => {
  const page = readFileSync('docs/pull-requests.md', 'utf8');
  expect(Object.keys(action.inputs).filter((name) => !page.includes(`|\`${name}\`|`))).toEqual([]);
});

test('gitlab.yml and action.yml run checks with options that there are', () => {
  const script = action.runs.steps[0].run.replace('"$CHECK"', 'verify');
  const lines = [readFileSync('packages/ci/gitlab.yml', 'utf8').replaceAll(/\n +--/g, ' --'), script];
  const found = lines.flatMap((text: string) => [...text.matchAll(/(?:gitlab\.js|"\$script") (\w+.*)/g)]);
  const checks = found.map(([, line = '']) => readRequest(line.split(/ (?=--)/)).check);
  expect(checks.sort()).toEqual(['drift', 'review', 'snapshot', 'verify', 'verify']);
});
