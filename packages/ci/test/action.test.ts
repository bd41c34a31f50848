import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
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
  const script = action.runs.steps[0].run.replace('"$CHECK"', 'verify-review');
  const lines = [readFileSync('packages/ci/gitlab.yml', 'utf8').replaceAll(/\n +--/g, ' --'), script];
  const found = lines.flatMap((text: string) => [...text.matchAll(/(?:gitlab\.js|"\$script") ([\w-]+.*)/g)]);
  const checks = found.map(([, line = '']) => readRequest(line.split(/ (?=--)/)).check);
  expect(checks.sort()).toEqual(['drift', 'review', 'review', 'snapshot', 'verify-review', 'verify-review']);
});

test('a repository with nothing but Terraform in it needs one line', () => {
  const folder = temporaryFolder({
    'main.tf': 'provider "vault" {}\n',
    'plan.json': readFileSync('examples/plans/opentofu-plan.json', 'utf8'),
    'event.json': '{}',
  });
  const [output, summary] = ['output', 'summary'].map((name) => join(folder, name)) as [string, string];
  const inputs = { CHECK: 'review', PLAN: 'plan.json', BASE: 'event', FOLDER: '.', FAIL_ON: 'error' };
  const host = {
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_EVENT_PATH: join(folder, 'event.json'),
  };
  for (const file of [output, summary]) writeFileSync(file, '');
  const ended = spawnSync('bash', ['-e', '-c', action.runs.steps[0].run], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ACTION: resolve('.'), RUNNER_TEMP: folder, ...inputs, ...host },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(ended).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(output, 'utf8')).toMatch(/^code=0\n[\s\S]*ended=0\n$/);
  expect(readFileSync(summary, 'utf8')).toContain('1 role gains access.');
});

test('a check whose file was not run as a program is no success', () => {
  const texts = ['github.ts', 'gitlab.ts'].map((name) => readFileSync(`packages/ci/${name}`, 'utf8'));
  expect(texts.filter((text) => /\(import\.meta\.main\)/.test(text))).toEqual([]);
});
