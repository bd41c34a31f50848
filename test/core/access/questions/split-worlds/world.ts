import { randomFrom } from '../../../../harness/random-policies.ts';

export interface Rule {
  path: string;
  capabilities: string[];
  /** Attributes with limits, as a policy writes them. */
  limits?: string;
}

/** What a workspace declares. What refers to another resource has its key. */
export type Resource =
  | { kind: 'policy'; name: string; rules: Rule[] }
  | { kind: 'mount'; path: string; type: 'jwt' | 'userpass' | 'approle' }
  | {
      kind: 'role';
      mount: string;
      name: string;
      policies: string[];
      readsGroups: boolean;
      hasDefault: boolean;
      subject?: string;
      org?: string;
      /** Defaults to `sub`, who a person is. `uid` is somebody else. */
      userClaim?: 'uid';
      /** Whether the claim `team` becomes metadata of the alias. */
      mapsTeam?: true;
    }
  /** Of userpass, or a role of AppRole. */
  | { kind: 'user'; mount: string; name: string; policies: string[]; cidrs?: string[] }
  | {
      kind: 'group';
      name: string;
      isExternal: boolean;
      policies: string[];
      members: string[];
      /** Whether its policies are those of its attachments. */
      isAttached: boolean;
      team: string;
    }
  | { kind: 'attachment'; group: string; policies: string[] }
  | { kind: 'groupAlias'; name: string; mount: string; group: string }
  | { kind: 'entity'; name: string; policies: string[]; team: string; isDisabled?: true }
  | { kind: 'entityAlias'; name: string; mount: string; entity: string };

export type Kind = Resource['kind'];
export type Of<K extends Kind> = Extract<Resource, { kind: K }>;
export type Resources = ReadonlyMap<string, Resource>;

/** A person or workload: the same name at every mount, and the claims that each provider gives. */
export interface Person {
  name: string;
  claims: Record<string, { org?: string; groups: string[] }>;
}

/** A whole service, cut into two workspaces. */
export interface World {
  number: number;
  /** What all names on the service begin with. */
  prefix: string;
  resources: Resources;
  /** Keys of the resources of workspace A. */
  own: ReadonlySet<string>;
  people: Person[];
  /** Words that paths are made of. */
  words: string[];
  hasLimits: boolean;
  hasTemplates: boolean;
}

export type Random = (limit: number) => number;

export function pick<Value>(next: Random, ...values: readonly Value[]): Value {
  return values[next(values.length)] as Value;
}

/** One or two of them. */
export function some<Value>(next: Random, values: readonly Value[]): Value[] {
  return [...new Set(Array.from({ length: 1 + next(2) }, () => pick(next, ...values)))];
}

export const policyKeys = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5'];
const people = ['p', 'q', 's'];
/** What templates are filled in with: also nothing. */
export const teams = ['a', 'ab', 'c', ''];
const limits = [
  'allowed_parameters = { "v" = [] }',
  'allowed_parameters = { "v" = ["x"] }',
  'allowed_parameters = { "w" = [] }',
  'allowed_parameters = { "*" = [] }',
  'denied_parameters = { "w" = [] }',
  'required_parameters = ["v"]',
];
const capabilities = [
  ...[['read'], ['read', 'list'], ['update'], ['read', 'update'], ['delete'], ['list', 'delete']],
  ...[['create', 'update'], ['read', 'update', 'delete', 'list'], ['deny'], ['deny'], []],
];

/** A random service: the same one for the same seed. */
export function worldOf(seed: number, number: number): World {
  const next = randomFrom(Math.imul(seed, 2_654_435_761));
  const prefix = `w${number}`;
  const hasTemplates = next(4) === 0;
  const world: World = {
    number,
    prefix,
    resources: new Map(),
    own: new Set(),
    people: [],
    words: ['a', 'ab', ...(hasTemplates ? [`${prefix}e`] : [])],
    hasLimits: next(4) === 0,
    hasTemplates,
  };
  const resources = new Map<string, Resource>();
  for (const key of policyKeys) {
    resources.set(key, { kind: 'policy', name: `${prefix}-${key}`, rules: rulesOf(next, world) });
  }
  const mounts = next(2) === 0 ? ['j1'] : ['j1', 'j2'];
  for (const key of mounts) {
    resources.set(key, { kind: 'mount', path: `${prefix}${key}`, type: 'jwt' });
    for (const name of next(2) === 0 ? ['r'] : ['r', 't']) {
      resources.set(`${key}-${name}`, roleOf(next, key, name));
    }
  }
  if (next(5) < 3) {
    mounts.push('u');
    resources.set('u', { kind: 'mount', path: `${prefix}u`, type: pick(next, 'userpass', 'approle') });
    for (const name of some(next, people)) {
      resources.set(`u-${name}`, { kind: 'user', mount: 'u', name, policies: some(next, policyKeys) });
    }
  }
  const tokens = mounts.filter((mount) => mount !== 'u');
  addGroups(next, prefix, tokens, resources);
  addEntities(next, prefix, mounts, resources);
  const share = 1 + next(4);
  const own = new Set([...resources.keys()].filter(() => next(5) < share));
  if (own.size === 0) own.add(pick(next, ...resources.keys()));
  const persons = people.map((name) => ({
    name,
    claims: Object.fromEntries(
      tokens.map((mount) => {
        const org = pick(next, undefined, 'x', 'y');
        return [mount, { ...(org && { org }), groups: ['g', 'h'].filter(() => next(3) > 0) }];
      }),
    ),
  }));
  return { ...world, resources, own, people: persons };
}

export function roleOf(next: Random, mount: string, name: string): Of<'role'> {
  return {
    kind: 'role',
    mount,
    name,
    policies: some(next, policyKeys),
    readsGroups: next(5) < 3,
    hasDefault: next(8) === 0,
    ...(next(4) === 0 && { subject: pick(next, 'p', 'q') }),
    ...(next(4) === 0 && { org: pick(next, 'x', 'y') }),
  };
}

function addGroups(next: Random, prefix: string, mounts: string[], resources: Map<string, Resource>): void {
  for (const [key, alias] of [
    ['one', 'g'],
    ['two', 'h'],
  ] as const) {
    if (key === 'two' && next(3) === 0) continue;
    const isAttached = next(5) === 0;
    const policies = isAttached ? [] : some(next, policyKeys);
    resources.set(key, {
      kind: 'group',
      name: `${prefix}-${key}`,
      isExternal: true,
      policies,
      members: [],
      isAttached,
      team: pick(next, ...teams),
    });
    if (isAttached)
      resources.set(`${key}-more`, { kind: 'attachment', group: key, policies: some(next, policyKeys) });
    if (next(6) > 0)
      resources.set(`${key}-alias`, {
        kind: 'groupAlias',
        name: alias,
        mount: pick(next, ...mounts),
        group: key,
      });
  }
  if (next(3) === 0) return;
  const members = ['one', 'two'].filter((key) => resources.has(key) && next(2) === 0);
  resources.set('all', {
    kind: 'group',
    name: `${prefix}-all`,
    isExternal: false,
    policies: some(next, policyKeys),
    members,
    isAttached: false,
    team: pick(next, ...teams),
  });
}

function addEntities(next: Random, prefix: string, mounts: string[], resources: Map<string, Resource>): void {
  for (const [key, person] of [
    ['e', 'p'],
    ['f', 'q'],
  ] as const) {
    if (next(key === 'e' ? 4 : 2) === 0) continue;
    resources.set(key, {
      kind: 'entity',
      name: `${prefix}${key}`,
      policies: next(2) === 0 ? [] : [pick(next, ...policyKeys)],
      team: pick(next, ...teams),
    });
    for (const mount of mounts.filter(() => next(3) > 0)) {
      resources.set(`${key}-${mount}`, { kind: 'entityAlias', name: person, mount, entity: key });
    }
    const all = resources.get('all');
    if (all?.kind === 'group' && next(2) === 0) {
      resources.set('all', { ...all, members: [...all.members, key] });
    }
  }
}

/** Rules over few words, so that those of different policies meet. */
export function rulesOf(next: Random, world: World): Rule[] {
  return Array.from({ length: 1 + next(2) }, () => ruleOf(next, world));
}

export function ruleOf(next: Random, { prefix, words, hasLimits, hasTemplates }: World): Rule {
  const of = (group: string) => `{{identity.groups.names.${prefix}-${group}.metadata.team}}`;
  const templates = ['{{identity.entity.name}}', '{{identity.entity.metadata.team}}', of('one'), of('all')];
  const word = () =>
    hasTemplates && next(5) < 2
      ? `${pick(next, ...templates)}${pick(next, '', '', 'b')}`
      : pick(next, ...words, 'a', '+', '+');
  const path = Array.from({ length: 1 + next(2) }, word).join('/');
  const ending = next(7);
  const end = ending === 0 ? '/' : ending < 3 ? '/*' : ending === 3 && !/[+}]$/.test(path) ? '*' : '';
  const start = next(12) === 0 ? '+' : `${prefix}k`;
  const whole = next(10) === 0 ? `${prefix}k/*` : `${start}/${path}${end}`;
  return {
    path: whole,
    capabilities: pick(next, ...capabilities),
    ...(hasLimits && next(2) === 0 && { limits: pick(next, ...limits) }),
  };
}

export function textOf(rules: readonly Rule[]): string {
  const blocks = rules.map(({ path, capabilities: list, limits: more = '' }) =>
    [`path ${JSON.stringify(path)} {`, `  capabilities = ${JSON.stringify(list)}`, `  ${more}`, '}']
      .filter((line) => line.trim() !== '')
      .join('\n'),
  );
  return blocks.join('\n') || '# nothing';
}
