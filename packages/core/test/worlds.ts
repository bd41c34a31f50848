import { parse } from 'yaml';
import type { Change } from '../src/graph/change.ts';
import { type Complete, emptyGraph, type Graph, type GraphList } from '../src/graph/graph.ts';
import { entityAlias, otherAlias } from '../src/graph/nodes/other-alias.ts';
import { otherMethod } from '../src/graph/nodes/other-method.ts';
import type { OtherNode } from '../src/graph/nodes/other-node.ts';
import { otherRole } from '../src/graph/nodes/other-role.ts';
import { issuedTokens } from '../src/graph/nodes/tokens.ts';
import type { RoleNoun } from '../src/graph/resources/other-methods.ts';
import { credentialNodes } from './credential-worlds.ts';
import { role } from './review/graphs.ts';

type Fields = Record<string, unknown>;

/**
 * A graph as text, a node a line: `kind`, names, and fields as YAML. Policies that a node gives stand behind its name,
 * `-` for an empty list. Where `ci/` is left out, a role is of the method `ci`.
 *
 *     method ci jwksUrl: https://ci.example/keys
 *     role far/build read,write groupsClaim: groups
 *     policy read: secret/data/* read,list; secret/data/x deny
 *     group admins ops
 *     alias /admins ci admins
 *     internal all ops group:admins entity:ann
 *     entity ann ops
 *     entity-alias ann people ann
 *     user people/bob ops
 *     approle apps/web ops token_ttl: 60
 *     complete groups aliases roles:ci
 */
export function graph(text: string, base: Partial<Graph> = {}): Graph {
  return graphs(text, base).after;
}

/**
 * A change as text: lines of a graph that are on both sides, or have `+` (after it), `-` (before it) or `~` in front. Such
 * a line has what differs afterwards behind an arrow: `~ role build a → a,b boundSubject: x`. A line goes
 * on where one ends with a comma or the next begins with the arrow.
 */
export function change(text: string, rest: Partial<Omit<Change, 'before' | 'after'>> = {}): Change {
  return { ...graphs(text), replaced: [], rotated: [], unknown: [], ...rest };
}

/** Both sides of a change, on top of what both have. */
function graphs(text: string, base: Partial<Graph> = {}): Pick<Change, 'before' | 'after'> {
  const [before, after]: [Graph, Graph] = [
    { ...emptyGraph(), ...base },
    { ...emptyGraph(), ...base },
  ];
  for (const line of linesOf(text)) {
    if (line.before) add(before, line, line.before);
    if (line.after) add(after, line, line.after);
  }
  return { before, after };
}

function add(to: Graph, { kind, fail }: Line, side: Side): void {
  const node = nodes[kind];
  if (node === undefined) throw fail(`there is no kind ${JSON.stringify(kind)}`);
  const set = Object.entries(side.fields).filter(([, value]) => value !== null);
  const [list, found] = node({ ...side, fields: Object.fromEntries(set) }, to);
  to[list] = [...(to[list] ?? []), ...[found].flat()] as never;
}

type Added = [list: GraphList | 'complete', node: unknown];
const other = (node: OtherNode): Added => ['others', node];

/** What a line of a kind adds to which list. */
const nodes: Record<string, (side: Side, to: Graph) => Added> = {
  method: ({ names: [path, type = 'jwt'], fields: { tune, ...config } }) => [
    'methods',
    { path, type, config, ...(tune !== undefined && { tune }) },
  ],
  role({ names: [at = '', given], fields }) {
    const [name = '', method = 'ci'] = at.split('/').reverse();
    return ['roles', role(name, { method, policies: policiesIn(given, ['read']), ...fields })];
  },
  policy: ({ names: [name], text = '' }) => ['policies', { name, text }],
  group: ({ names: [name, given], fields }) => ['groups', { name, policies: policiesIn(given), ...fields }],
  alias: ({ names: [name, method, group] }) => ['aliases', { name, method, group }],
  entity: ({ names: [name, given], fields }) => [
    'identities',
    { kind: 'entity', name, policies: policiesIn(given), ...fields },
  ],
  internal({ names: [name, ...all], fields }) {
    const given = all.filter((one) => !one.includes(':'));
    const members = all.filter((one) => one.includes(':')).map((one) => one.split(':'));
    const named = members.map(([kind, member]) => ({ kind, name: member }));
    const inside = named.length > 0 && { members: named };
    return ['identities', { kind: 'group', name, policies: policiesIn(given[0]), ...inside, ...fields }];
  },
  'entity-alias': ({ names: [name = '', mount = '', entity = ''] }) =>
    other(entityAlias(name, mount, entity)),
  'group-alias': ({ names: [name = '', mount = '', type = '', group = ''] }) =>
    other(otherAlias(name, mount, type, group)),
  disabled: ({ names: [of, name = ''] }) =>
    other({ kind: 'disabling', of: of === 'group' ? of : 'entity', name }),
  mount: ({ names: [path = '', type = ''], fields }) => other(otherMethod(path, type, { type, ...fields })),
  approle: roleElsewhere('approle', 'role', 'token_policies'),
  user: roleElsewhere('userpass', 'user', 'token_policies'),
  cert: roleElsewhere('cert', 'role', 'token_policies'),
  token: roleElsewhere('token', 'role', 'allowed_policies'),
  'ldap-group': roleElsewhere('ldap', 'group', 'policies'),
  program: ({ names: [at = ''] }) => {
    const [name = '', method = 'ci'] = at.split('/').reverse();
    return other({ kind: 'program', method, name });
  },
  /** A token that a plan makes: it gives policies, by no auth method. */
  'made-token': ({ names: [name = '', given], fields }) =>
    other({ kind: 'token', name, address: name, policies: policiesIn(given), bounds: {}, ...fields }),
  /** Tokens that were issued, by their policies, to an entity that may have an alias at a method. */
  issued: ({ names: [given, entity, method] }) => other(issuedTokens(policiesIn(given), entity, method)),
  configuration: ({ names: [method = '', type = ''], fields }) =>
    other({ kind: 'configuration', method, type, part: 'configuration', bounds: fields }),
  'secret-id': ({ names: [address = '', at = ''], fields }) => {
    const [role = '', method = 'approle'] = at.split('/').reverse();
    return other({ kind: 'secretId', method, role, address, bounds: {}, ...fields });
  },
  /** Names of targets stand behind what they are of: `entity:ann`. Without a type it is a login enforcement. */
  guard: ({ names: [name = '', ...all], fields }) => {
    const of = (kind: string) =>
      all.flatMap((target) => (target.startsWith(`${kind}:`) ? target.slice(kind.length + 1) : []));
    const targets = { groups: of('group'), entities: of('entity'), methods: of('method'), types: of('type') };
    const type = 'identity mfa login enforcement';
    return other({ kind: 'guard', type, name, bounds: {}, targets, ...fields });
  },
  write: ({ names: [path = '', given], fields }) =>
    other({ kind: 'write', path, policies: policiesIn(given), bounds: {}, effect: 'either', ...fields }),
  ...credentialNodes,
  complete({ names }, { methods }) {
    const whole = [...lists, ...methods.map(({ path }) => `roles:${path}`)];
    return ['complete', (names.length > 0 ? names : whole).map(completeOf)];
  },
};

/** The lists of a graph that are whole where `complete` names none. */
const lists: Complete['list'][] = [
  'methods',
  'groups',
  'aliases',
  'policies',
  'identities',
  'others',
  'guards',
  'credentials',
  'namespaces',
];

function completeOf(word: string) {
  const [list, method] = word.split(':');
  return { list, ...(method !== undefined && { method }) };
}

function roleElsewhere(type: string, noun: RoleNoun, field: string): (side: Side) => Added {
  return ({ names: [at = '', given], fields }) => {
    const [name = '', method = type] = at.split('/').reverse();
    const policies: Fields = given === undefined ? {} : { [field]: policiesIn(given) };
    return other(otherRole({ type, method, noun, name }, { ...policies, ...fields }));
  };
}

/** `-` is an empty list. */
function policiesIn(given: string | undefined, byDefault: string[] = []): string[] {
  if (given === undefined) return byDefault;
  return given === '-' ? [] : given.split(',');
}

/** One of `resource_changes`. */
export interface PlanEntry {
  address: string;
  mode: string;
  type: string;
  change: Record<'before' | 'after', Fields | null> & {
    actions: string[];
    after_unknown: Fields;
    before_sensitive: Fields;
    after_sensitive: Fields;
  };
}

/**
 * A Terraform plan as text, as entries of `resource_changes`: lines as of a change, with fields as the provider writes
 * them, and Terraform's signs for replacements and for what is forgotten. What has no kind of its own is named by type and
 * address, and has no fields but those of the line. Addresses end with the name, or with what stands behind `@`. Ids are
 * `id-` with the name, accessors `acc-` with the path. A field with `?` is known after apply; one with `!` is sensitive.
 *
 *     method ci
 *     ~ role ci/build read bound_subject!: x → read,write token_ttl?
 *     ~ group admins ops → name: owners
 *     + attach admins more exclusive: false
 *     - generic_endpoint.bob path: auth/people/users/bob, data_json: '{}'
 */
export function entries(text: string): PlanEntry[] {
  return linesOf(text).map(({ sign, kind, before, after, fail }) => {
    const [word = '', own] = kind.split('@');
    const build = resources[word];
    if (build === undefined && !kind.includes('.')) throw fail(`there is no kind ${JSON.stringify(kind)}`);
    const sides = [before, after].map((side) => side && resourceOf(side, build));
    const at = (sides[0] ?? sides[1])?.at;
    const [type, name] = at ? [at.type, own ?? at.name] : kind.split('.');
    const given = sides.map((side) => side && { ...side.fields });
    for (const field of sides[1]?.unknown ?? []) delete given[1]?.[field];
    const marks = (all: string[] = []) => Object.fromEntries(all.map((one) => [one, true]));
    return {
      address: `vault_${type}.${name}`,
      mode: 'managed',
      type: `vault_${type}`,
      change: {
        actions: actions[sign] ?? [],
        before: given[0] ?? null,
        after: given[1] ?? null,
        after_unknown: marks(sides[1]?.unknown),
        before_sensitive: marks(sides[0]?.hidden),
        after_sensitive: marks(sides[1]?.hidden),
      },
    };
  });
}

const actions: Record<string, string[]> = {
  '': ['no-op'],
  '+': ['create'],
  '-': ['delete'],
  '~': ['update'],
  '-/+': ['delete', 'create'],
  '+/-': ['create', 'delete'],
  '.': ['forget'],
  '+/.': ['create', 'forget'],
};

interface Resource {
  at?: { type: string; name: string };
  fields: Fields;
}

function resourceOf(side: Side, build: ((side: Side) => Resource) | undefined) {
  const names = Object.keys(side.fields);
  const marked = (mark: string) => names.filter((one) => one.endsWith(mark)).map((one) => one.slice(0, -1));
  const fields = Object.fromEntries(names.map((one) => [bare(one), side.fields[one]]));
  const { at, fields: own } = build?.(side) ?? { fields: {} };
  return { at, fields: { ...own, ...fields }, unknown: marked('?'), hidden: marked('!') };
}

const resource = (type: string, name: string | undefined, fields: Fields): Resource => ({
  at: { type, name: name?.replace(/\W/g, '') ?? '' },
  fields,
});

/** What a line of a kind is in a plan. */
const resources: Record<string, (side: Side) => Resource> = {
  method: ({ names: [path, type = 'jwt'] }) =>
    resource('jwt_auth_backend', path, { path, type, accessor: `acc-${path}` }),
  mount: ({ names: [path, type] }) => resource('auth_backend', path, { path, type, accessor: `acc-${path}` }),
  role({ names: [at = '', given] }) {
    const [name, backend = 'ci'] = at.split('/').reverse();
    const own = { backend, role_name: name, role_type: 'jwt', user_claim: 'sub' };
    return resource('jwt_auth_backend_role', name, { ...own, ...policiesAs('token_policies', given) });
  },
  policy: ({ names: [name], text = '' }) => resource('policy', name, { name, policy: text }),
  group: group('external'),
  internal: group('internal'),
  entity: ({ names: [name, given] }) =>
    resource('identity_entity', name, { id: `id-${name}`, name, ...policiesAs('policies', given) }),
  alias: alias('identity_group_alias'),
  'entity-alias': alias('identity_entity_alias'),
  /** Policies that are attached to a group. */
  attach: ({ names: [name, given] }) =>
    resource('identity_group_policies', name, { group_id: `id-${name}`, ...policiesAs('policies', given) }),
  /** Entities that are attached to a group. */
  join: ({ names: [name, ...all] }) =>
    resource('identity_group_member_entity_ids', name, {
      group_id: `id-${name}`,
      ...membersAs(all, 'entity'),
    }),
};

function group(type: string): (side: Side) => Resource {
  return ({ names: [name, ...all] }) => {
    const [given] = all.filter((one) => !one.includes(':'));
    const members = { ...membersAs(all, 'entity'), ...membersAs(all, 'group') };
    return resource('identity_group', name, {
      id: `id-${name}`,
      name,
      type,
      ...policiesAs('policies', given),
      ...members,
    });
  };
}

function alias(type: string): (side: Side) => Resource {
  return ({ names: [name, mount, of] }) =>
    resource(type, name, { name, mount_accessor: `acc-${mount}`, canonical_id: `id-${of}` });
}

function policiesAs(field: string, given: string | undefined): Fields {
  return given === undefined ? {} : { [field]: policiesIn(given) };
}

function membersAs(words: string[], kind: 'entity' | 'group'): Fields {
  const ids = words.flatMap((one) => (one.startsWith(`${kind}:`) ? `id-${one.slice(kind.length + 1)}` : []));
  return ids.length > 0 ? { [`member_${kind}_ids`]: ids } : {};
}

/** What a line says of one side. */
interface Side {
  /** What it is called, what it refers to, and the policies that it gives. */
  names: string[];
  fields: Fields;
  /** Of a policy. */
  text?: string;
}

interface Line {
  sign: string;
  kind: string;
  before?: Side;
  after?: Side;
  fail: (why: string) => Error;
}

function linesOf(text: string): Line[] {
  const [, half] = /^(.*),\s*\n\s*(?:-\/\+|\+\/[-.]|[-+~.])\s/m.exec(text) ?? [];
  if (half !== undefined)
    throw new Error(`it ends with a comma and does not go on, in the line: ${half.trim()}`);
  const written = text
    .replace(/\s+→/g, ' →')
    .replace(/,\s*\n\s*/g, ', ')
    .split('\n')
    .map((line) => line.trim());
  return written.filter(Boolean).map((line) => {
    const fail = (why: string) => new Error(`${why}, in the line: ${line}`);
    const [, sign = '', kind = '', rest = ''] =
      /^(?:(-\/\+|\+\/[-.]|[-+~.])\s+)?(\S+)\s*(.*)$/.exec(line) ?? [];
    const [head = '', then] = rest.split(/\s*→\s*/);
    if ((then !== undefined) !== (sign === '~') && sign.length < 2) {
      throw fail('only what changes has an arrow, and it needs one');
    }
    const first = kind === 'policy' ? policySide(head, fail) : sideOf(head, fail);
    const last = then === undefined ? first : changed(first, then, kind, fail);
    return {
      sign,
      kind,
      fail,
      ...(sign !== '+' && { before: first }),
      ...(!/^[-.]$/.test(sign) && { after: last }),
    };
  });
}

/** Names up to the first word that is the name of a field. */
function sideOf(text: string, fail: Line['fail']): Side {
  const at = /(?:^|\s)[\w.]+(?:[!?]?:\s|\?)/.exec(text)?.index ?? text.length;
  const names = text.slice(0, at).trim().split(/\s+/).filter(Boolean);
  if (names.some((name) => /["'{]\w/.test(name))) throw fail('names have no quotes');
  try {
    return { names, fields: parse(`{${text.slice(at)}}`) };
  } catch (error) {
    throw fail(error instanceof Error ? (error.message.split('\n')[0] ?? '') : `${error}`);
  }
}

function policySide(text: string, fail: Line['fail']): Side {
  const [, name = '', rules = ''] = /^([^\s:]+):?\s*(.*)$/.exec(text) ?? [];
  return { names: [name], fields: {}, text: policyText(rules, fail) };
}

/** `a/* read,list; b deny`, a text as it is, or `-` for an empty one. */
function policyText(rules: string, fail: Line['fail']): string {
  if (rules === '-') return '';
  if (rules === '' || /^path\b|^\{/.test(rules)) return rules;
  const blocks = rules.split(/\s*;\s*/).map((rule) => {
    const [, path, capabilities] = /^(.*\S)\s+([a-z,]+|-)$/.exec(rule) ?? [];
    if (path === undefined) throw fail(`${JSON.stringify(rule)} is no path with capabilities`);
    return `path "${path}" { capabilities = ${JSON.stringify(policiesIn(capabilities))} }`;
  });
  return blocks.join('\n');
}

/** Behind an arrow: policies or rules, then fields. */
function changed(first: Side, then: string, kind: string, fail: Line['fail']): Side {
  if (kind === 'policy') return { ...first, text: policyText(then, fail) };
  const { names, fields } = sideOf(then, fail);
  const kept = names.length === 0 ? first.names : [...first.names.slice(0, 1), ...names];
  const replaced = new Set(Object.keys(fields).map(bare));
  const rest = Object.entries(first.fields).filter(([field]) => !replaced.has(bare(field)));
  return { names: kept, fields: { ...Object.fromEntries(rest), ...fields } };
}

/** The name of a field without its mark. */
function bare(field: string): string {
  return field.replace(/[?!]$/, '');
}
