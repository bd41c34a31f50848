import { isDeepStrictEqual } from 'node:util';
import { pick, type Random } from '../split-worlds/world.ts';
import type { DocumentPath } from './document.ts';
import { accessors, aliases, drawnValue, entities, type Field, groups, valueOfKv } from './values.ts';
import type { Body, Write } from './world.ts';

/** A write or a deletion that a plan is to make. */
export interface DrawnWrite {
  isDeletion: boolean;
  /** Of the document. */
  template: string;
  path: string;
  body: Body;
  /** What the set-up of the world wrote there. Undefined where nothing is there. */
  before: Body | undefined;
  /** Below the namespace of the world. */
  namespace?: string;
}

/** Whether a write leaves all as it is. */
export function isIdle({ isDeletion, body, before = {} }: DrawnWrite): boolean {
  return !isDeletion && Object.entries(body).every(([name, value]) => isDeepStrictEqual(value, before[name]));
}

/** How often paths of an area are drawn, by its first words. Defaults to 1. */
const weights: Record<string, number> = {
  pki: 12,
  secret: 2,
  kv: 3,
  'auth/token': 7,
  'auth/approle': 6,
  'auth/userpass': 5,
  'auth/jwt': 5,
  'auth/self': 5,
  'auth/cert': 5,
  'auth/kubernetes': 5,
  'identity/entity': 7,
  'identity/entity-alias': 3,
  'identity/group': 9,
  'identity/group-alias': 2,
  'identity/oidc': 7,
  'identity/mfa': 7,
  'sys/policies': 9,
  'sys/auth': 2,
  'sys/namespaces': 2,
};

function areaOf(template: string): string {
  const [first = '', second = ''] = template.split('/');
  return ['auth', 'identity', 'sys'].includes(first) ? `${first}/${second}` : first;
}

/** What is there in a place of the world: by its path. */
type There = ReadonlyMap<string, Body>;

export function thereIn(world: readonly Write[], namespace?: string): There {
  const own = world.filter((write) => write.namespace === namespace && !write.isHidden);
  return new Map(own.flatMap(({ path, also = [path], body }) => also.map((each) => [each, body] as const)));
}

/** Draws writes of one place of a world, from what the document of the place says. */
export class Drawing {
  readonly #byArea: [area: string, paths: DocumentPath[]][];
  readonly #there: There;
  readonly #namespace: string | undefined;

  constructor(paths: readonly DocumentPath[], there: There, namespace?: string) {
    const all = Map.groupBy(paths, ({ template }) => areaOf(template));
    this.#byArea = [...all].flatMap(([area, found]) =>
      Array.from({ length: weights[area] ?? 1 }, (): [string, DocumentPath[]] => [area, found]),
    );
    this.#there = there;
    this.#namespace = namespace;
  }

  draw(next: Random): DrawnWrite {
    const [, paths] = pick(next, ...this.#byArea);
    // What is there in the world bears on sign-ins more often than all else of an area.
    const known = paths.filter(({ template }) => this.#matching(template).length > 0);
    const from = known.length > 0 && next(4) > 0 ? known : paths;
    const { template, isWritten, isDeleted, fields } = pick(next, ...from);
    const matching = this.#matching(template);
    const isKnown = matching.length > 0 && next(4) > 0;
    const path = isKnown ? pick(next, ...matching) : filled(next, template);
    const before = this.#there.get(path);
    const isDeletion = isDeleted && (!isWritten || (before !== undefined && next(8) === 0));
    const place = this.#namespace === undefined ? {} : { namespace: this.#namespace };
    const body = isDeletion ? {} : this.#bodyFor(next, path, fields, matching, before);
    return { isDeletion, template, path, body, before, ...place };
  }

  #matching(template: string): string[] {
    const escaped = template.split(/\{\w+\}/).map((part) => part.replace(/[.$+*?()[\]^|\\]/g, '\\$&'));
    const pattern = new RegExp(`^${escaped.join(/(?:kv|data)\/\{path\}$/.test(template) ? '.+' : '[^/]+')}$`);
    return [...this.#there.keys()].filter((path) => pattern.test(path));
  }

  /** What is there with a field or two changed, or a body of its own. */
  #bodyFor(
    next: Random,
    path: string,
    fields: DocumentPath['fields'],
    matching: readonly string[],
    before: Body | undefined,
  ): Body {
    if (path.startsWith('kv/')) return valueOfKv(next);
    if (path.startsWith('secret/data/')) return { data: valueOfKv(next) };
    const similar = matching.map((each) => this.#there.get(each) ?? {});
    const usual = [...new Set(similar.flatMap(Object.keys))];
    const all = [...new Set([...usual, ...Object.keys(fields)])];
    const isChanged = before !== undefined && next(4) > 0;
    const base = isChanged ? before : before === undefined && next(3) > 0 ? pick(next, {}, ...similar) : {};
    const names = Array.from({ length: 1 + next(isChanged ? 2 : 3) }, () =>
      usual.length > 0 && next(3) > 0 ? pick(next, ...usual) : pick(next, ...all),
    ).filter((name) => name !== undefined);
    const drawn = names.map((name) => [name, otherValue(next, name, fields[name] ?? {}, path, base[name])]);
    return { ...base, ...Object.fromEntries(drawn) };
  }
}

/** A value of a field, another one than there is if a few draws have one. */
function otherValue(next: Random, name: string, field: Field, path: string, value: unknown): unknown {
  for (let attempt = 0; attempt < 4; attempt++) {
    const drawn = drawnValue(next, name, field, path);
    // A longer list lets in more, and takes nothing away.
    const isLonger = Array.isArray(drawn) && Array.isArray(value) && next(2) === 0;
    const other = isLonger ? [...new Set([...value, ...drawn])] : drawn;
    if (!isDeepStrictEqual(other, value)) return other;
  }
  return value;
}

/** A path of a template with names that are mostly not there. */
function filled(next: Random, template: string): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameter(next, name, template)));
}

function parameter(next: Random, name: string, template: string): string {
  switch (name) {
    case 'id':
      if (template.includes('entity-alias')) return pick(next, ...aliases);
      if (template.includes('group-alias')) return '<group-alias g>';
      return pick(next, ...(template.includes('group') ? groups : entities));
    case 'method_id':
      return '<mfa>';
    case 'mount_accessor':
      return pick(next, ...accessors);
    case 'issuer_ref':
    case 'key_ref':
      return 'default';
    case 'exported':
      return pick(next, 'internal', 'exported');
    case 'path':
      return placeIn(next, template);
    default:
      return pick(next, 'fresh', 'web', 'ops', 'app', 'eve');
  }
}

function placeIn(next: Random, template: string): string {
  if (template.startsWith('sys/namespaces')) return 'lab';
  if (template.startsWith('sys/auth')) return pick(next, 'fresh', 'jwt', 'userpass', 'self', 'approle');
  if (template.startsWith('sys/mounts')) return pick(next, 'fresh', 'kv', 'pki', 'secret');
  if (template.startsWith('secret/')) return pick(next, 'a', 'hidden');
  return pick(next, 'a', 'b', 'creds', 'fresh');
}
