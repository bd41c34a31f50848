import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { resources } from '../../../src/graph/resources/resources.ts';

const root = new URL('../../../../..', import.meta.url).pathname;
const rooms = [
  ...['core', 'service-client', 'engine', 'cli', 'run-tasks'].map((name) => `packages/${name}/src`),
  'stacks',
  'providers',
  'components',
];

/** Components make official resources, and each file of the plugin serves one. */
const own = /^(packages\/core\/src\/graph\/resources|components|packages\/engine\/src\/plugins\/vault)\//;

/** What else may decide by the type of a resource, and why. */
const exceptions: Record<string, string> = {
  'packages/core/src/review/reports/sarif.ts': 'the path of a finding for code hosts',
  'packages/core/src/usage/replay.ts': 'subjects of a plan that have no resource, or no name, are told apart',
  'packages/core/src/review/rules/access-subject.ts': 'kinds of access changes, not of resources',
  'packages/core/src/access/reasons/giver.ts': 'kinds of what gives access, not of resources',
};

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesBelow(path);
    return path.endsWith('.ts') ? [path] : [];
  });
}

const name = `['"](?:${[...new Set(resources.map(({ type }) => type))].join('|')})['"]`;
const found = [
  // A decision by the type of a resource.
  new RegExp(`\\btype\\b\\)? *[!=]== *${name}|${name} *[!=]== *\\w*\\.?type\\b`, 'i'),
  new RegExp(`^ *case ${name}:`, 'm'),
  new RegExp(`\\[[^\\]\\n]*${name}[^\\]\\n]*\\]\\.includes\\([^)]*type`),
  // A name of an official resource in Pulumi or Terraform.
  /['"]vault:\w+\/\w+:\w+['"]/,
  /['"]vault_(?:jwt|identity|policy|generic|auth|config|ui)\w*['"]/,
  // A key that is taken apart.
  /startsWith\('\["\w/,
];

test('what a resource is stands in its description alone', () => {
  const wrong = rooms
    .flatMap(filesBelow)
    .filter((path) => !own.test(path))
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8').replace(/^ *(?:\/?\*|\/\/).*$/gm, '');
      const [first] = found.flatMap((pattern) => pattern.exec(text)?.[0].trim() ?? []);
      return first === undefined ? [] : [`${path}: ${first}`];
    });
  expect(wrong.filter((one) => exceptions[one.split(':')[0] ?? ''] === undefined)).toEqual([]);
});

test('every exception is one', () => {
  for (const path of Object.keys(exceptions)) {
    const text = readFileSync(join(root, path), 'utf8');
    expect([path, found.some((pattern) => pattern.test(text))]).toEqual([path, true]);
  }
});
