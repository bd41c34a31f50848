import { z } from 'zod';

const pattern = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Reads an RFC 3339 instant. The service returns nanoseconds; finer digits are cut off, as Go's parser does.
 *
 * @returns Nanoseconds since 1970-01-01T00:00:00Z, or undefined if the text is not such an instant.
 */
export function parseInstant(text: string): bigint | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = match;
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const written = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const local = Date.parse(`${written}Z`);
  // JavaScript rolls invalid dates over (30 February, 24:00): reject them.
  if (Number.isNaN(local) || new Date(local).toISOString().slice(0, 19) !== written) return undefined;
  const milliseconds = local - offset * 60_000;
  // An offset can lead beyond the years that RFC 3339 can express.
  if (milliseconds < Date.UTC(-1, 12) || milliseconds >= Date.UTC(9999, 12)) return undefined;
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
}

/** 0 for `Z`, which has no digits. */
function offsetMinutes(zone: string): number | undefined {
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/**
 * Writes an instant in UTC with seconds and `Z`. The official plugin compares times as text, so this is the only form
 * we send (docs/inside/measured/official-plugin.md#resources). Fractional digits are kept, without trailing zeros.
 */
export function formatInstant(nanoseconds: bigint): string {
  const perSecond = 1_000_000_000n;
  const fraction = ((nanoseconds % perSecond) + perSecond) % perSecond;
  const seconds = new Date(Number((nanoseconds - fraction) / 1_000_000n)).toISOString().slice(0, 19);
  return fraction === 0n
    ? `${seconds}Z`
    : `${seconds}.${fraction.toString().padStart(9, '0').replace(/0+$/, '')}Z`;
}

/** Converts an RFC 3339 instant to the form we send; returns other text unchanged. */
export function canonicalInstant(text: string): string {
  const parsed = parseInstant(text);
  return parsed === undefined ? text : formatInstant(parsed);
}

/** How Pulumi passes an unquoted instant from YAML (Go's `Time.String`). */
const unquoted = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?) ([+-]\d{2})(\d{2})(?: \S+)?$/;

/** An instant in the configuration; its value is text in the form we send. */
export const instant = z.string().transform((text, context) => {
  const parsed = parseInstant(text.replace(unquoted, '$1T$2$3:$4'));
  if (parsed === undefined) {
    context.addIssue({
      code: 'custom',
      message: `not an RFC 3339 instant: ${JSON.stringify(text)}; allowed: for example 2026-12-01T00:00:00Z or 2026-12-01T01:00:00+01:00`,
    });
    return z.NEVER;
  }
  return formatInstant(parsed);
});
