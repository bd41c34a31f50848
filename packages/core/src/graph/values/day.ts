import { z } from 'zod';
import { parseInstant } from './instant.ts';

const nanosecondsOfDay = 86_400_000_000_000n;

/**
 * The last day of something: `2026-12-31`. It ends with that day in UTC. Pulumi's reader of YAML takes a day without quotes
 * for an instant.
 */
export const day = z
  .string()
  .transform((text) => text.replace(/ 00:00:00 \+0000 UTC$/, ''))
  .refine(
    (text) => /^\d{4}-\d\d-\d\d$/.test(text) && endOfDay(text) !== undefined,
    'must be a day of the calendar, as 2026-12-31; it ends with that day in UTC',
  );

/** When a day is over: nanoseconds since 1970. Undefined for what is no day. */
export function endOfDay(text: string): bigint | undefined {
  const start = parseInstant(`${text}T00:00:00Z`);
  return start === undefined ? undefined : start + nanosecondsOfDay;
}

/** Days from now to a day: 0 on the day itself, negative when it is over. */
export function daysUntil(text: string, now: bigint): number {
  return Number((endOfDay(text) ?? 0n) / nanosecondsOfDay - now / nanosecondsOfDay) - 1;
}

/** The last second of a day, as policies have it. */
export function expirationOf(day: string): string {
  return `${day}T23:59:59Z`;
}
