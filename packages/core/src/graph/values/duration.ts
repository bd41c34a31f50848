import { z } from 'zod';

/** Seconds of each unit, in the order in which a duration lists the units. */
const secondsOf = { d: 86_400, h: 3_600, m: 60, s: 1 };
const pattern = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/;
const allowed =
  'a whole number of seconds (3600), or days, hours, minutes, seconds in that order (1h, 90m, 1h30m)';

/**
 * Reads a duration: whole seconds as a number or text, or `1h`, `90m`, `1h30m`, `7d`.
 *
 * @returns Seconds, or undefined if it is not a duration.
 */
export function parseDuration(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (/^\d+$/.test(text)) return parseDuration(Number(text));
  const match = pattern.exec(text);
  if (match === null || text === '') return undefined;
  const [, ...counts] = match;
  const total = Object.values(secondsOf).reduce((sum, each, at) => sum + each * Number(counts[at] ?? 0), 0);
  return Number.isSafeInteger(total) ? total : undefined;
}

/** Writes seconds in short form: 3600 as `1h`, 5400 as `1h30m`, 0 as `0s`. */
export function formatDuration(seconds: number): string {
  let rest = seconds;
  let text = '';
  for (const [unit, each] of Object.entries(secondsOf)) {
    const count = Math.floor(rest / each);
    rest -= count * each;
    if (count > 0) text += `${count}${unit}`;
  }
  return text === '' ? '0s' : text;
}

/** A duration in the configuration; its value is in seconds. */
export const duration = inSeconds(parseDuration, allowed);

/** A leeway in the configuration: a duration, or -1 for none at all. */
export const leeway = inSeconds(
  (value) => (value === -1 || value === '-1' ? -1 : parseDuration(value)),
  `${allowed}; -1 for none`,
);

function inSeconds(read: (value: unknown) => number | undefined, allowed: string) {
  return z
    .unknown()
    .transform((value, context) => {
      const seconds = read(value);
      if (seconds === undefined) {
        context.addIssue({
          code: 'custom',
          message: `not a duration: ${JSON.stringify(value)}; allowed: ${allowed}`,
        });
        return z.NEVER;
      }
      return seconds;
    })
    .meta({ type: ['integer', 'string'], examples: [3600, '1h'] });
}
