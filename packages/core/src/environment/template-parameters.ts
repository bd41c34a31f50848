import { HclError, parseHcl, tokensOf } from '../graph/policies/hcl.ts';
import { spellingsOf } from '../graph/resources/field.ts';
import { roleFields } from '../graph/resources/role.ts';
import { didYouMean, type Problem, yamlPath } from '../graph/values/problem.ts';

const below = (part: string, fields: readonly string[]) => fields.map((field) => `${part}.${field}`);
const ofGroup = ['name', 'alias', 'policies', 'metadata.*'];
const ofRole = ['name', 'policies', 'tokenPolicies', 'boundAudiences', 'boundSubject', 'boundClaims.*'];
const inProvider = [...below('roles', ofRole), ...below('groups', ofGroup)];

/** The lists of an environment that a template contributes to, each with the fields that take parameters. */
export const contributed: Readonly<Record<string, readonly string[]>> = {
  namespaces: ['path'],
  providers: [
    'name',
    'namespace',
    'path',
    'description',
    'defaultRole',
    'clusters.name',
    ...inProvider,
    ...below('clusters.roles', ofRole),
  ],
  groups: ['name', 'namespace', 'members', 'policies'],
  policies: ['name', 'namespace', 'policy'],
  messages: ['title', 'message'],
  promises: ['only', 'never', 'always', 'on', 'because'],
  exceptions: ['namespace', 'subject', 'because', 'owner'],
  known: ['name', 'because'],
};
/** Roles and groups of providers that the environment has without the template. */
const addedTo = ['provider', ...inProvider];

const takers = new Set([
  ...Object.entries(contributed).flatMap(([list, fields]) => below(list, fields)),
  ...below('addTo', addedTo),
]);
/** Fields whose value is read as it is. Any other one is a name, a path or a policy, or is compared with a token. */
const freeTexts = ['description', 'alias', 'title', 'message', 'because', 'owner'];

/** Where a parameter stands. */
interface Parameter {
  /** How often. */
  count: number;
  /** What a value may not hold, and the first field for whose sake. */
  refused: Map<RegExp, PropertyKey[]>;
}

/** A template of an environment, read. */
export interface Template {
  name: string;
  lists: Record<string, unknown>;
  /** Characters of the lists. */
  size: number;
  parameters: ReadonlyMap<string, Parameter>;
}

type Report = (path: PropertyKey[], message: string) => void;

/** Whatever looks like a parameter, or like an escape of one: there is none. */
const marked = /\$+\{[^}]*\}?/g;
const nameOf = (mark: string) => /^\$\{(.*)\}$/s.exec(mark)?.[1];

/** @returns undefined for a template that something is wrong with */
export function readTemplate(
  name: string,
  given: Record<string, unknown>,
  reportAt: Report,
): Template | undefined {
  let isRight = true;
  const report: Report = (path, message) => {
    isRight = false;
    reportAt(['templates', name, ...path], message);
  };
  const { parameters: declared, ...lists } = isName(name) ? given : {};
  if (!isName(name)) report([], wrongName);
  const names = Object.keys(declared ?? {});
  for (const one of names) if (!isName(one)) report(['parameters', one], wrongName);
  const parameters = new Map<string, Parameter>(names.map((one) => [one, { count: 0, refused: new Map() }]));
  const look = (text: string, path: PropertyKey[], isKey = false) => {
    const found = text.match(marked) ?? [];
    const refused = refusedAt(path);
    for (const mark of found) {
      const parameter = parameters.get(nameOf(mark) ?? '');
      if (parameter === undefined) {
        const likely = didYouMean(nameOf(mark) ?? mark.replace(/[${}]/g, ''), names);
        report(path, `\`${mark}\` is no parameter of the template ${name}${likely}`);
        continue;
      }
      parameter.count += 1;
      if (refused !== undefined && !parameter.refused.has(refused)) parameter.refused.set(refused, path);
    }
    if (found.length === 0) return;
    if (isKey) report(path, 'a key takes no parameters');
    else if (!takers.has(fieldAt(path)) && !isOfKind(path))
      report(path, 'this field takes no parameters; docs/templates.md lists those that do');
    else if (path[0] === 'policies' && path[2] === 'policy' && !isQuoted(text))
      report(path, 'in a policy, a parameter stands in a quoted text or a comment');
  };
  eachText(lists, [], look);
  for (const [one, { count }] of parameters)
    if (count === 0 && isName(one))
      report(['parameters', one], 'no field of the template uses this parameter');
  const size = JSON.stringify(lists).length;
  return isRight ? { name, lists, size, parameters } : undefined;
}

const wrongName =
  'the name of a template or a parameter has letters, digits, `_` and `-`, and begins with a letter';
const isName = (name: string) => /^[a-z][\w-]*$/i.test(name);

function eachText(
  value: unknown,
  path: PropertyKey[],
  look: (text: string, path: PropertyKey[], isKey?: boolean) => void,
): void {
  if (typeof value === 'string') look(value, path);
  else if (Array.isArray(value))
    for (const [index, one] of value.entries()) eachText(one, [...path, index], look);
  else if (typeof value === 'object' && value !== null)
    for (const [key, one] of Object.entries(value)) {
      look(key, [...path, key], true);
      eachText(one, [...path, key], look);
    }
}

/** `providers.roles.boundClaims.*` */
function fieldAt(path: PropertyKey[]): string {
  const names = path.filter((part) => typeof part === 'string');
  return names
    .map((one, at) => (['metadata', 'boundClaims'].includes(names[at - 1] ?? '') ? '*' : one))
    .join('.');
}

/** Fields of a role that only its kind has say who signs in: a service account, a repository. */
function isOfKind(path: PropertyKey[]): boolean {
  const [, field = ''] =
    /^(?:providers|providers\.clusters|addTo)\.roles\.([^.]+)$/.exec(fieldAt(path)) ?? [];
  return field !== '' && !commonFields.has(field);
}
const commonFields = new Set(['until', ...Object.keys(roleFields), ...Object.keys(spellingsOf(roleFields))]);

/** Whether a value could not end what it stands in: outside of texts and comments no policy has a `$`. */
function isQuoted(policy: string): boolean {
  try {
    if (/^\s*\{/.test(policy)) parseHcl(policy);
    else for (const _ of tokensOf(policy));
    return true;
  } catch (error) {
    if (error instanceof HclError) return false;
    throw error;
  }
}

/** What is wrong with the values of a use, by their paths in it. */
export function valueProblems(
  { name, parameters }: Template,
  values: ReadonlyMap<string, string>,
): Problem[] {
  const unknown = [...values.keys()].filter((one) => !parameters.has(one));
  return [
    ...unknown.map((one) => ({
      path: ['with', one],
      message: `the template ${name} has no parameter \`${one}\`${didYouMean(one, [...parameters.keys()])}`,
    })),
    ...[...parameters].flatMap(([parameter, { refused }]) => {
      const value = values.get(parameter);
      const path = ['with', parameter];
      if (value === undefined)
        return { path, message: `the template ${name} needs a value for this parameter` };
      if (value.trim() !== value || value === '')
        return { path, message: 'is empty, or has a blank at an end' };
      const [everywhere] = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]|\$\{|\{\{/u.exec(value) ?? [];
      if (everywhere !== undefined)
        return { path, message: `holds ${JSON.stringify(everywhere)}, which no value may` };
      for (const [pattern, place] of refused) {
        const [held] = pattern.exec(value) ?? [];
        if (held === undefined) continue;
        const where = yamlPath(['templates', name, ...place]);
        return {
          path,
          message: `holds \`${held}\`, which would mean something else than itself in ${where}`,
        };
      }
      return [];
    }),
  ];
}

/** What would mean something else than itself: the end of a text, a wildcard, a template, one more of a list; a method. */
function refusedAt(path: PropertyKey[]): RegExp | undefined {
  if (freeTexts.includes(fieldAt(path).split('.').at(-1) ?? '')) return undefined;
  return path[0] === 'promises' ? inPromises : inNames;
}
const inNames = /["\\*+{},]/;
const inPromises = /["\\*+{},]| of /i;

/** The same with values in place of parameters; what a value holds is not looked into again. */
export function filled(value: unknown, values: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return fillText(value, values);
  if (Array.isArray(value)) return value.map((one) => filled(one, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, values)]));
}

/** A text with values in place of its parameters. */
function fillText(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(marked, (mark) => values.get(nameOf(mark) ?? '') ?? mark);
}
