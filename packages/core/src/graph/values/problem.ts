import { z } from 'zod';
import { nearest } from './nearest.ts';
import { secretKeys } from './secret-keys.ts';

/** A configuration problem, with its path in the YAML: `gatehouse:providers[0].roles[1].ttl: …`. */
export function describeProblem(issue: z.core.$ZodIssue): string {
  return `${yamlPath(issue.path)}: ${words(issue)}`;
}

/** Where a part of an environment is written: its path in the YAML, and which entry of `gatehouse:use` made it. */
export interface Origin {
  path: PropertyKey[];
  use?: number;
}

/** What is wrong with a configuration; the `key` is one below the path, and shows where. */
export interface Problem extends Origin {
  message: string;
  key?: string;
}

/** A configuration problem in its parts; the `key` is one below the path that is not known. */
export function problemIn(issue: z.core.$ZodIssue): Problem {
  const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  return { path: issue.path, message: words(issue), ...(key !== undefined && { key }) };
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
export function didYouMean(misspelled: string, known: readonly string[]): string {
  const word = nearest(misspelled, known);
  return word === undefined ? '' : `; did you mean \`${word}\`?`;
}

/** The keys that are allowed, where they are one or two. */
function onlyKeys([first, second, ...rest]: readonly string[]): string {
  if (first === undefined || rest.length > 0) return '';
  return second === undefined
    ? `; only \`${first}\` is allowed`
    : `; only \`${first}\` and \`${second}\` are allowed`;
}

/** A path in the YAML, as printed: `gatehouse:providers[0].roles[1].ttl`. */
export function yamlPath(path: PropertyKey[]): string {
  const [key, ...rest] = path;
  const inner = rest.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return key === undefined ? 'gatehouse' : `gatehouse:${String(key)}${inner}`;
}

/** Says where a path of the YAML is: `Pulumi.dev.yaml:3:5`. */
type Locate = (path: PropertyKey[]) => string | undefined;

/** Problems by their places, each with the uses that have it. */
export function problemLines(problems: readonly Problem[], locate?: Locate): string[] {
  const same = Map.groupBy(problems, ({ path, message }) => JSON.stringify([path.map(String), message]));
  return [...same.values()].flatMap((all) =>
    all.slice(0, 1).map((problem) => {
      const uses = all.map(({ use }) => use);
      return `${placeText(problem, uses, locate)}: ${problem.message}`;
    }),
  );
}

/** Uses of one template that are named one by one. */
const namedUses = 3;

/** `Pulumi.dev.yaml:3:5: gatehouse:templates.team.groups[0].name, for gatehouse:use[1] at Pulumi.dev.yaml:9:5` */
export function placeText(
  { path, key }: Pick<Problem, 'path' | 'key'>,
  uses: readonly (number | undefined)[],
  locate?: Locate,
): string {
  const place = locate?.(key === undefined ? path : [...path, key]);
  const known = uses.filter((index) => index !== undefined);
  const named = known.slice(0, namedUses).map((index) => {
    const at = locate?.(['use', index]);
    return `${yamlPath(['use', index])}${at === undefined ? '' : ` at ${at}`}`;
  });
  const left = known.length - named.length;
  const whose = named.length === 0 ? '' : `, for ${named.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
  return `${place === undefined ? '' : `${place}: `}${yamlPath(path)}${whose}`;
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
    const hint = (key: string) => didYouMean(key, known) || onlyKeys(known);
    const each = issue.keys.map((key) => `unknown key \`${key}\`${fix === '' ? hint(key) : ''}`);
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
