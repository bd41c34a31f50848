import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The nearest folder with a `Pulumi.yaml`: this one, or one above it, as Pulumi looks for it. If there is none, the folder
 * itself: what reads the project says so.
 *
 * @param directory an absolute path
 */
export function findProject(directory: string): string {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (['Pulumi.yaml', 'Pulumi.yml'].some((name) => existsSync(join(folder, name)))) return folder;
    if (dirname(folder) === folder) return directory;
  }
}
