import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a package of the clone can be imported by: an entry of `exports`. */
export interface Entry {
  /** The package's folder, like all paths from the clone's. */
  folder: string;
  specifier: string;
  /** The module that it means. */
  file: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));

/** The entries of all packages, as they are read once. */
export const entries: Entry[] = readdirSync(join(root, 'packages')).flatMap((folderName) => {
  const folder = `packages/${folderName}`;
  const { name, exports = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return Object.entries<string>(exports).map(([entry, file]) => ({
    folder,
    specifier: `${name}${entry.slice(1)}`,
    file: join(folder, file),
  }));
});
