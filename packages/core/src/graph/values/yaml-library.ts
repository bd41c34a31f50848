import { createRequire } from 'node:module';

let loaded: typeof import('yaml') | undefined;

/** Loaded with the first file that is read: a review of a plan reads none, and it is a seventh of what that would load. */
export function yamlLibrary(): typeof import('yaml') {
  loaded ??= createRequire(import.meta.url)('yaml') as typeof import('yaml');
  return loaded;
}
