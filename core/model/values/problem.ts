import { z } from 'zod';
import { nearest } from './nearest.ts';
import { secretKeys } from './secret-keys.ts';

/** A configuration problem, with its path in the YAML: `gatehouse:providers[0].roles[1].ttl: …`. */
export function describeProblem(issue: z.core.$ZodIssue): string {
  return `${yamlPath(issue.path)}: ${words(issue)}`;
}

/** Where the cause of a problem is: at an unknown key itself, not at what holds it. */
export function problemPath(issue: z.core.$ZodIssue): PropertyKey[] {
  return issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
}

const knownKeys = 'known keys: ';

/** How a configuration is parsed: an issue about unknown keys has the known ones as its message. */
export const parseOptions: z.core.ParseContext<z.core.$ZodIssue> = {
  reportInput: true,
  error: ({ code, inst }) =>
    code === 'unrecognized_keys' && inst instanceof z.ZodObject
      ? `${knownKeys}${Object.keys(inst.shape).join()}`
      : undefined,
};

/** `; did you mean \`policies\`?`, or nothing. */
export function didYouMean(given: string, known: readonly string[]): string {
  const word = nearest(given, known);
  return word === undefined ? '' : `; did you mean \`${word}\`?`;
}

/** A path in the YAML, as printed: `gatehouse:providers[0].roles[1].ttl`. */
export function yamlPath(path: PropertyKey[]): string {
  const [key, ...rest] = path;
  const inner = rest.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return key === undefined ? 'gatehouse' : `gatehouse:${String(key)}${inner}`;
}

function words(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const secret = issue.keys.find((key) => /secret|key|password|token/i.test(key));
    const fix =
      secret === undefined
        ? ''
        : `; secrets have their own key: ${Object.keys(secretKeys)
            .map((key) => `gatehouse:${key}`)
            .join(', ')}`;
    const known = issue.message.startsWith(knownKeys) ? issue.message.slice(knownKeys.length).split(',') : [];
    const each = issue.keys.map((key) => `unknown key \`${key}\`${fix === '' ? didYouMean(key, known) : ''}`);
    return `${each.join('; ')}${fix}`;
  }
  if (issue.code === 'invalid_type') {
    return issue.input === undefined
      ? `this field is required (${inYaml(issue.expected)})`
      : `must be ${inYaml(issue.expected)}, not ${kindOf(issue.input)}`;
  }
  return issue.message;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : inYaml(typeof value);
}

/** What YAML users call a type. */
function inYaml(type: string): string {
  const called: Record<string, string> = {
    array: 'a list',
    boolean: 'true or false',
    int: 'a whole number',
    number: 'a number',
    object: 'a map',
    record: 'a map',
    string: 'text',
  };
  return called[type] ?? type;
}
