import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { GatehouseError } from '@gatehouse/core/values';

/** What a new repository depends on as `gatehouse-login`. */
export interface GivenPackage {
  /** The text for package.json: a version, an address, or `file:vendor/…` for a packed file. */
  dependency: string;
  /** A packed file that the repository gets a copy of: where it is, and where it goes. */
  copied?: { from: string; to: string };
}

/**
 * Reads the value of `--package`. A path is relative to `cwd`; its file is copied into the repository, so that clones have it.
 *
 * @throws GatehouseError `package_invalid` for a path without a file, and for one that npm did not pack
 */
export function packageOf(spec: string, cwd: string): GivenPackage {
  const path = resolve(cwd, spec.replace(/^file:(?:\/\/)?/, ''));
  const stats = statSync(path, { throwIfNoEntry: false });
  const isPath =
    /^(?:file:|\.{0,2}[/\\]|~)/.test(spec) || (/\.(?:tgz|tar\.gz)$/.test(spec) && !/:/.test(spec));
  if (stats?.isFile() !== true) {
    if (isPath) throw new GatehouseError('package_invalid', { given: spec });
    return { dependency: spec };
  }
  if (!isPacked(path)) throw new GatehouseError('package_invalid.packed', { given: spec });
  const name = basename(path);
  // The name stands in package.json and in addresses of lock files.
  const to = `vendor/${/^[\w.+-]+\.(?:tgz|tar\.gz)$/.test(name) ? name : 'gatehouse-login.tgz'}`;
  return { dependency: `file:${to}`, copied: { from: path, to } };
}

/** Whether a file begins as gzip does. */
function isPacked(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const magic = Buffer.alloc(2);
    return readSync(file, magic) === 2 && magic.readUInt16BE() === 0x1f8b;
  } finally {
    closeSync(file);
  }
}
