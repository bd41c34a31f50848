import { boundsOf, type NotedMetadata, namedIn, notedMetadata } from '../../graph/nodes/bounds.ts';
import { guard } from '../../graph/nodes/guard.ts';
import { entityAlias } from '../../graph/nodes/other-alias.ts';
import { otherMethod } from '../../graph/nodes/other-method.ts';
import { identityOf, type OtherNode } from '../../graph/nodes/other-node.ts';
import { type OtherRoleAt, otherRole } from '../../graph/nodes/other-role.ts';
import { plannedToken } from '../../graph/nodes/tokens.ts';
import { credentials } from '../../graph/resources/credentials.ts';
import { isPrincipalPath, listInWords } from '../../graph/resources/method-lists.ts';
import { listsOf } from '../../graph/resources/other-methods.ts';
import type { otherTypes } from '../../graph/resources/other-types.ts';
import { givingPolicies, policiesIn } from '../../graph/resources/policy.ts';
import { cleaned, isOfService } from '../../graph/resources/writes.ts';
import { isObject, objectIn } from '../../graph/values/json.ts';
import { textOf, textsOf, trimmed } from '../../graph/values/loose-values.ts';
import { plainName } from '../../graph/values/visible.ts';
import { type Identities, type LedSide, pathOf, targetNames } from './identities.ts';
import { type OwnerType, otherSubject, type PlanNode, planNode } from './plan-node.ts';
import type { PlannedSide } from './planned-resource.ts';
import { type PlannedType, typeInPlan } from './resource-types.ts';

interface OtherSide extends LedSide {
  name: string | undefined;
  nameField: string;
}

/** A node outside the lists of a graph, that gives access, takes it, or adds to the access of others. */
export function otherNodeOf(at: LedSide): PlanNode | undefined {
  const { resource, side, led } = at;
  if (!led.isWhole) return undefined;
  const { addsTo } = typeInPlan(resource.type);
  if (addsTo !== undefined) return addedNode(addsTo, at);
  const { field: nameField, name } = namedIn(side.fields);
  const entry = byType[resource.type as keyof typeof otherTypes]?.({ ...at, name, nameField });
  if (entry === undefined) return undefined;
  return planNode({
    identity: identityOf(entry),
    subject: otherSubject(entry),
    list: 'others',
    entry,
    hangsOn: entry.kind === 'otherRole' ? { mount: entry.method } : targetNames(led),
  });
}

/** What is attached to a group or an entity that has a resource of its own. */
function addedNode(to: OwnerType, { resource, side, led }: LedSide): PlanNode {
  const { fields = {} } = typeInPlan(resource.type);
  const { name = '' } = led.targets[to] ?? {};
  const policies = policiesIn(side.fields, Object.keys(fields));
  const members = 'policies' in fields ? {} : { members: led.members };
  return planNode({
    identity: { type: resource.type, name: resource.address },
    subject: { type: to, name },
    list: 'identities',
    entry: { kind: to, name, policies, ...members, isAttached: true },
    hangsOn: targetNames(led),
    isAdded: true,
  });
}

const byType: Partial<Record<keyof typeof otherTypes, (at: OtherSide) => OtherNode | undefined>> = {
  backend({ resource: { of }, side }) {
    const type = textOf(side.fields['type']) ?? (of === 'auth backend' ? 'unknown' : of);
    const path = pathOf(side, type);
    return path === undefined ? undefined : otherMethod(path, type, side.fields);
  },

  otherRole({ resource: { of }, side, identities, name }) {
    const { type, noun } = listInWords(of);
    const method = mountIn('otherRole', side, identities, type);
    if (name === undefined || method === undefined || noun === undefined) return undefined;
    return otherRole({ type, method, noun, name }, side.fields);
  },

  endpoint({ resource: { of, address }, side, identities }) {
    const { fields } = side;
    const madeMount = identities.madeMountIn(side, 'path');
    // Somewhere in a mount that this plan makes.
    const path = textOf(fields['path']) ?? (madeMount && `auth/${madeMount}/… (${address})`);
    if (path === undefined) return undefined;
    const data = fields['data_json'] ?? fields['data'];
    const cleanPath = cleaned(path) ?? trimmed(path);
    // The attributes of a resource of another type do not say what it writes there.
    const opaque = !of.startsWith('generic ') && { isOpaque: true as const };
    const role = isObject(data) ? roleAt(cleanPath, side, identities) : undefined;
    if (role !== undefined && isObject(data)) return { ...otherRole(role, data), ...opaque };
    // A user's password lets no one else in; the kind of mount is not in the plan.
    const isUser = isObject(data) && /^auth\/.+\/users\/[^/]+$/.test(cleanPath);
    const written = isUser ? Object.entries(data) : [];
    const isSecret = ([field]: [string, unknown]) => credentials.includes(field);
    const { bounds } = boundsOf({
      ...Object.fromEntries(written.filter(isSecret)),
      data: isUser ? Object.fromEntries(written.filter((field) => !isSecret(field))) : data,
    });
    const policies = isObject(data) ? policiesIn(data, givingPolicies) : [];
    // Principals named there can sign in. Anything else may as well be a denial, a limit or a second factor.
    const isOtherRole = madeMount !== undefined || isPrincipalPath(cleanPath);
    const isUnknown = policies.length === 0 && isOfService(cleanPath);
    return {
      kind: 'write',
      path: cleanPath,
      policies,
      bounds,
      effect: isOtherRole ? 'gives' : 'either',
      ...(isUnknown && { isOpaque: true as const }),
      ...opaque,
    };
  },

  secretId({ resource: { type, address }, side, identities }) {
    const { fields } = side;
    const method = mountIn('secretId', side, identities, 'approle');
    const role = textOf(fields['role_name']);
    if (method === undefined || role === undefined) return undefined;
    const { drawn = [] } = typeInPlan(type);
    const { bounds } = boundsOf(fields, ['role_name', 'backend', ...drawn]);
    const metadata = signInMetadata(side);
    return { kind: 'secretId', method, role, address, bounds, ...(metadata && { metadata }) };
  },

  configuration({ resource: { type, of }, side, identities }) {
    const { fields } = side;
    const [kind = '', ...part] = of.replace('config ', '').split(' ');
    const method = mountIn('configuration', side, identities, kind);
    if (method === undefined) return undefined;
    // AWS has several of them, some by an account or a name.
    const own = textOf(fields['account_id']) ?? textOf(fields['cert_name']);
    const { lookedAt = [] } = typeInPlan(type);
    const { bounds } = boundsOf(fields, ['path', 'backend', ...lookedAt]);
    return {
      kind: 'configuration',
      method,
      type: kind,
      part: [...part, 'configuration', ...(own === undefined ? [] : [plainName(own)])].join(' '),
      bounds,
      ...notedMetadata(fields),
    };
  },

  token({ resource: { address }, side: { fields } }) {
    return plannedToken(textOf(fields['display_name']) ?? address, address, fields);
  },

  entityAlias({ led: { targets }, name }) {
    return name === undefined
      ? undefined
      : entityAlias(name, targets.mount?.name ?? '', targets.entity?.name ?? '');
  },

  guard({ resource: { of, address }, side, led: { members, mounts: methods }, name, nameField }) {
    const named = (kind: 'group' | 'entity') =>
      members.flatMap((member) => (member.kind === kind ? member.name : []));
    const types = textsOf(side.fields['auth_method_types']);
    const targets = { groups: named('group'), entities: named('entity'), methods, types };
    return guard(of, name ?? address, side.fields, nameField, targets);
  },
};

/** What a secret id says of who signs in by it; the service draws an empty one where none is given. */
function signInMetadata({ fields, unknown, references }: PlannedSide): NotedMetadata['metadata'] {
  const isGivenLater = unknown.includes('metadata') && (references['metadata'] ?? []).length > 0;
  if (isGivenLater) return { '': 'known after apply' };
  const text = textOf(fields['metadata']);
  if (text === undefined) return undefined;
  // A text that is no JSON may set any field.
  const metadata = objectIn(text) ?? { '': text };
  const entries = Object.entries(metadata).map(([name, value]) => [name, String(value)]);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** The path of its mount, in the first of the fields that is given; undefined where the plan does not tell. */
function mountIn(type: PlannedType, side: PlannedSide, identities: Identities, byDefault: string) {
  const field = typeInPlan(type).at?.find((name) => name in side.fields || side.unknown.includes(name));
  return field === undefined ? byDefault : identities.pathIn(side, field);
}

/** The role, user or group of another auth method that a path is of, where the type of its mount is known. */
function roleAt(path: string, side: PlannedSide, identities: Identities): OtherRoleAt | undefined {
  const segments = path.split('/');
  const name = segments.at(-1) ?? '';
  for (let end = 2; end < segments.length - 1; end += 1) {
    const method = segments.slice(1, end).join('/');
    const type = segments[0] === 'auth' ? identities.kindOf(side, method) : undefined;
    const at = segments.slice(end, -1).join('/');
    const list = listsOf(type ?? '')?.find(({ path: listed, read = listed }) => read === at);
    if (type !== undefined && list !== undefined) return { type, method, noun: list.noun, name };
  }
  return undefined;
}
