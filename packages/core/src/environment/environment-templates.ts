import { z } from 'zod';
import { requireShallow } from '../graph/values/nesting.ts';
import { didYouMean, type Origin, type Problem, parseOptions, problemIn } from '../graph/values/problem.ts';
import { contributed, filled, readTemplate, type Template, valueProblems } from './template-parameters.ts';

const entries = z.array(z.looseObject({})).optional();

/**
 * The keys of a stack that are gone once its templates are expanded. The entries of a template's lists are checked where
 * they land.
 */
export const templateShape = {
  /** What several parts of the environment have in common, by name. */
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

/** An environment in which no template is left. */
export interface Expanded {
  /** The keys of the environment without `templates` and `use`; they need not be valid. */
  keys: Record<string, unknown>;
  originOf(path: PropertyKey[]): Origin;
  /** What is wrong with templates and uses; such uses contribute nothing. */
  problems: Problem[];
  /** The same environment, with each template that nothing uses; words stand for its parameters. Absent without any. */
  withUnused?: Expanded;
}

interface Use {
  template: Template;
  values: ReadonlyMap<string, string>;
  /** Absent for one that only stands in, to check a template. */
  index?: number;
}

/**
 * Replaces uses of templates by what they contribute, at the end of each list, in their order.
 *
 * @throws GatehouseError `nested_too_deep`
 */
export function expandTemplates(given: Record<string, unknown>): Expanded {
  const { templates, use, ...plain } = given;
  if (templates === undefined && use === undefined) return withUses(plain, []);
  requireShallow([templates, use], 'gatehouse:templates');
  const { error } = written.safeParse({ templates, use }, parseOptions);
  if (error !== undefined) {
    const problems = error.issues.map(problemIn);
    return { ...withUses(plain, []), problems };
  }
  const problems: Problem[] = [];
  const report = (path: PropertyKey[], message: string) => void problems.push({ path, message });
  const known = new Map(
    Object.entries((templates ?? {}) as Record<string, Entry>).map(
      ([name, one]) => [name, readTemplate(name, one, report)] as const,
    ),
  );
  const unused = new Map(known);
  const uses: Use[] = [];
  for (const [index, one] of ((use ?? []) as { template: string; with?: object }[]).entries()) {
    unused.delete(one.template);
    if (!known.has(one.template)) {
      const likely = didYouMean(one.template, [...known.keys()]);
      report(['use', index, 'template'], `no template is named ${JSON.stringify(one.template)}${likely}`);
    }
    const template = known.get(one.template);
    if (template === undefined) continue;
    const values = new Map<string, string>(Object.entries(one.with ?? {}));
    const wrong = valueProblems(template, values);
    for (const { path, message } of wrong) report(['use', index, ...path], message);
    if (wrong.length === 0) uses.push({ template, values, index });
  }
  if (uses.reduce((sum, one) => sum + sizeOf(one), 0) > largest) {
    report(['use'], `the uses come to more than ${largest / 2 ** 20} MiB; make several stacks of them`);
    uses.length = 0;
  }
  const expanded = withUses(plain, uses);
  const samples = [...unused.values()]
    .filter((template) => template !== undefined)
    .map((template) => ({
      template,
      values: new Map([...template.parameters.keys()].map((one) => [one, 'sample'])),
    }));
  return {
    ...expanded,
    problems: [...problems, ...expanded.problems],
    ...(samples.length > 0 && { withUnused: withUses(plain, [...uses, ...samples]) }),
  };
}

/** How much text uses may come to: a short file could fill any memory. 1,000 uses of ten entries take 1 MiB. */
const largest = 16 * 2 ** 20;

function sizeOf({ template: { size, parameters }, values }: Use): number {
  const filledIn = [...parameters].map(([name, { count }]) => count * (values.get(name)?.length ?? 0));
  return filledIn.reduce((sum, length) => sum + length, size);
}

type Entry = Record<string, unknown>;

function withUses(plain: Record<string, unknown>, uses: readonly Use[]): Expanded {
  const keys = { ...plain };
  const origins = new Map<string, Origin>();
  const problems: Problem[] = [];
  const added = uses.map(({ template, values, index }) => {
    const from = (...path: PropertyKey[]): Origin => ({
      path: ['templates', template.name, ...path],
      ...(index !== undefined && { use: index }),
    });
    return { lists: filled(template.lists, values) as Record<string, Entry[]>, from };
  });
  /** Adds entries to a list, or to none yet: another value is for the schema to refuse. */
  const add = (to: Entry, [...at]: PropertyKey[], added: Entry[] = [], from: (index: number) => Origin) => {
    const list = String(at.at(-1));
    const own = to[list] ?? [];
    if (!Array.isArray(own) || added.length === 0) return;
    for (const [index, one] of added.entries()) {
      origins.set([...at, own.length].join('.'), from(index));
      own.push(one);
    }
    to[list] = own;
  };
  // The given text stays as it is.
  for (const list of Object.keys(contributed)) if (Array.isArray(keys[list])) keys[list] = [...keys[list]];
  for (const list of Object.keys(contributed))
    for (const { lists, from } of added) add(keys, [list], lists[list], (index) => from(list, index));
  if (!Array.isArray(keys['providers'] ?? [])) return { keys, problems, originOf };
  const providers = (keys['providers'] ?? []) as (Entry | null)[];
  // As secrets are kept: below the namespace of a provider and its name.
  const nameOf = (one: Entry | null) => [one?.['namespace'], one?.['name']].filter(Boolean).join('/');
  const positions = new Map(providers.map((one, index) => [nameOf(one), index] as const).reverse());
  const copied = new Map<number, Entry>();
  for (const { lists, from } of added) {
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
      for (const [list, entries] of Object.entries(rest) as [string, Entry[]][])
        add(whole, ['providers', position, list], entries, (index) => from('addTo', at, list, index));
    }
  }
  return { keys, problems, originOf };

  function originOf(path: PropertyKey[]): Origin {
    for (const length of [4, 2]) {
      const found = origins.get(path.slice(0, length).map(String).join('.'));
      if (found !== undefined) return { ...found, path: [...found.path, ...path.slice(length)] };
    }
    return { path };
  }
}

function copiedLists(entry: Entry): Entry {
  const copies = Object.entries(entry).map(([key, one]) => [key, Array.isArray(one) ? [...one] : one]);
  return Object.fromEntries(copies);
}

/** Problems of unused templates that no value could have fixed. */
export function ofUnused(problems: readonly Problem[], templates: unknown): Problem[] {
  return problems.filter(({ path, use }) => {
    const written = path
      .slice(1)
      .reduce((value, part) => (value as Entry | undefined)?.[String(part)], templates as unknown);
    return (
      path[0] === 'templates' && use === undefined && !(typeof written === 'string' && written.includes('${'))
    );
  });
}
