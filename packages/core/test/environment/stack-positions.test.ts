import { readFileSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { passphrase, root } from '../../../../test/harness/environment-under-test.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { sourceOf } from '../../../cli/src/open/open-environment.ts';
import { readStack } from '../../../engine/src/stack-files/read-stack.ts';
import { stackPositions } from '../../src/environment/stack-positions.ts';
import type { Subject } from '../../src/graph/subject.ts';

const lines = readFileSync(`${root}/Pulumi.dev.yaml`, 'utf8').split('\n');
const positionOf = stackPositions(
  sourceOf(await readStack(root, 'dev', { PULUMI_CONFIG_PASSPHRASE: passphrase }), {}),
);

const cases: [what: string, subject: Subject, line: RegExp][] = [
  ['a method', { type: 'method', name: 'partners' }, /kind: hosted_identity_platform/],
  ['a role', { type: 'role', name: 'admin', method: 'staff' }, /name: admin/],
  ['a field of a role', { type: 'role', name: 'admin', method: 'staff', field: 'ttl' }, /name: admin.*ttl/],
  ['a group', { type: 'group', name: 'maintainers' }, /name: maintainers/],
  ['an alias', { type: 'alias', name: 'admins', method: 'community' }, /alias: admins/],
  ['a policy', { type: 'policy', name: 'login-admin' }, /name: login-admin, file/],
  ['a message', { type: 'message', name: 'Maintenance' }, /title: Maintenance/],
  ['the service', { type: 'service', name: 'x' }, /address: http/],
];
test.each(cases)('%s is found where it is declared', (_, subject, line) => {
  const position = positionOf(subject);
  expect(position?.file).toBe('Pulumi.dev.yaml');
  expect(lines[(position?.line ?? 0) - 1]).toMatch(line);
});

test('what the stack does not declare is nowhere', () => {
  expect(positionOf({ type: 'role', name: 'admin', method: 'elsewhere' })).toBeUndefined();
});

test('of several clusters, each is found, with the roles that they share and its own', async () => {
  const folder = temporaryFolder();
  try {
    await copyFile(join(root, 'Pulumi.yaml'), join(folder, 'Pulumi.yaml'));
    await copyFile(
      join(root, 'examples/clusters/Pulumi.clusters.yaml'),
      join(folder, 'Pulumi.clusters.yaml'),
    );
    const written = (await readFile(join(folder, 'Pulumi.clusters.yaml'), 'utf8')).split('\n');
    const of = stackPositions(sourceOf(await readStack(folder, 'clusters', {}), {}));
    const lineOf = (subject: Subject) => written[(of(subject)?.line ?? 0) - 1];
    expect(lineOf({ type: 'method', name: 'clusters-west' })).toContain('name: west');
    expect(lineOf({ type: 'role', name: 'jobs', method: 'clusters-west' })).toContain('name: jobs');
    for (const method of ['clusters-east', 'clusters-west']) {
      expect(lineOf({ type: 'role', name: 'web', method })).toContain('name: web');
    }
    expect(of({ type: 'method', name: 'clusters' })).toBeUndefined();
    expect(of({ type: 'role', name: 'jobs', method: 'clusters-east' })).toBeUndefined();
  } finally {
  }
});

test('what a template made is found in the template, with the use that made it', async () => {
  const folder = temporaryFolder();
  await copyFile(join(root, 'Pulumi.yaml'), join(folder, 'Pulumi.yaml'));
  const file = 'Pulumi.teams.yaml';
  await copyFile(join(root, 'examples/teams', file), join(folder, file));
  const written = (await readFile(join(folder, file), 'utf8')).split('\n');
  const of = stackPositions(
    sourceOf(await readStack(folder, 'teams', { PULUMI_CONFIG_PASSPHRASE: passphrase }), {}),
  );
  const lineOf = (line = 0) => written[line - 1];
  for (const [name, use] of [
    ['shop', /name: shop/],
    ['pay', /name: pay/],
  ] as const) {
    const subjects: [Subject, string][] = [
      [{ type: 'policy', name: `${name}-admin` }, '- name: $'],
      [{ type: 'policy', name: `${name}-admin`, field: 'policy' }, 'policy: |'],
      [{ type: 'group', name: `${name}-admins` }, 'alias: '],
      [{ type: 'alias', name: `/${name}-admins`, method: 'staff' }, 'alias: '],
      [{ type: 'promise', name: `only group ${name}-admins: update on secret/data/${name}/*` }, '- only: '],
    ];
    for (const [subject, line] of subjects) {
      const position = of(subject);
      expect(lineOf(position?.line)).toContain(line);
      expect(lineOf(position?.use?.line)).toMatch(use);
    }
  }
  expect(of({ type: 'role', name: 'reader', method: 'staff' })?.use).toBeUndefined();
  expect(of({ type: 'policy', name: `$\{name}-admin` })).toBeUndefined();
});
