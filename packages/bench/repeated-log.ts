import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** What a log is repeated to. */
export interface Repeated {
  lines: number;
  /** Principals, operations and paths that differ in the real log, at least. */
  differ: number;
  /** The same in what is written. */
  wanted: number;
}

/**
 * Writes a real log again and again: with later times and other ids each time, and with other people, until enough differ. Lines
 * keep their lengths but for what is added to names.
 */
export async function writeRepeated(
  log: string,
  { lines, differ, wanted }: Repeated,
  to: Writable,
): Promise<void> {
  const whole = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const people = Math.ceil((wanted / differ) * 1.05);
  const start = Date.parse('2026-06-01T00:00:00Z');
  let written = 0;
  for (let round = 0; written < lines; round += 1) {
    const who = round % people;
    const suffix = who.toString(36).padStart(3, '0');
    const id = round.toString(16).padStart(8, '0');
    const part = whole.slice(0, lines - written);
    const text = part.map((line, at) => {
      const time = new Date(start + (written + at) * 2).toISOString();
      return `{"time":"${time}${line
        .slice(line.indexOf('Z"'))
        .slice(1)
        .replace('"display_name":"', `"display_name":"${suffix}`)
        .replace(/"entity_id":".../, `"entity_id":"${suffix}`)
        .replace(/"request":\{"id":"......../, `"request":{"id":"${id}`)}`;
    });
    written += part.length;
    if (!to.write(`${text.join('\n')}\n`)) await once(to, 'drain');
  }
  to.end();
  await finished(to);
}
