import { randomFrom } from '../../../../../../test/harness/random-policies.ts';
import { addCredentials, addGuard } from './credentials.ts';

export interface Rule {
  path: string;
  capabilities: string[];
  /** Attributes with limits, as a policy writes them. */
  limits?: string;
}

/** What a workspace declares. What refers to another resource has its key. */
export type Resource =
  | { kind: 'policy'; name: string; rules: Rule[] }
  | {
      kind: 'mount';
      path: string;
      type: 'jwt' | 'userpass' | 'approle';
      /** Whether it trusts the second key as well. */
      trustsSecond?: true;
      /** Whether it trusts the service's own identity tokens, and no key. */
      trustsService?: true;
      /** The most seconds that its tokens live. */
      longest?: number;
    }
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
      /** Seconds that its tokens live. Defaults to an hour. */
      seconds?: number;
    }
  /** Of userpass, or a role of AppRole: whether the service draws its id. */
  | { kind: 'user'; mount: string; name: string; policies: string[]; cidrs?: string[]; isDrawn?: true }
  /** Makes tokens with some of these policies. */
  | { kind: 'tokenRole'; name: string; policies: string[] }
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
  | { kind: 'entityAlias'; name: string; mount: string; entity: string; note?: string }
  /** A secret id of a role of AppRole, and a place below the world's mount that keeps it. */
  | { kind: 'secretId'; user: string }
  | { kind: 'place'; at: string; secretId: string }
  /** Hands out identity tokens of this audience, with this `org`. */
  | { kind: 'identityRole'; name: string; clientId: string; org?: string }
  /** Asks for a second factor, which nobody has. */
  | { kind: 'guard'; name: string; groups: string[]; entities: string[]; mounts: string[]; types: string[] };

export type Kind = Resource['kind'];
export type Of<K extends Kind> = Extract<Resource, { kind: K }>;
export type Resources = ReadonlyMap<string, Resource>;

/** A person or workload: the same name at every mount, and the claims that each provider gives. */
export interface Person {
  /** Two of one name have other claims. */
  label: string;
  name: string;
  claims: Record<string, Claims>;
}

export interface Claims {
  org?: string;
  groups: string[];
  /** Whether the second key signs them. */
  isSecond?: true;
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
  /** Whether roles and mounts say how long tokens live. */
  hasTimes: boolean;
  /** Whether what is read may sign in elsewhere. */
  hasCredentials: boolean;
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
export const people = ['p', 'q', 's'];
/** Addresses that nobody comes from, and all of them: people come from one. */
export const ranges = [['10.0.0.0/8'], ['0.0.0.0/0', '::/0']];
export const notes = ['a', 'ab'];
/** Seconds. */
export const times = [900, 1800];
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
  ['read'],
  ['read', 'list'],
  ['update'],
  ['read', 'update'],
  ['delete'],
  ['list', 'delete'],
  ['create', 'update'],
  ['read', 'update', 'delete', 'list'],
  ['deny'],
  ['deny'],
  [],
];

/** What rows of the table of edges need to matter. */
const needs = {
  hasTemplates: ['group metadata', 'entity metadata', 'role claimMappings', 'entityAlias customMetadata'],
  hasTimes: ['method tune', 'role ttl'],
  hasUsers: ['otherRole id', 'otherRole bounds', 'otherRole policies', 'keptCredential signsInBy'],
  isAppRole: ['otherRole id', 'otherRole bounds', 'keptCredential signsInBy'],
  hasTokenRole: ['otherRole allowedPolicies'],
  trustsSecond: ['method config'],
  hasCredentials: ['keptCredential signsInBy', 'identityTokenRole claims'],
  hasGuard: ['guard groups', 'guard entities', 'guard methods', 'guard types'],
};

/**
 * A random service: the same one for the same seed.
 *
 * @param row of the table of edges, which is to matter in it
 */
export function worldOf(seed: number, number: number, row?: string): World {
  const next = randomFrom(Math.imul(seed, 2_654_435_761));
  const has = (need: keyof typeof needs, oneOf: number) =>
    (row !== undefined && needs[need].includes(row)) || next(oneOf) === 0;
  const prefix = `w${number}`;
  const hasTemplates = has('hasTemplates', 4);
  const world: World = {
    number,
    prefix,
    resources: new Map(),
    own: new Set(),
    people: [],
    words: ['a', 'ab', ...(hasTemplates ? [`${prefix}e`] : [])],
    hasLimits: next(4) === 0,
    hasTemplates,
    hasTimes: has('hasTimes', 10),
    hasCredentials: has('hasCredentials', 6),
  };
  const resources = new Map<string, Resource>();
  for (const key of policyKeys) {
    resources.set(key, { kind: 'policy', name: `${prefix}-${key}`, rules: rulesOf(next, world) });
  }
  const mounts = next(2) === 0 ? ['j1'] : ['j1', 'j2'];
  for (const key of mounts) {
    resources.set(key, {
      kind: 'mount',
      path: `${prefix}${key}`,
      type: 'jwt',
      ...(has('trustsSecond', 10) && { trustsSecond: true }),
      ...(world.hasTimes && next(2) === 0 && { longest: pick(next, ...times) }),
    });
    for (const name of next(2) === 0 ? ['r'] : ['r', 't']) {
      resources.set(`${key}-${name}`, roleOf(next, world, key, name));
    }
  }
  const tokens = [...mounts];
  if (has('hasUsers', 2)) {
    mounts.push('u');
    const type = has('isAppRole', 2) ? 'approle' : 'userpass';
    resources.set('u', { kind: 'mount', path: `${prefix}u`, type });
    for (const name of some(next, people)) {
      const bounds = type === 'approle' && next(3) === 0 && { cidrs: pick(next, ...ranges) };
      const isDrawn = type === 'approle' &&
        (row === 'otherRole id' || next(3) === 0) && { isDrawn: true as const };
      const policies = some(next, policyKeys);
      resources.set(`u-${name}`, { kind: 'user', mount: 'u', name, policies, ...bounds, ...isDrawn });
    }
  }
  if (has('hasTokenRole', 8)) addTokenRole(next, prefix, resources);
  addGroups(next, prefix, tokens, resources);
  addEntities(next, prefix, mounts, resources);
  if (world.hasCredentials) addCredentials(next, prefix, resources);
  if (has('hasGuard', 8)) addGuard(next, prefix, resources);
  const share = 1 + next(4);
  const own = new Set([...resources.keys()].filter(() => next(5) < share));
  if (own.size === 0) own.add(pick(next, ...resources.keys()));
  // What keeps a credential has it from the plan that makes it.
  const kept = [...resources].filter(([, { kind }]) => kind === 'secretId' || kind === 'place');
  if (kept.some(([key]) => own.has(key))) for (const [key] of kept) own.add(key);
  return { ...world, resources, own };
}

/** Who has `p4` may make tokens. */
function addTokenRole(next: Random, prefix: string, resources: Map<string, Resource>): void {
  const maker = resources.get('p4');
  if (maker?.kind !== 'policy') return;
  const name = `${prefix}m`;
  const makes = { path: `auth/token/create/${name}`, capabilities: ['update'] };
  resources.set('p4', { ...maker, rules: [...maker.rules, makes] });
  resources.set('m', { kind: 'tokenRole', name, policies: next(5) === 0 ? [] : some(next, policyKeys) });
}

export function roleOf(next: Random, { hasTimes }: World, mount: string, name: string): Of<'role'> {
  return {
    kind: 'role',
    mount,
    name,
    policies: some(next, policyKeys),
    readsGroups: next(5) < 3,
    hasDefault: next(8) === 0,
    ...(next(4) === 0 && { subject: pick(next, 'p', 'q') }),
    ...(next(4) === 0 && { org: pick(next, 'x', 'y') }),
    ...(next(8) === 0 && { userClaim: 'uid' }),
    ...(next(4) === 0 && { mapsTeam: true }),
    ...(hasTimes && next(2) === 0 && { seconds: pick(next, ...times) }),
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
      ...(next(8) === 0 && { isDisabled: true }),
    });
    for (const mount of mounts.filter(() => next(3) > 0)) {
      resources.set(`${key}-${mount}`, {
        kind: 'entityAlias',
        name: aliasName(resources, mount, person),
        mount,
        entity: key,
        ...(next(3) === 0 && { note: pick(next, ...notes) }),
      });
    }
    const all = resources.get('all');
    if (all?.kind === 'group' && next(2) === 0) {
      resources.set('all', { ...all, members: [...all.members, key] });
    }
  }
}

/** What a role of AppRole calls who signs in: another name each time that it is made, if the service draws it. */
export function principalId({ name, isDrawn }: Of<'user'>, isAnew = false): string {
  return isDrawn ? `${name}-drawn${isAnew ? '-anew' : ''}` : name;
}

function aliasName(resources: Resources, mount: string, person: string): string {
  const user = resources.get(`${mount}-${person}`);
  return user?.kind === 'user' ? principalId(user) : person;
}

/** Rules over few words, so that those of different policies meet. */
export function rulesOf(next: Random, world: World): Rule[] {
  return Array.from({ length: 1 + next(2) }, () => ruleOf(next, world));
}

export function ruleOf(next: Random, { prefix, words, hasLimits, hasTemplates }: World): Rule {
  const of = (group: string) => `{{identity.groups.names.${prefix}-${group}.metadata.team}}`;
  const ofAlias = (what: string) => `{{identity.entity.aliases.acc-j1.${what}}}`;
  const templates = [
    '{{identity.entity.name}}',
    '{{identity.entity.metadata.team}}',
    of('one'),
    of('all'),
    ofAlias('metadata.team'),
    ofAlias('custom_metadata.note'),
  ];
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
  const blocks = rules.map(({ path, capabilities: list, limits = '' }) =>
    [`path ${JSON.stringify(path)} {`, `  capabilities = ${JSON.stringify(list)}`, `  ${limits}`, '}']
      .filter((line) => line.trim() !== '')
      .join('\n'),
  );
  return blocks.join('\n') || '# nothing';
}
