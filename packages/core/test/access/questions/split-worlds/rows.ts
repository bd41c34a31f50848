import type { WorldChange } from './change.ts';
import type { Of, Resource, Resources, Rule, World } from './world.ts';

/** A change of one attribute, in a service where it lets a person do more. */
interface RowWorld {
  /** What both workspaces have; keys of workspace A's own begin with `own:`, and are called without it. */
  resources: Record<string, Resource>;
  /** What A's resources become; absent: deleted. */
  becomes?: Record<string, Resource | undefined>;
  replaced?: string[];
  hasTemplates?: true;
  hasTimes?: true;
  /** Whether the second key signs what the person has. */
  isSecond?: true;
}

const at = (prefix: string, rest: string) => `${prefix}k/${rest}`;
const rule = (path: string, ...capabilities: string[]): Rule => ({ path, capabilities });

/** Worlds by the row of the table of edges that matters in them, each of a prefix. Who signs in is `p`, in group `g`. */
export const rowWorlds: Record<string, (prefix: string) => RowWorld> = Object.fromEntries(
  Object.entries(worlds()).map(([row, world]) => [row, (prefix: string) => world(new Parts(prefix))]),
);

/** What worlds are made of. */
class Parts {
  readonly prefix: string;
  constructor(prefix: string) {
    this.prefix = prefix;
  }

  get mount(): Of<'mount'> {
    return { kind: 'mount', path: `${this.prefix}j1`, type: 'jwt' };
  }
  get approle(): Of<'mount'> {
    return { kind: 'mount', path: `${this.prefix}u`, type: 'approle' };
  }
  role(fields: Partial<Of<'role'>> = {}): Of<'role'> {
    return {
      kind: 'role',
      mount: 'j1',
      name: 'r',
      policies: ['p0'],
      readsGroups: false,
      hasDefault: false,
      ...fields,
    };
  }
  user(fields: Partial<Of<'user'>> = {}): Of<'user'> {
    return { kind: 'user', mount: 'u', name: 'p', policies: ['p0'], ...fields };
  }
  maker(...policies: string[]): Of<'tokenRole'> {
    return { kind: 'tokenRole', name: `${this.prefix}m`, policies };
  }
  group(name: string, fields: Partial<Of<'group'>> = {}): Of<'group'> {
    return {
      kind: 'group',
      name: `${this.prefix}-${name}`,
      isExternal: name === 'one',
      policies: [],
      members: [],
      isAttached: false,
      team: 'a',
      ...fields,
    };
  }
  entity(fields: Partial<Of<'entity'>> = {}): Of<'entity'> {
    return { kind: 'entity', name: `${this.prefix}e`, policies: [], team: 'a', ...fields };
  }
  get alias(): Of<'groupAlias'> {
    return { kind: 'groupAlias', name: 'g', mount: 'j1', group: 'one' };
  }
  entityAlias(name = 'p'): Of<'entityAlias'> {
    return { kind: 'entityAlias', name, mount: 'j1', entity: 'e' };
  }
  policy(name: string, ...rules: Rule[]): Of<'policy'> {
    return { kind: 'policy', name: `${this.prefix}-${name}`, rules };
  }
  /** Reads everything. */
  get reads(): Of<'policy'> {
    return this.policy('p0', rule(at(this.prefix, '*'), 'read'));
  }
  get writes(): Of<'policy'> {
    return this.policy('p1', rule(at(this.prefix, '*'), 'update'));
  }
  get denies(): Of<'policy'> {
    return this.policy('p1', rule(at(this.prefix, 'a'), 'deny'));
  }
  /** Writes what a template is filled in with. */
  fills(template: string): Of<'policy'> {
    return this.policy('p1', rule(at(this.prefix, `{{identity.${template}}}`), 'update'));
  }
}

function worlds(): Record<string, (parts: Parts) => RowWorld> {
  const led = (parts: Parts) => ({ j1: parts.mount, r: parts.role({ readsGroups: true }), p0: parts.reads });
  const known = (parts: Parts) => ({ j1: parts.mount, r: parts.role(), p0: parts.reads });
  return {
    'method id': (parts) => ({
      resources: {
        'own:j1': parts.mount,
        'own:r': parts.role(),
        p0: parts.reads,
        p1: parts.denies,
        e: parts.entity({ policies: ['p1'] }),
        'e-j1': parts.entityAlias(),
      },
      replaced: ['j1', 'r'],
    }),
    'method config': (parts) => ({
      resources: { ...known(parts), 'own:j1': parts.mount },
      becomes: { j1: { ...parts.mount, trustsSecond: true } },
      isSecond: true,
    }),
    'method tune': (parts) => ({
      resources: { ...known(parts), 'own:j1': { ...parts.mount, longest: 900 } },
      becomes: { j1: { ...parts.mount, longest: 1800 } },
      hasTimes: true,
    }),
    'otherRole id': (parts) => ({
      resources: {
        u: parts.approle,
        p0: parts.reads,
        p1: parts.denies,
        'own:u-p': parts.user({ isDrawn: true }),
        e: parts.entity({ policies: ['p1'] }),
        'e-u': { ...parts.entityAlias('p-drawn'), mount: 'u' },
      },
      replaced: ['u-p'],
    }),
    'role groupsClaim': (parts) => ({
      resources: {
        ...led(parts),
        'own:r': parts.role(),
        p1: parts.writes,
        one: parts.group('one', { policies: ['p1'] }),
        'one-alias': parts.alias,
      },
      becomes: { r: parts.role({ readsGroups: true }) },
    }),
    'alias group': (parts) => ({
      resources: { ...led(parts), p1: parts.writes, one: parts.group('one', { policies: ['p1'] }) },
      becomes: { 'one-alias': parts.alias },
    }),
    'entityAlias entity': (parts) => ({
      resources: { ...known(parts), p1: parts.writes, e: parts.entity({ policies: ['p1'] }) },
      becomes: { 'e-j1': parts.entityAlias() },
    }),
    'entityAlias customMetadata': (parts) => ({
      resources: {
        ...known(parts),
        p1: parts.fills('entity.aliases.acc-j1.custom_metadata.note'),
        e: parts.entity({ policies: ['p1'] }),
        'own:e-j1': parts.entityAlias(),
      },
      becomes: { 'e-j1': { ...parts.entityAlias(), note: 'a' } },
      hasTemplates: true,
    }),
    'entity id': (parts) => ({
      resources: {
        ...known(parts),
        p1: parts.denies,
        'own:e': parts.entity({ policies: ['p1'] }),
        'e-j1': parts.entityAlias(),
      },
      replaced: ['e'],
    }),
    'entity members': (parts) => ({
      resources: {
        ...known(parts),
        p1: parts.writes,
        e: parts.entity(),
        'e-j1': parts.entityAlias(),
        'own:all': parts.group('all'),
        top: parts.group('top', { policies: ['p1'], members: ['all'] }),
      },
      becomes: { all: parts.group('all', { members: ['e'] }) },
    }),
    'group metadata': (parts) => ({
      resources: {
        ...led(parts),
        p1: parts.fills(`groups.names.${parts.prefix}-one.metadata.team`),
        'own:one': parts.group('one', { policies: ['p1'] }),
        'one-alias': parts.alias,
      },
      becomes: { one: parts.group('one', { policies: ['p1'], team: 'ab' }) },
      hasTemplates: true,
    }),
    'role bounds': (parts) => ({
      resources: { j1: parts.mount, p0: parts.reads, 'own:r': parts.role({ subject: 'q' }) },
      becomes: { r: parts.role() },
    }),
    'role ttl': (parts) => ({
      resources: { ...known(parts), 'own:r': parts.role({ seconds: 900 }) },
      becomes: { r: parts.role({ seconds: 1800 }) },
      hasTimes: true,
    }),
    'role policies': (parts) => ({
      resources: { ...known(parts), p1: parts.writes, 'own:r': parts.role() },
      becomes: { r: parts.role({ policies: ['p0', 'p1'] }) },
    }),
    'role userClaim': (parts) => ({
      resources: {
        ...known(parts),
        p1: parts.writes,
        'own:r': parts.role(),
        e: parts.entity({ policies: ['p1'] }),
        'e-j1': parts.entityAlias('q'),
      },
      becomes: { r: parts.role({ userClaim: 'uid' }) },
    }),
    'role claimMappings': (parts) => ({
      resources: {
        j1: parts.mount,
        p0: parts.reads,
        'own:r': parts.role({ policies: ['p1'] }),
        p1: parts.fills('entity.aliases.acc-j1.metadata.team'),
      },
      becomes: { r: parts.role({ policies: ['p1'], mapsTeam: true }) },
      hasTemplates: true,
    }),
    'otherRole bounds': (parts) => ({
      resources: { u: parts.approle, p0: parts.reads, 'own:u-p': parts.user({ cidrs: ['10.0.0.0/8'] }) },
      becomes: { 'u-p': parts.user({ cidrs: ['0.0.0.0/0'] }) },
    }),
    'otherRole policies': (parts) => ({
      resources: { u: parts.approle, p0: parts.reads, p1: parts.writes, 'own:u-p': parts.user() },
      becomes: { 'u-p': parts.user({ policies: ['p0', 'p1'] }) },
    }),
    'otherRole allowedPolicies': (parts) => ({
      resources: {
        ...known(parts),
        r: parts.role({ policies: ['p2'] }),
        p1: parts.writes,
        p2: parts.policy('p2', rule(`auth/token/create/${parts.prefix}m`, 'update')),
        'own:m': parts.maker('p0'),
      },
      becomes: { m: parts.maker('p0', 'p1') },
    }),
    'entity policies': (parts) => ({
      resources: { ...known(parts), p1: parts.writes, 'own:e': parts.entity(), 'e-j1': parts.entityAlias() },
      becomes: { e: parts.entity({ policies: ['p1'] }) },
    }),
    'entity disabled': (parts) => ({
      resources: {
        ...known(parts),
        'own:e': parts.entity({ isDisabled: true }),
        'e-j1': parts.entityAlias(),
      },
      becomes: { e: parts.entity() },
    }),
    'policy text': (parts) => ({
      resources: { ...known(parts), 'own:p0': parts.reads },
      becomes: { p0: parts.policy('p0', rule(at(parts.prefix, '*'), 'read', 'update')) },
    }),
  };
}

/** The world of a row, with its change. */
export function rowWorld(row: string, number: number): { world: World; change: WorldChange } {
  const prefix = `w${number}`;
  const drawn = rowWorlds[row]?.(prefix);
  if (drawn === undefined) throw new Error(`no world of ${row}`);
  const { becomes = {}, replaced = [], hasTemplates = false, hasTimes = false, isSecond } = drawn;
  const isOwn = (key: string) => key.startsWith('own:');
  const nameOf = (key: string) => key.replace('own:', '');
  const given = Object.entries(drawn.resources);
  const before: Resources = new Map(given.map(([key, one]) => [nameOf(key), one]));
  const after = new Map(before);
  for (const [key, one] of Object.entries(becomes)) {
    if (one === undefined) after.delete(key);
    else after.set(key, one);
  }
  const own = new Set([
    ...given.flatMap(([key]) => (isOwn(key) ? nameOf(key) : [])),
    ...Object.keys(becomes),
  ]);
  const world: World = {
    number,
    prefix,
    resources: before,
    own,
    words: ['a', 'ab'],
    hasLimits: false,
    hasCredentials: false,
    hasTemplates,
    hasTimes,
    people: [{ label: 'p', name: 'p', claims: { j1: { groups: ['g'], ...(isSecond && { isSecond }) } } }],
  };
  return { world, change: { before, after, replaced: new Set(replaced) } };
}
