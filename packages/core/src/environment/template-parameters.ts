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
/** Fields with free text. All other fields are names, paths or policies, or are compared with a token. */
const freeTexts = ['description', 'alias', 'title', 'message', 'because', 'owner'];

/** The uses of a parameter within its template. */
interface Parameter {
  /** Number of uses. */
  count: number;
  /** Text that values may not contain, each with the first field that forbids it. */
  refused: Map<RegExp, PropertyKey[]>;
}

/** A template of an environment, after it was read and checked. */
export interface Template {
  name: string;
  lists: Record<string, unknown>;
  /** Characters of the lists. */
  size: number;
  parameters: ReadonlyMap<string, Parameter>;
}

type ReportTemplate = (path: PropertyKey[], message: string) => void;

/** Everything that looks like a parameter, or like an escape of one. There are no escapes. */
const marked = /\$+\{[^}]*\}?/g;
const nameOf = (mark: string) => /^\$\{(.*)\}$/s.exec(mark)?.[1];

/**
 * Reads a template and reports its problems.
 *
 * @returns undefined for a template with problems
 */
export function readTemplate(
  name: string,
  template: Record<string, unknown>,
  reportAt: ReportTemplate,
): Template | undefined {
  let isRight = true;
  const report: ReportTemplate = (path, message) => {
    isRight = false;
    reportAt(['templates', name, ...path], message);
  };
  const { parameters: declared, ...lists } = isName(name) ? template : {};
  if (!isName(name)) report([], wrongName);
  const names = Object.keys(declared ?? {});
  for (const parameter of names) if (!isName(parameter)) report(['parameters', parameter], wrongName);
  const parameters = new Map<string, Parameter>(
    names.map((parameter) => [parameter, { count: 0, refused: new Map() }]),
  );
  const look = (text: string, path: PropertyKey[], isKey = false) => {
    const marks = text.match(marked) ?? [];
    const refused = refusedAt(path);
    for (const mark of marks) {
      const parameter = parameters.get(nameOf(mark) ?? '');
      if (parameter === undefined) {
        const likely = didYouMean(nameOf(mark) ?? mark.replace(/[${}]/g, ''), names);
        report(path, `\`${mark}\` is no parameter of the template ${name}${likely}`);
        continue;
      }
      parameter.count += 1;
      if (refused !== undefined && !parameter.refused.has(refused)) parameter.refused.set(refused, path);
    }
    if (marks.length === 0) return;
    if (isKey) report(path, 'a key takes no parameters');
    else if (!takers.has(fieldAt(path)) && !isOfKind(path))
      report(path, 'this field takes no parameters; docs/templates.md lists those that do');
    else if (path[0] === 'policies' && path[2] === 'policy' && !isQuoted(text))
      report(path, 'in a policy, a parameter stands in a quoted text or a comment');
  };
  eachText(lists, [], look);
  for (const [parameter, { count }] of parameters)
    if (count === 0 && isName(parameter))
      report(['parameters', parameter], 'no field of the template uses this parameter');
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
    for (const [index, element] of value.entries()) eachText(element, [...path, index], look);
  else if (typeof value === 'object' && value !== null)
    for (const [key, nested] of Object.entries(value)) {
      look(key, [...path, key], true);
      eachText(nested, [...path, key], look);
    }
}

/** `providers.roles.boundClaims.*` */
function fieldAt(path: PropertyKey[]): string {
  const names = path.filter((part) => typeof part === 'string');
  return names
    .map((part, index) => (['metadata', 'boundClaims'].includes(names[index - 1] ?? '') ? '*' : part))
    .join('.');
}

/** Whether a field exists only for one kind of role. Such fields say who signs in: a service account, a repository. */
function isOfKind(path: PropertyKey[]): boolean {
  const [, field = ''] =
    /^(?:providers|providers\.clusters|addTo)\.roles\.([^.]+)$/.exec(fieldAt(path)) ?? [];
  return field !== '' && !commonFields.has(field);
}
const commonFields = new Set(['until', ...Object.keys(roleFields), ...Object.keys(spellingsOf(roleFields))]);

/** Whether all parameters of a policy are in quoted texts or comments: elsewhere `$` is a syntax error. */
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

/** Problems with the values of a use, by their paths in it. */
export function valueProblems(
  { name, parameters }: Template,
  values: ReadonlyMap<string, string>,
): Problem[] {
  const unknown = [...values.keys()].filter((parameter) => !parameters.has(parameter));
  return [
    ...unknown.map((parameter) => ({
      path: ['with', parameter],
      message: `the template ${name} has no parameter \`${parameter}\`${didYouMean(parameter, [...parameters.keys()])}`,
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

/** Text with a special meaning in a field: the end of a text, a wildcard, a template, a separator of a list, a method. */
function refusedAt(path: PropertyKey[]): RegExp | undefined {
  if (freeTexts.includes(fieldAt(path).split('.').at(-1) ?? '')) return undefined;
  return path[0] === 'promises' ? inPromises : inNames;
}
const inNames = /["\\*+{},]/;
const inPromises = /["\\*+{},]| of /i;

/** A value with its parameters replaced. Parameters within the replacements stay as they are. */
export function filled(value: unknown, values: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return fillText(value, values);
  if (Array.isArray(value)) return value.map((element) => filled(element, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, nested]) => [key, filled(nested, values)]));
}

/** A text with values in place of its parameters. */
function fillText(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(marked, (mark) => values.get(nameOf(mark) ?? '') ?? mark);
}
