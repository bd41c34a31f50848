import { posix, win32 } from 'node:path';

/** Whether a path in a stack's configuration leads outside the folder of Pulumi.yaml. */
export function leadsOutside(path: string): boolean {
  if (posix.isAbsolute(path) || win32.isAbsolute(path)) return true;
  return posix.normalize(path.replaceAll('\\', '/')).split('/', 1)[0] === '..';
}
