import { isSubjectNamed, method, nameableParts, resourceOfPulumi, type Subject } from '@gatehouse/core/graph';
import { GatehouseError, nearest, shortened, toCamelCase } from '@gatehouse/core/values';
import { type Engine, parseUrn, rootStackType, type Stack } from '@gatehouse/engine';
import { type NamedResource, resourcesOf, subjectOf } from '../terminal/subject-of.ts';
import { notCanceled } from './deployment.ts';

/** Restricts a deployment: to some resources, or to all but some. */
export interface Selection {
  /** URNs; empty means all. */
  targets: string[];
  /** URNs; empty where there are targets. */
  excludes: string[];
}

interface SelectionRequest {
  stack: Stack;
  verb: 'preview' | 'up' | 'refresh' | 'destroy';
  /** Short names (`role web`, `group staff/*`) and URNs. */
  target: readonly string[];
  exclude: readonly string[];
  imports?: Record<string, string>;
}

/**
 * The URNs of what is named. Names are looked up in the stack's state, and for `preview` and `up` also in a plan of the
 * whole stack, which knows what is not there yet. An engine may ignore a URN that no resource has, so none is given such a URN.
 *
 * @throws GatehouseError `target_unknown`, `target_empty`, `planning_canceled`
 */
export async function select(request: SelectionRequest, engine: Engine): Promise<Selection> {
  const { target, exclude } = request;
  for (const text of [...target, ...exclude]) requireName(text);
  if (exclude.length === 0 && (await areOfState(target, request, engine)))
    return { targets: [...target], excludes: [] };
  const named = new NamedResources(await resourcesFor(request, engine));
  const excluded = new Set(exclude.flatMap((text) => named.find(text, '--exclude')));
  if (target.length === 0) return { targets: [], excludes: [...excluded] };
  const left = target.flatMap((text) => named.find(text, '--target')).filter((urn) => !excluded.has(urn));
  if (left.length > 0) return { targets: [...new Set(named.withComponents(left))], excludes: [] };
  throw new GatehouseError('target_empty');
}

/** Whether all targets are URNs of the state, so that no plan is needed to know them. */
async function areOfState(
  target: readonly string[],
  { stack }: SelectionRequest,
  engine: Engine,
): Promise<boolean> {
  if (target.length === 0) return true;
  if (!target.every((text) => isUrn(text) && !text.includes('*'))) return false;
  const known = new Set(resourcesOf(await engine.exportState(stack)).map(({ urn }) => urn));
  return target.every((urn) => known.has(urn));
}

async function resourcesFor(
  { stack, verb, imports }: SelectionRequest,
  engine: Engine,
): Promise<NamedResource[]> {
  const known = async () => resourcesOf(await engine.exportState(stack));
  if (verb !== 'preview' && verb !== 'up') return known();
  const whole = { dryRun: true, refresh: false, targets: [] };
  const { succeeded, steps } = notCanceled(await engine.run({ verb: 'preview', stack, imports, ...whole }));
  const planned = steps.flatMap(({ oldState, newState }) => newState ?? oldState ?? []);
  // A plan that failed may lack just what is named.
  return succeeded ? planned : [...planned, ...(await known())];
}

class NamedResources {
  readonly #byUrn: Map<string, NamedResource>;
  readonly #children: Map<string, NamedResource[]>;
  readonly #names: { part: string; names: string[]; resource: NamedResource; subject?: Subject }[];

  constructor(resources: NamedResource[]) {
    this.#byUrn = new Map(resources.map((resource) => [resource.urn, resource]));
    const all = [...this.#byUrn.values()];
    this.#children = Map.groupBy(all, ({ parent = '' }) => parent);
    this.#names = all.flatMap((resource) => {
      const subject = subjectOf(resource, all);
      const owner = this.#components(resource).at(-1);
      if (subject === undefined) {
        const isProvider = isComponent(resource) && owner === undefined;
        const { name } = parseUrn(resource.urn);
        return isProvider ? [{ part: 'provider', names: [name], resource }] : [];
      }
      const part = nameableParts.find((type) => type === subject.type);
      if (part === undefined) return [];
      const within = [subject.method, owner && parseUrn(owner.urn).name].filter(
        (text) => text !== undefined && part !== method.type,
      );
      const { namespace } = subject;
      const inMethod = [subject.name, ...new Set(within.map((text) => `${text}/${subject.name}`))];
      const names = inMethod.flatMap((name) =>
        namespace === undefined ? name : [name, `${namespace}/${name}`],
      );
      return [{ part, names, resource, subject }];
    });
  }

  /** @throws GatehouseError `target_unknown` */
  find(text: string, option: string): string[] {
    const short = shortName(text);
    if (short === undefined) {
      const pattern = urnPattern(text);
      const matching = [...this.#byUrn.keys()].filter((urn) => pattern.test(urn));
      if (matching.length > 0) return matching;
      throw unknownTarget(text, option, nearest(text, [...this.#byUrn.keys()]));
    }
    const { part, pattern } = short;
    const ofPart = this.#names.filter((named) => named.part === part);
    const matches = ofPart.filter(
      ({ names, subject }) =>
        names.some((name) => pattern.test(name)) || (subject !== undefined && isSubjectNamed(subject, text)),
    );
    if (matches.length > 0) return [...new Set(matches.flatMap(({ resource }) => this.#whole(resource)))];
    const all = ofPart.flatMap(({ names }) => names);
    const likely = nearest(short.name, all);
    const known = ofPart.map(({ names }) => names.at(-1) ?? '').sort();
    throw unknownTarget(text, option, likely && `${part} ${likely}`, known);
  }

  /** The URNs with those of the components around them: a new resource needs these, and they are nothing on the service. */
  withComponents(urns: readonly string[]): string[] {
    return urns.flatMap((urn) => {
      const resource = this.#byUrn.get(urn);
      const around = resource === undefined ? [] : this.#components(resource);
      return [urn, ...around.map((component) => component.urn)];
    });
  }

  /**
   * The resource with everything below it; a mount and a group with the component that is made for it alone, and a group
   * with its alias.
   */
  #whole(resource: NamedResource): string[] {
    const parent = this.#byUrn.get(resource.parent ?? '');
    const own = ['gatehouse:index:AuthMethod', 'gatehouse:index:ExternalGroup'];
    if (parent !== undefined && own.includes(parent.type)) return this.#below(parent);
    return [...this.#below(resource), ...this.#dependentsOf(resource)];
  }

  /**
   * The resources that cannot be named and refer to this one. Plans of the CLI do not say what depends on what: there, a
   * reference is known by the id of this resource, if it exists.
   */
  #dependentsOf({ urn, id, type }: NamedResource): string[] {
    const referred = resourceOfPulumi(type)?.referredAs;
    return [...this.#byUrn.values()].flatMap(({ urn: other, type: token, dependencies, inputs }) => {
      const { isNameable, references = {} } = resourceOfPulumi(token) ?? {};
      const refersToIt = Object.entries(references).some(
        ([property, { to, by }]) =>
          to === referred &&
          by === 'id' &&
          (dependencies?.includes(urn) || (id !== undefined && inputs?.[toCamelCase(property)] === id)),
      );
      return refersToIt && !isNameable ? [other] : [];
    });
  }

  #below({ urn }: NamedResource): string[] {
    return [urn, ...(this.#children.get(urn) ?? []).flatMap((child) => this.#below(child))];
  }

  /** The components around a resource, the outermost last. */
  #components({ parent = '' }: NamedResource): NamedResource[] {
    const around = this.#byUrn.get(parent);
    if (around === undefined || !isComponent(around)) return [];
    return [around, ...this.#components(around)];
  }
}

function isComponent({ type, custom }: NamedResource): boolean {
  return custom === false && type !== rootStackType;
}

function shortName(text: string): { part: string; name: string; pattern: RegExp } | undefined {
  const [, word, name = ''] = /^(\w+) +(\S.*)$/.exec(text.trim()) ?? [];
  const part = nameableParts.find((type) => type === word);
  if (part === undefined) return undefined;
  const source = name
    .replace(/[\\^$.+()[\]{}|]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  // The service does not tell names apart by their case.
  return { part, name, pattern: new RegExp(`^${source}$`, 'i') };
}

function isUrn(text: string): boolean {
  return /^urn:pulumi:./.test(text);
}

/** A pattern with the wildcards of the Pulumi CLI: `**` is any text, and `*` any text within a part of the URN. */
function urnPattern(text: string): RegExp {
  const parts = text.split(/(\*\*|\*)/).map((part) => {
    if (part === '**') return '.*';
    return part === '*' ? '[^:]*' : part.replace(/[\\^$.+?()[\]{}|]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}

/** @throws GatehouseError `target_unknown` for what is neither a name nor a URN */
function requireName(text: string): void {
  if (isUrn(text) || shortName(text) !== undefined) return;
  throw new GatehouseError('target_unknown.pattern', {
    given: text,
    allowed: `a URN, or ${nameableParts.slice(0, -1).join(', ')} or ${nameableParts.at(-1)} and a name, as in 'role web'`,
  });
}

/** The error for a name of an option that the stack does not have, with the nearest name that it has. */
export function unknownTarget(
  text: string,
  option: string,
  likely: string | undefined,
  known: string[] = [],
): GatehouseError {
  const allowed = known.length === 0 ? undefined : shortened(known, 12, ' and ');
  return new GatehouseError('target_unknown', { given: text, allowed, values: { option, likely } });
}
