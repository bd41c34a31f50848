import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { type Packed, packPackages } from '../../scripts/package.ts';
import { billOfMaterials } from '../../scripts/release.ts';
import { root } from '../harness/environment-under-test.ts';
import { describeWithPackageManagers } from '../harness/package-managers.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const clone = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const scratch = temporaryFolder();
let packed: Packed;
beforeAll(() => {
  packed = packPackages(scratch);
});

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8' });
const described = () => JSON.parse(readFileSync(join(scratch, 'gatehouse/package.json'), 'utf8'));

/** What the published package depends on: Node.js and the peers are the team's own. */
const ownDependencies = Object.entries<string>(clone.dependencies).filter(
  ([name]) => name !== 'node' && !(name in clone.peerDependencies),
);

test('the packed file has what runs, and nothing of how it is made', () => {
  const paths = run('tar', '-tzf', packed.gatehouse)
    .split('\n')
    .map((path) => path.replace(/^package\//, ''));
  const loose = paths.filter((path) => path !== '' && !path.includes('/')).sort();
  expect(loose).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'action.yml', 'package.json']);
  const own = /(^(?:test|bench|docs|scripts|examples|container)\/)|\.test\.|(?<!\.d)\.ts$/;
  const left = paths.filter((path) => own.test(path));
  // The program of a repository that `gatehouse new` writes stays TypeScript.
  expect(left.sort()).toEqual([
    ...['adopt.md', 'deploying-token.hcl', 'deploying-token.md', 'engines.md'].map((page) => `docs/${page}`),
    ...[
      'environment.md',
      'environment.schema.json',
      'exceptions.md',
      'replay.md',
      'rules.md',
      'templates.md',
    ].map((page) => `docs/${page}`),
    'operations/new/repository/index.ts',
  ]);
  for (const asset of readdirSync(join(root, 'web/pages/assets')))
    expect(paths).toContain(`web/pages/assets/${asset}`);
});

test('the packed file is under 2 MB', () => {
  expect(statSync(packed.gatehouse).size).toBeLessThan(2e6);
});

test('it depends on what runs, and on peers that a program brings', () => {
  const { dependencies, peerDependencies, peerDependenciesMeta, ...rest } = described();
  expect(dependencies).toEqual(Object.fromEntries(ownDependencies));
  expect(peerDependencies).toEqual(clone.peerDependencies);
  expect(Object.keys(peerDependenciesMeta).sort()).toEqual(['@pulumi/azuread', '@pulumi/kubernetes']);
  expect(rest).not.toHaveProperty('scripts');
  expect(rest).not.toHaveProperty('private');
  expect(rest).not.toHaveProperty('devDependencies');
});

test('the range of a peer includes the version that is pinned here', () => {
  for (const [name, range] of Object.entries<string>(clone.peerDependencies)) {
    const [least, pinned] = [
      range.replace('^', ''),
      { ...clone.devDependencies, ...clone.dependencies }[name],
    ].map((version) => version.split('.').map(Number));
    expect(pinned?.[0]).toBe(least?.[0]);
    expect((pinned?.[1] ?? 0) >= (least?.[1] ?? 0)).toBe(true);
  }
});

test('publint finds nothing', () => {
  for (const name of ['gatehouse', 'create-gatehouse']) {
    expect(run('node_modules/.bin/publint', 'run', join(scratch, name), '--strict')).toContain('All good!');
  }
});

test('TypeScript finds the types of each module that can be imported', () => {
  const said = run(
    'node_modules/.bin/attw',
    packed.gatehouse,
    '--profile',
    'esm-only',
    '--no-color',
    '--no-emoji',
  );
  for (const module of ['gatehouse', 'gatehouse/access', 'gatehouse/review', 'gatehouse/run-task']) {
    expect(said).toContain(`"${module}"`);
  }
});

describeWithPackageManagers(({ name }) => {
  if (name !== 'npm') return;

  test('the SBOM lists what an installation has, in CycloneDX', () => {
    const { bomFormat, metadata, components } = JSON.parse(billOfMaterials(packed.gatehouse));
    expect(bomFormat).toBe('CycloneDX');
    expect([metadata.component.name, metadata.component.version]).toEqual(['gatehouse', clone.version]);
    const listed = new Map<string, string>(components.map((one: any) => [one.name, one.version]));
    for (const [name, version] of ownDependencies) expect(listed.get(name)).toBe(version);
    for (const name of ['node', 'typescript', 'jest', '@pulumi/kubernetes'])
      expect(listed.has(name)).toBe(false);
  });
});
