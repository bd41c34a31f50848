import { canonicalPolicyNames } from '../../model/resources/policy.ts';
import type { Holder, OtherAccess, State, StateList } from '../../model/state.ts';
import type { Subject } from '../../model/subject.ts';
import { nameKey, policyKey } from '../../model/values/name-key.ts';
import { givingPolicies, holdsHidden } from './hidden-values.ts';
import { type Identities, pathOf, type Reference, trimmed, type When } from './identities.ts';
import { messageOf, methodOf, policyTextOf, roleOf, textMap, textOf, textsOf } from './model-of.ts';
import type { Fields, PlannedResource, PlannedSide } from './planned-resource.ts';

/** One entry of a state, with the list that it belongs to. */
export type Part = {
  [List in StateList]: { list: List; entry: Required<State>[List][number] };
}[StateList];

/** What a resource comes to on one side. */
export interface Composed {
  /** What it is on the service: two resources with the same key write the same thing. */
  key: string;
  subject: Subject;
  part: Part;
  /** Path of the mount that it hangs on, and goes with. */
  mount?: string;
  /** Name of the group that it hangs on, and goes with. */
  group?: string;
  /** Name of the entity that it hangs on, and goes with. */
  entity?: string;
  /** What it refers to and the plan does not tell; it cannot be judged when it changes. */
  open: Subject[];
  /** What it is beside that. */
  more?: Part;
}

/** @returns undefined where the plan does not tell what it is */
export function composed(
  resource: Pick<PlannedResource, 'type' | 'of' | 'address'>,
  side: PlannedSide,
  when: When,
  identities: Identities,
): Composed | undefined {
  const { type, address } = resource;
  const { fields } = side;
  const name = textOf(fields['name']);
  const make = (key: string[], subject: Subject, part: Part, rest: Partial<Composed> = {}): Composed => ({
    key: JSON.stringify(key),
    subject,
    part,
    open: [],
    ...rest,
  });
  switch (type) {
    case 'method': {
      const path = pathOf(side, 'jwt');
      if (path === undefined) return undefined;
      return make(['mount', path], { type, name: path }, { list: 'methods', entry: methodOf(path, fields) });
    }
    case 'role': {
      const role = textOf(fields['role_name'])?.toLowerCase();
      const method = mountOf(side, ['backend'], 'jwt', identities);
      if (role === undefined || method === undefined) return undefined;
      const part: Part = { list: 'roles', entry: roleOf(method, role, fields) };
      return make(['role', method, role], { type, name: role, method }, part, { mount: method });
    }
    case 'group': {
      if (name === undefined) return undefined;
      if (side.unknown.includes('type')) return undefined;
      if (fields['type'] !== 'external') return internalGroup(side, name, when, identities, make);
      const metadata = textMap(fields['metadata']);
      const entry = { name, policies: policiesOf(fields, 'policies'), ...(metadata && { metadata }) };
      const subject: Subject = { type, name };
      const { members, open } = membersOf(side, subject, when, identities);
      const inner: Holder = { kind: 'group', name, policies: [], members };
      const rest =
        members.length === 0 ? { open } : { open, more: { list: 'holders', entry: inner } as const };
      return make(['group', nameKey(name)], subject, { list: 'groups', entry }, rest);
    }
    case 'alias':
      return alias(side, name, address, when, identities, make);
    case 'policy': {
      const policy = name === undefined ? undefined : policyKey(name);
      if (policy === undefined) return undefined;
      const entry = { name: policy, text: policyTextOf(fields) };
      return make(['policy', policy], { type, name: policy }, { list: 'policies', entry });
    }
    case 'message': {
      const title = textOf(fields['title']);
      if (title === undefined) return undefined;
      // Several may have one title.
      return make(
        ['message', address],
        { type, name: title },
        { list: 'messages', entry: messageOf(fields) },
      );
    }
    case 'groupPolicies':
    case 'groupMembers': {
      const group = identities.referred(side, 'group_id', 'group', when);
      if (group === undefined) return undefined;
      const subject: Subject = { type: 'group', name: group.name };
      const { members, open } = membersOf(side, subject, when, identities);
      const entry: Holder = {
        kind: 'group',
        name: group.name,
        policies: type === 'groupPolicies' ? policiesOf(fields, 'policies') : [],
        ...(type === 'groupMembers' ? { members } : {}),
      };
      return make(
        ['holder', address],
        subject,
        { list: 'holders', entry },
        { group: group.name, open: [...open, ...policiesElsewhere(group, 'group')] },
      );
    }
    case 'entity': {
      if (name === undefined) return undefined;
      const isDisabled = fields['disabled'] === true;
      const policies = isDisabled ? [] : policiesOf(fields, 'policies');
      const entry: Holder = { kind: 'entity', name, policies };
      const words = `disabling of entity ${JSON.stringify(name)}`;
      const more: Part = {
        list: 'others',
        entry: { name: words, effect: 'takes', policies: [], bounds: {} },
      };
      const rest = isDisabled || holdsHidden(fields['disabled']) ? { more } : {};
      return make(['entity', name], { type: 'entity', name }, { list: 'holders', entry }, rest);
    }
    case 'entityPolicies': {
      const entity = identities.referred(side, 'entity_id', 'entity', when);
      if (entity === undefined) return undefined;
      const entry: Holder = { kind: 'entity', name: entity.name, policies: policiesOf(fields, 'policies') };
      const subject: Subject = { type: 'entity', name: entity.name };
      const open = policiesElsewhere(entity, 'entity');
      return make(['holder', address], subject, { list: 'holders', entry }, { entity: entity.name, open });
    }
    case 'inert':
      return undefined;
    default:
      return other(resource, side, when, identities, make);
  }
}

/** Of what the plan knows by its id alone: nobody can say which policies it has. */
function policiesElsewhere({ name, isKnown }: Reference, type: 'group' | 'entity'): Subject[] {
  return isKnown ? [] : [{ type, name, field: 'policies' }];
}

type Make = (key: string[], subject: Subject, part: Part, rest?: Partial<Composed>) => Composed;

function internalGroup(
  side: PlannedSide,
  name: string,
  when: When,
  identities: Identities,
  make: Make,
): Composed {
  const subject: Subject = { type: 'group', name };
  const { members, open } = membersOf(side, subject, when, identities);
  const policies = policiesOf(side.fields, 'policies');
  const entry: Holder = { kind: 'group', name, policies, members };
  return make(['group', nameKey(name)], subject, { list: 'holders', entry }, { open });
}

function membersOf(side: PlannedSide, subject: Subject, when: When, identities: Identities) {
  const members: NonNullable<Holder['members']> = [];
  const open: Subject[] = [];
  for (const kind of ['group', 'entity'] as const) {
    const found = identities.allReferred(side, `member_${kind}_ids`, kind, when);
    if (found === undefined) open.push({ ...subject, field: 'members' });
    else members.push(...found.map(({ name }) => ({ kind, name })));
  }
  return { members, open };
}

function alias(
  side: PlannedSide,
  name: string | undefined,
  address: string,
  when: When,
  identities: Identities,
  make: Make,
): Composed | undefined {
  const [mount, to] = [
    identities.referred(side, 'mount_accessor', 'mount', when),
    identities.referred(side, 'canonical_id', 'group', when),
  ];
  if (name === undefined) return undefined;
  const declared =
    mount !== undefined && to !== undefined
      ? undefined
      : identities.declaredAlias(name, address, { method: mount?.name, group: to?.name });
  const [method, group] = [mount?.name ?? declared?.method, to?.name ?? declared?.group];
  if (method === undefined || group === undefined) return undefined;
  const subject: Subject = { type: 'alias', name, method };
  const kind = identities.kindOf(side, method);
  const open: Subject[] = [
    // Who is in the group is decided by roles that are not in the plan.
    ...(kind === 'method' || declared !== undefined ? [] : [{ ...subject, field: 'method' }]),
    ...(to === undefined ? [] : policiesElsewhere(to, 'group')),
  ];
  const key = ['alias', method, nameKey(name)];
  const rest = { mount: method, group, open };
  if (kind === undefined || ['method', 'jwt', 'oidc'].includes(kind)) {
    return make(key, subject, { list: 'aliases', entry: { name, method, group } }, rest);
  }
  // Other kinds of auth method know the groups of a person without a role that reads them.
  const words = `alias ${JSON.stringify(name)} of auth/${method} (${kind}) for group ${JSON.stringify(group)}`;
  const entry: OtherAccess = {
    name: words,
    effect: 'gives',
    policies: [],
    method,
    unites: true,
    group,
    bounds: {},
  };
  const known = open.filter(({ type }) => type !== 'alias');
  return make(key, { type: 'other', name: words }, { list: 'others', entry }, { ...rest, open: known });
}

/** What is not declared and still gives access, or takes it. */
function other(
  { type, of, address }: Pick<PlannedResource, 'type' | 'of' | 'address'>,
  side: PlannedSide,
  when: When,
  identities: Identities,
  make: Make,
): Composed | undefined {
  const { fields } = side;
  const nameField = nameFields.find((field) => textOf(fields[field]) !== undefined) ?? 'name';
  const name = textOf(fields[nameField]);
  const given = (words: string, effect: OtherAccess['effect'], rest: Partial<OtherAccess> = {}): Part => {
    const { bounds, lifetime } = boundsOf(
      fields,
      type === 'backend' ? ['path'] : [nameField, ...(type === 'way' ? ofWay : [])],
    );
    const entry = { name: words, effect, policies: [], bounds, ...rest };
    return { list: 'others', entry: Object.keys(lifetime).length === 0 ? entry : { ...entry, lifetime } };
  };
  const subject = (words: string): Subject => ({ type: 'other', name: words });
  switch (type) {
    case 'backend': {
      const kind = textOf(fields['type']) ?? (of === 'auth backend' ? 'unknown' : of);
      const path = pathOf(side, kind);
      if (path === undefined) return undefined;
      const words = `auth/${path} (${kind})`;
      return make(['mount', path], subject(words), given(words, 'gives'));
    }
    case 'way': {
      const [kind, noun] = [of.slice(0, of.lastIndexOf(' ')), of.slice(of.lastIndexOf(' ') + 1)];
      const mount = mountOf(side, ['backend', 'path', 'mount'], kind, identities);
      if (name === undefined || mount === undefined) return undefined;
      const words = `${noun} ${JSON.stringify(name)} of auth/${mount} (${kind})`;
      const policies = policiesOf(fields, ...givingPolicies);
      const isOpaque =
        kind === 'token' && (policies.length === 0 || !isUnset(fields['allowed_policies_glob']));
      // A person has the policies of all groups of a directory, and of the user; a token has those of one role.
      const unites = noun === 'role' ? {} : { unites: true as const };
      const part = given(words, 'gives', {
        policies,
        method: mount,
        ...unites,
        ...(isOpaque && { isOpaque: true as const }),
      });
      return make(['way', mount, noun, name], subject(words), part, { mount });
    }
    case 'endpoint': {
      const path = textOf(fields['path']);
      if (path === undefined) return undefined;
      const words = `write to ${trimmed(path)}`;
      const { bounds } = boundsOf({ data: fields['data_json'] ?? fields['data'] });
      // Whoever is named there signs in. Anything else may as well be a denial, a limit or a second factor.
      const isWayIn = /^auth\/.+\/(?:role|user|cert)s?\/[^/]+$/.test(trimmed(path));
      const data = fields['data_json'] ?? fields['data'];
      const policies = isFields(data) ? policiesOf(data, ...givingPolicies) : [];
      const isOpaque = policies.length === 0 && /^(?:auth|identity|sys)\//.test(trimmed(path));
      const part = given(words, isWayIn ? 'gives' : 'either', {
        policies,
        bounds,
        lifetime: undefined,
        ...(isOpaque && { isOpaque: true as const }),
      });
      return make(['endpoint', trimmed(path)], subject(words), part);
    }
    case 'token': {
      const words = `token ${JSON.stringify(textOf(fields['display_name']) ?? address)}`;
      const policies = policiesOf(fields, 'policies');
      return make(['token', address], subject(words), given(words, 'gives', { policies, bounds: {} }));
    }
    case 'entityAlias': {
      const mount = identities.referred(side, 'mount_accessor', 'mount', when);
      const entity = identities.referred(side, 'canonical_id', 'entity', when);
      if (name === undefined || mount === undefined || entity === undefined) return undefined;
      const words = `alias ${JSON.stringify(name)} of auth/${mount.name} for entity ${JSON.stringify(entity.name)}`;
      const open = policiesElsewhere(entity, 'entity');
      return make(
        ['entityAlias', mount.name, name],
        subject(words),
        given(words, 'gives', {
          method: mount.name,
          unites: true,
          entity: entity.name,
          bounds: {},
          lifetime: undefined,
        }),
        { mount: mount.name, entity: entity.name, open },
      );
    }
    default: {
      const words = `${of} ${JSON.stringify(name ?? address)}`;
      return make(['guard', of, name ?? address], subject(words), given(words, 'takes'));
    }
  }
}

const nameFields = ['role_name', 'name', 'role', 'username', 'groupname', 'group_name', 'user', 'team'];

/** The service's own. */
const own = ['id', 'namespace', 'accessor', 'description', 'local', 'disable_remount'];
/** Where a way in is, and what is judged by itself. Of what takes access, such fields say from whom. */
const ofWay = ['backend', 'path', 'mount', ...givingPolicies];

function boundsOf(fields: Fields, besides: string[] = []): { bounds: Fields; lifetime: Fields } {
  const [bounds, lifetime]: [Fields, Fields] = [{}, {}];
  for (const [name, value] of Object.entries(fields)) {
    if (own.includes(name) || besides.includes(name) || isUnset(value)) continue;
    const isTime = /(?:^|_)(?:ttl|period|num_uses|renewable)$|^token_type$|^tune$/.test(name);
    (isTime ? lifetime : bounds)[name] = isTexts(value) ? value.toSorted() : value;
  }
  return { bounds, lifetime };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isUnset(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false || value === 0) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function mountOf(
  side: PlannedSide,
  fields: string[],
  byDefault: string,
  identities: Identities,
): string | undefined {
  const field = fields.find((one) => one in side.fields || side.unknown.includes(one));
  if (field === undefined) return byDefault;
  const path = textOf(side.fields[field]);
  return path === undefined ? identities.referredPath(side, field) : trimmed(path);
}

/** Names of policies as services compare them. */
function policiesOf(fields: Fields, ...names: string[]): string[] {
  return [...new Set(names.flatMap((name) => canonicalPolicyNames(textsOf(fields[name]))))];
}
