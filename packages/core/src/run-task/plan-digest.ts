import { createHash } from 'node:crypto';

/**
 * SHA-256, in hex, of a plan's content, whatever its layout and order of keys: a platform may serialize it anew at each
 * stage.
 */
export function planDigest(plan: unknown): string {
  const hash = createHash('sha256');
  let pending = '';
  const write = (text: string) => {
    pending += text;
    if (pending.length < 65_536) return;
    hash.update(pending);
    pending = '';
  };
  writeCanonical(plan, write);
  return hash.update(pending).digest('hex');
}

function writeCanonical(value: unknown, write: (text: string) => void): void {
  if (Array.isArray(value)) {
    write('[');
    for (const item of value) {
      writeCanonical(item, write);
      write(',');
    }
    write(']');
  } else if (typeof value === 'object' && value !== null) {
    write('{');
    for (const key of Object.keys(value).sort()) {
      write(`${JSON.stringify(key)}:`);
      writeCanonical((value as Record<string, unknown>)[key], write);
      write(',');
    }
    write('}');
  } else write(JSON.stringify(value));
}
