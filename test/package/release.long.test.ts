import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type { Packed } from '../../scripts/package.ts';
import { billOfMaterials } from '../../scripts/release.ts';
import { root } from '../harness/environment-under-test.ts';
import { describeWithPackageManagers } from '../harness/package-managers.ts';
import { packedOnce } from '../harness/packed.ts';
import { pinned } from '../harness/pinned.ts';

const clone = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
let packed: Packed;
beforeAll(async () => {
  packed = await packedOnce();
}, 900_000);

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8' });

const packedPaths = (file: string) =>
  run('tar', '-tzf', file)
    .split('\n')
    .flatMap((path) => path.match(/^package\/(.+)$/)?.[1] ?? [])
    .sort();

test('the packed file has what runs, and nothing of how it is made', () => {
  const paths = packedPaths(packed.gatehouse);
  const outside = paths.filter((path) => !/^(dist|docs)\//.test(path));
  expect(outside).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'action.yml', 'package.json']);
  expect(paths.filter((path) => /(^|\/)(test|bench|scripts|examples)\/|\.test\./.test(path))).toEqual([]);
  // The program of a repository that `gatehouse new` writes stays TypeScript.
  const sources = paths.filter((path) => /(?<!\.d)\.ts$/.test(path));
  expect(sources).toEqual(['dist/packages/cli/templates/index.ts']);
  for (const asset of readdirSync(join(root, 'packages/host/src/pages/assets')))
    expect(paths).toContain(`dist/packages/host/src/pages/assets/${asset}`);
  expect(paths).toContain('dist/review.html');
});

test('it names every module by its path: the packages of the clone are not there', () => {
  const texts = packedPaths(packed.gatehouse)
    .filter((path) => /\.(m?js|d\.ts)$/.test(path))
    .map((path) => readFileSync(join(dirname(packed.gatehouse), 'gatehouse', path), 'utf8'));
  expect(texts.filter((text) => /(from |import\()['"]@gatehouse\//.test(text))).toEqual([]);
});

test('`npm pack` in a clone makes the same file', () => {
  const clone = mkdtempSync(join(tmpdir(), 'gatehouse-clone-'));
  run('git', 'clone', '--quiet', '--local', root, clone);
  // All but the packages of the clone are those that are installed here.
  mkdirSync(join(clone, 'node_modules/@gatehouse'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')).filter((one) => one !== '@gatehouse'))
    symlinkSync(join(root, 'node_modules', name), join(clone, 'node_modules', name));
  for (const name of readdirSync(join(clone, 'packages')))
    symlinkSync(`../../packages/${name}`, join(clone, 'node_modules/@gatehouse', name));
  const output = execFileSync('npm', ['pack', '--json'], { cwd: clone, encoding: 'utf8' });
  const [{ filename }] = JSON.parse(output.slice(output.indexOf('[\n')));
  expect(packedPaths(join(clone, filename))).toEqual(packedPaths(packed.gatehouse));
  expect(existsSync(join(clone, 'dist'))).toBe(false);
});

test('the packed file is under 2.5 MB, with the review page', () => {
  expect(statSync(packed.gatehouse).size).toBeLessThan(2.5e6);
});

test('the range of a peer includes the version that is pinned here', () => {
  for (const [name, range] of Object.entries<string>(clone.peerDependencies)) {
    const [least, version] = [range.replace('^', ''), pinned[name] ?? ''].map((one) =>
      one.split('.').map(Number),
    );
    expect(version?.[0]).toBe(least?.[0]);
    expect((version?.[1] ?? 0) >= (least?.[1] ?? 0)).toBe(true);
  }
});

test('publint finds nothing', () => {
  for (const name of ['gatehouse', 'create-gatehouse']) {
    expect(
      run('node_modules/.bin/publint', 'run', join(dirname(packed.gatehouse), name), '--strict'),
    ).toContain('All good!');
  }
});

test('TypeScript finds the types of each module that can be imported', () => {
  const output = run(
    'node_modules/.bin/attw',
    packed.gatehouse,
    '--profile',
    'esm-only',
    '--no-color',
    '--no-emoji',
  );
  for (const module of ['', '/access', '/review', '/run-task'].map((entry) => `gatehouse-login${entry}`)) {
    expect(output).toContain(`"${module}"`);
  }
});

describeWithPackageManagers(({ name }) => {
  if (name !== 'npm') return;

  test('the SBOM lists what an installation has, in CycloneDX', () => {
    const { bomFormat, metadata, components } = JSON.parse(billOfMaterials(packed.gatehouse));
    expect(bomFormat).toBe('CycloneDX');
    expect([metadata.component.name, metadata.component.version]).toEqual([clone.name, clone.version]);
    const listed = new Map<string, string>(components.map((one: any) => [one.name, one.version]));
    for (const [name, version] of Object.entries(clone.dependencies)) expect(listed.get(name)).toBe(version);
    for (const name of ['node', 'typescript', 'jest', '@pulumi/kubernetes'])
      expect(listed.has(name)).toBe(false);
  });
});
