import { posix, win32 } from 'node:path';

/** Whether a path that a stack's configuration names, relative to the folder of Pulumi.yaml, leads out of it. */
export function leadsOutside(path: string): boolean {
  if (posix.isAbsolute(path) || win32.isAbsolute(path)) return true;
  return posix.normalize(path.replaceAll('\\', '/')).split('/', 1)[0] === '..';
}
