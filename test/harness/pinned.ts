import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './environment-under-test.ts';

/** The version of each package from outside that a package.json of the clone pins. */
export const pinned: Record<string, string> = Object.fromEntries(
  ['package.json', ...globSync('packages/*/package.json', { cwd: root })]
    .map((file) => JSON.parse(readFileSync(join(root, file), 'utf8')))
    .flatMap(({ dependencies, devDependencies }) =>
      Object.entries<string>({ ...dependencies, ...devDependencies }),
    )
    .filter(([name]) => !name.startsWith('@gatehouse/')),
);
