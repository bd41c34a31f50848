import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loaded with the first file that is read: a review of a plan reads none, and it is a seventh of what that would load. */
export function yamlLibrary(): typeof import('yaml') {
  return require('yaml') as typeof import('yaml');
}
