import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { unjudgedTypes } from '../../../../core/model/resources/sorted-types.ts';
import { knownType, terraformName } from '../../../../core/review/plan/resource-types.ts';
import { root } from '../../../harness/environment-under-test.ts';

/** The tokens of all resources of the official package, as its compiled files name them. */
function packageTypes(folder = join(root, 'node_modules/@pulumi/vault')): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js') && !path.includes('node_modules'))
    .flatMap(
      (path) => /__pulumiType = '(vault:[^']+)'/.exec(readFileSync(join(folder, path), 'utf8'))?.[1] ?? [],
    );
}

test('every type of the vault package is sorted: judged, inert, or not judged for a reason', () => {
  const types = packageTypes();
  expect(types.length).toBeGreaterThan(150);
  const isUnjudged = (name: string) =>
    unjudgedTypes.some(({ terraform }) =>
      terraform.some((one) => (typeof one === 'string' ? one === name : one.test(name))),
    );
  const names = types.map((token) => terraformName(token));
  expect(names.filter((name) => knownType(name) === undefined && !isUnjudged(name))).toEqual([]);
  // No type is in two rows.
  expect(names.filter((name) => knownType(name) !== undefined && isUnjudged(name))).toEqual([]);
});
