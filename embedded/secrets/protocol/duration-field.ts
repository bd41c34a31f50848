import { FieldRefusal, type Fields } from './fields.ts';
import type { Refusal } from './refusal.ts';

const units: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/**
 * Seconds: a number, or a text like `90`, `1h30m`, `7d`. Absent: undefined; null and empty: 0.
 *
 * @throws Refusal 400
 */
export function durationField(fields: Fields, name: string, signed = false): number | undefined {
  if (!Object.hasOwn(fields, name)) return undefined;
  const given = fields[name] ?? 0;
  const seconds = typeof given === 'number' ? Math.trunc(given) : parse(given);
  if (seconds === undefined) {
    const isText = typeof given === 'string';
    throw invalid(
      name,
      isText ? `time: invalid duration ${JSON.stringify(given)}` : 'could not parse duration from input',
    );
  }
  if (seconds < 0 && !signed) throw invalid(name, `cannot provide negative value '${seconds}'`);
  if (!Number.isSafeInteger(seconds) || Math.abs(seconds) > 9e9) throw invalid(name, 'out of range');
  return seconds;
}

/** A whole number. Absent: undefined; null and empty: 0. */
export function countField(fields: Fields, name: string): number | undefined {
  if (!Object.hasOwn(fields, name)) return undefined;
  const given = fields[name] ?? 0;
  const number = typeof given === 'string' && /^-?\d+$/.test(given) ? Number(given) : given || 0;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) {
    throw invalid(
      name,
      typeof given === 'string'
        ? "'' cannot parse value as 'int': strconv.ParseInt: invalid syntax"
        : `'' expected type 'int', got unconvertible type '${typeof given}'`,
    );
  }
  return number;
}

function parse(given: unknown): number | undefined {
  if (typeof given !== 'string') return undefined;
  const [, sign, text = ''] = /^([-+]?)(.*)$/s.exec(given.trim()) ?? [];
  if (!/^(?:\d+|(?:\d+(?:ms|[smhd]))+)?$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|[smhd])?/g)) {
    seconds += Number(count) * (units[unit ?? 's'] ?? 1);
  }
  return Math.trunc(sign === '-' ? -seconds : seconds);
}

function invalid(name: string, problem: string): Refusal {
  return new FieldRefusal(name, problem);
}
