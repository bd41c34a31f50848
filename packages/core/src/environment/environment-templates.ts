import { z } from 'zod';
import { requireShallow } from '../graph/values/nesting.ts';
import { didYouMean, type Origin, type Problem, parseOptions, problemIn } from '../graph/values/problem.ts';
import { contributed, filled, readTemplate, type Template, valueProblems } from './template-parameters.ts';

const entries = z.array(z.looseObject({})).optional();

/**
 * The keys of a stack that hold its templates. Expanding removes them. The entries of a template's lists are checked in the
 * lists that they are added to.
 */
export const templateShape = {
  /** Templates by name: settings that several parts of the environment share. */
  templates: z
    .record(
      z.string(),
      z.strictObject({
        /** Parameter → its type. In the fields that take one, `${name}` stands for its value. */
        parameters: z.record(z.string(), z.literal('text', 'the type of a parameter is `text`')).optional(),
        ...(Object.fromEntries(Object.keys(contributed).map((list) => [list, entries])) as Record<
          never,
          never
        >),
        /** Roles and groups for providers that are declared elsewhere. */
        addTo: z.array(z.strictObject({ provider: z.string(), roles: entries, groups: entries })).optional(),
        use: z.custom<undefined>(() => false, 'a template uses no other template').optional(),
      }),
    )
    .optional(),
  /** Templates that are part of the environment, each with the values of its parameters. */
  use: z
    .array(
      z.strictObject({
        template: z.string(),
        /** Parameter → its value. */
        with: z.record(z.string(), z.string()).optional(),
      }),
    )
    .optional(),
};
const written = z.object(templateShape);

/** An environment with all templates expanded. */
export interface Expanded {
  /** The keys of the environment without `templates` and `use`; they need not be valid. */
  keys: Record<string, unknown>;
  originOf(path: PropertyKey[]): Origin;
  /** Problems of templates and uses. Such uses contribute nothing. */
  problems: Problem[];
  /** The environment with a sample of each unused template, so that these are checked too. Absent if all are used. */
  withUnused?: Expanded;
}

interface Use {
  template: Template;
  values: ReadonlyMap<string, string>;
  /** Absent for a sample that only checks an unused template. */
  index?: number;
}

/**
 * Replaces uses of templates by their entries, which are added at the end of each list, in the order of the uses.
 *
 * @throws GatehouseError `nested_too_deep`
 */
export function expandTemplates(keys: Record<string, unknown>): Expanded {
  const { templates, use, ...plain } = keys;
  if (templates === undefined && use === undefined) return withUses(plain, []);
  requireShallow([templates, use], 'gatehouse:templates');
  const { error } = written.safeParse({ templates, use }, parseOptions);
  if (error !== undefined) {
    const problems = error.issues.map(problemIn);
    return { ...withUses(plain, []), problems };
  }
  const problems: Problem[] = [];
  const report = (path: PropertyKey[], message: string) => void problems.push({ path, message });
  const byName = new Map(
    Object.entries((templates ?? {}) as Record<string, TemplateEntry>).map(
      ([name, entry]) => [name, readTemplate(name, entry, report)] as const,
    ),
  );
  const unused = new Map(byName);
  const uses: Use[] = [];
  for (const [index, entry] of ((use ?? []) as { template: string; with?: object }[]).entries()) {
    unused.delete(entry.template);
    if (!byName.has(entry.template)) {
      const likely = didYouMean(entry.template, [...byName.keys()]);
      report(['use', index, 'template'], `no template is named ${JSON.stringify(entry.template)}${likely}`);
    }
    const template = byName.get(entry.template);
    if (template === undefined) continue;
    const values = new Map<string, string>(Object.entries(entry.with ?? {}));
    const wrong = valueProblems(template, values);
    for (const { path, message } of wrong) report(['use', index, ...path], message);
    if (wrong.length === 0) uses.push({ template, values, index });
  }
  if (uses.reduce((sum, applied) => sum + sizeOf(applied), 0) > largest) {
    report(['use'], `the uses come to more than ${largest / 2 ** 20} MiB; make several stacks of them`);
    uses.length = 0;
  }
  const expanded = withUses(plain, uses);
  const samples = [...unused.values()]
    .filter((template) => template !== undefined)
    .map((template) => ({
      template,
      values: new Map([...template.parameters.keys()].map((parameter) => [parameter, 'sample'])),
    }));
  return {
    ...expanded,
    problems: [...problems, ...expanded.problems],
    ...(samples.length > 0 && { withUnused: withUses(plain, [...uses, ...samples]) }),
  };
}

/** Most text that uses may expand to: a short file could fill any memory. 1,000 uses of ten entries take 1 MiB. */
const largest = 16 * 2 ** 20;

function sizeOf({ template: { size, parameters }, values }: Use): number {
  const filledIn = [...parameters].map(([name, { count }]) => count * (values.get(name)?.length ?? 0));
  return filledIn.reduce((sum, length) => sum + length, size);
}

type TemplateEntry = Record<string, unknown>;

/** The origins of the entries that templates made, by their path in the expanded environment. */
type EntryOrigins = Map<string, Origin>;

/** The lists of one use, with its values filled in, and the origin of each of their parts. */
interface Contribution {
  lists: Record<string, TemplateEntry[]>;
  from(...path: PropertyKey[]): Origin;
}

function contributionOf({ template, values, index }: Use): Contribution {
  return {
    lists: filled(template.lists, values) as Record<string, TemplateEntry[]>,
    from: (...path) => ({
      path: ['templates', template.name, ...path],
      ...(index !== undefined && { use: index }),
    }),
  };
}

function withUses(plain: Record<string, unknown>, uses: readonly Use[]): Expanded {
  const keys = { ...plain };
  const origins: EntryOrigins = new Map();
  const contributions = uses.map(contributionOf);
  // Copies, so that the caller's lists stay as they are.
  for (const list of Object.keys(contributed)) if (Array.isArray(keys[list])) keys[list] = [...keys[list]];
  for (const list of Object.keys(contributed))
    for (const { lists, from } of contributions)
      append(keys, [list], lists[list], (index) => from(list, index), origins);
  const problems = addToProviders(keys, contributions, origins);
  return { keys, problems, originOf: (path) => originOf(path, origins) };
}

/** Appends entries to a list, or begins one. Any other value stays, for the schema to refuse. */
function append(
  target: TemplateEntry,
  path: PropertyKey[],
  added: TemplateEntry[] = [],
  from: (index: number) => Origin,
  origins: EntryOrigins,
): void {
  const list = String(path.at(-1));
  const own = target[list] ?? [];
  if (!Array.isArray(own) || added.length === 0) return;
  for (const [index, entry] of added.entries()) {
    origins.set([...path, own.length].join('.'), from(index));
    own.push(entry);
  }
  target[list] = own;
}

/** Adds roles and groups to the providers that `addTo` names. Returns a problem for each unknown name. */
function addToProviders(
  keys: TemplateEntry,
  contributions: Contribution[],
  origins: EntryOrigins,
): Problem[] {
  if (!Array.isArray(keys['providers'] ?? [])) return [];
  const problems: Problem[] = [];
  const providers = (keys['providers'] ?? []) as (TemplateEntry | null)[];
  // Secrets use the same names: the namespace of a provider, then its name.
  const nameOf = (provider: TemplateEntry | null) =>
    [provider?.['namespace'], provider?.['name']].filter(Boolean).join('/');
  const positions = new Map(providers.map((provider, index) => [nameOf(provider), index] as const).reverse());
  const copied = new Map<number, TemplateEntry>();
  for (const { lists, from } of contributions) {
    for (const [at, { provider, ...rest }] of (lists['addTo'] ?? []).entries()) {
      const position = positions.get(String(provider));
      if (position === undefined) {
        const likely = didYouMean(String(provider), [...positions.keys()]);
        const message = `no provider is named ${JSON.stringify(provider)}${likely}`;
        problems.push({ ...from('addTo', at, 'provider'), message });
        continue;
      }
      const whole = copied.get(position) ?? copiedLists(providers[position] ?? {});
      copied.set(position, whole);
      providers[position] = whole;
      for (const [list, entries] of Object.entries(rest) as [string, TemplateEntry[]][])
        append(
          whole,
          ['providers', position, list],
          entries,
          (index) => from('addTo', at, list, index),
          origins,
        );
    }
  }
  return problems;
}

/** The origin of a part: in a template if that made its entry, or else its own path. */
function originOf(path: PropertyKey[], origins: EntryOrigins): Origin {
  for (const length of [4, 2]) {
    const origin = origins.get(path.slice(0, length).map(String).join('.'));
    if (origin !== undefined) return { ...origin, path: [...origin.path, ...path.slice(length)] };
  }
  return { path };
}

function copiedLists(entry: TemplateEntry): TemplateEntry {
  const copies = Object.entries(entry).map(([key, value]) => [
    key,
    Array.isArray(value) ? [...value] : value,
  ]);
  return Object.fromEntries(copies);
}

/** Problems of unused templates that no value could have fixed. */
export function ofUnused(problems: readonly Problem[], templates: unknown): Problem[] {
  return problems.filter(({ path, use }) => {
    const written = path
      .slice(1)
      .reduce((value, part) => (value as TemplateEntry | undefined)?.[String(part)], templates as unknown);
    return (
      path[0] === 'templates' && use === undefined && !(typeof written === 'string' && written.includes('${'))
    );
  });
}
