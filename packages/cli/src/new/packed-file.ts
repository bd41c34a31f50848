import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { GatehouseError } from '@gatehouse/core/values';

/** What a new repository depends on as `gatehouse-login`. */
export interface GivenPackage {
  /** As it stands in package.json: a version, an address, or `file:vendor/…` for a packed file. */
  dependency: string;
  /** A packed file that the repository gets a copy of: where it is, and where it goes. */
  copied?: { from: string; to: string };
}

/**
 * Takes what `--package` gives: a path is meant from here, and its file becomes part of the repository, so that clones have it.
 *
 * @throws GatehouseError `package_invalid` for a path without a file, and for one that npm did not pack
 */
export function packageOf(given: string, cwd: string): GivenPackage {
  const path = resolve(cwd, given.replace(/^file:(?:\/\/)?/, ''));
  const found = statSync(path, { throwIfNoEntry: false });
  const isPath =
    /^(?:file:|\.{0,2}[/\\]|~)/.test(given) || (/\.(?:tgz|tar\.gz)$/.test(given) && !/:/.test(given));
  if (found?.isFile() !== true) {
    if (isPath) throw new GatehouseError('package_invalid', { given });
    return { dependency: given };
  }
  if (!isPacked(path)) throw new GatehouseError('package_invalid.packed', { given });
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
