import { createHash } from 'node:crypto';
import { partsOf, type Storage } from './storage.ts';

/**
 * A digest of what administrators configured: everything stored except what sign-ins write, which is tokens,
 * entities and their memberships in groups.
 */
export function digestOfConfigured(storage: Pick<Storage, 'list'>): string {
  const hash = createHash('sha256');
  for (const entry of storage.list('')) {
    if (!isOfSignIns(partsOf(entry[0]))) hash.update(`${JSON.stringify(entry)}\n`);
  }
  return hash.digest('hex');
}

function isOfSignIns([first = '', second = '']: string[]): boolean {
  if (/^token(-|$)/.test(first)) return true;
  if (first === 'identity') return /^entity(-|$)/.test(second) || second === 'group-member';
  return first === 'core' && second === 'tokens-reaped';
}
