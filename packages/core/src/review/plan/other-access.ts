import type { OtherAccess } from '../../graph/graph.ts';
import { credentials } from '../../graph/resources/credentials.ts';
import { guard } from '../../graph/resources/guards.ts';
import {
  boundsOf,
  entityAlias,
  given,
  namedIn,
  notedMetadata,
  otherMount,
  otherRole,
} from '../../graph/resources/other-access.ts';
import { listsOf } from '../../graph/resources/other-methods.ts';
import type { otherTypes } from '../../graph/resources/other-types.ts';
import { givingPolicies, policiesIn } from '../../graph/resources/policy.ts';
import { cleaned, isOfService } from '../../graph/resources/writes.ts';
import { isObject, objectIn } from '../../graph/values/json.ts';
import { textOf, textsOf, trimmed } from '../../graph/values/loose-values.ts';
import { partName, plainName } from '../../graph/values/visible.ts';
import type { Made } from './composed.ts';
import { type Identities, type Led, pathOf } from './identities.ts';
import type { PlannedResource, PlannedSide } from './planned-resource.ts';
import { type PlannedType, typeInPlan } from './resource-types.ts';

interface Given {
  planned: Pick<PlannedResource, 'type' | 'of' | 'address'>;
  side: PlannedSide;
  led: Led;
  identities: Identities;
  name: string | undefined;
  nameField: string;
}

/** Parts outside the lists of a graph that give access, take it, or add to the access of others. */
export function composedOther(
  planned: Given['planned'],
  side: PlannedSide,
  led: Led,
  identities: Identities,
): Made | undefined {
  const { addsTo, fields = {} } = typeInPlan(planned.type);
  if (!led.isWhole) return undefined;
  if (addsTo === undefined) {
    const { field: nameField, name } = namedIn(side.fields);
    const of = byType[planned.type as keyof typeof otherTypes];
    const entry = of?.({ planned, side, led, identities, name, nameField });
    if (entry?.identity === undefined) return undefined;
    const { identity, method: mount } = entry;
    const subject = { type: 'other' as const, name: entry.name };
    return {
      identity,
      subject,
      list: 'otherAccess',
      entry,
      ...(identity.type === 'otherRole' && { hangsOn: { mount } }),
    };
  }
  const { name = '' } = led.targets[addsTo] ?? {};
  const policies = policiesIn(side.fields, Object.keys(fields));
  const members = 'policies' in fields ? {} : { members: led.members };
  const entry = { kind: addsTo, name, policies, ...members, isAttached: true as const };
  const identity = { type: planned.type, name: planned.address };
  return { identity, subject: { type: addsTo, name }, list: 'identities', entry, isAdded: true };
}

const byType: Partial<Record<keyof typeof otherTypes, (given: Given) => OtherAccess | undefined>> = {
  backend({ planned: { of }, side }) {
    const type = textOf(side.fields['type']) ?? (of === 'auth backend' ? 'unknown' : of);
    const path = pathOf(side, type);
    return path === undefined ? undefined : otherMount(path, type, side.fields);
  },

  otherRole({ planned: { of }, side, identities, name }) {
    const [type, noun] = [of.slice(0, of.lastIndexOf(' ')), of.slice(of.lastIndexOf(' ') + 1)];
    const mount = mountIn('otherRole', side, identities, type);
    if (name === undefined || mount === undefined) return undefined;
    return otherRole({ type, mount, noun, name }, side.fields);
  },

  endpoint({ planned: { type, of, address }, side, identities }) {
    const { fields } = side;
    const madeMount = identities.madeMountIn(side, 'path');
    // Somewhere in a mount that this plan makes.
    const path = textOf(fields['path']) ?? (madeMount && `auth/${madeMount}/… (${address})`);
    if (path === undefined) return undefined;
    const data = fields['data_json'] ?? fields['data'];
    const name = cleaned(path) ?? trimmed(path);
    // The attributes of a resource of another type do not say what it writes there.
    const opaque = !of.startsWith('generic ') && { isOpaque: true as const };
    const role = isObject(data) ? roleAt(name, side, identities) : undefined;
    if (role !== undefined && isObject(data)) return { ...otherRole(role, data), ...opaque };
    // A user's password lets no one else in; the kind of mount is not in the plan.
    const isUser = isObject(data) && /^auth\/.+\/users\/[^/]+$/.test(name);
    const written = isUser ? Object.entries(data) : [];
    const isSecret = ([field]: [string, unknown]) => credentials.includes(field);
    const { bounds } = boundsOf({
      ...Object.fromEntries(written.filter(isSecret)),
      data: isUser ? Object.fromEntries(written.filter((one) => !isSecret(one))) : data,
    });
    const policies = isObject(data) ? policiesIn(data, givingPolicies) : [];
    // Principals named there can sign in. Anything else may as well be a denial, a limit or a second factor.
    const isOtherRole = madeMount !== undefined || /^auth\/.+\/(?:role|user|cert)s?\/[^/]+$/.test(name);
    const isOpaque = policies.length === 0 && isOfService(name);
    const rest = { policies, bounds, ...(isOpaque && { isOpaque: true as const }), ...opaque };
    return given({ type, name }, `write to ${name}`, isOtherRole ? 'gives' : 'either', rest);
  },

  secretId({ planned: { type, address }, side, identities }) {
    const { fields } = side;
    const mount = mountIn('secretId', side, identities, 'approle');
    const role = textOf(fields['role_name']);
    if (mount === undefined || role === undefined) return undefined;
    const words = `secret id of ${partName('role', mount, role)} (approle)`;
    const { drawn = [] } = typeInPlan(type);
    const { bounds } = boundsOf(fields, ['role_name', 'backend', ...drawn]);
    const metadata = signInMetadata(side);
    return given({ type, name: address }, words, 'gives', { bounds, ...(metadata && { metadata }) });
  },

  configuration({ planned: { type, of }, side, identities }) {
    const { fields } = side;
    const [kind = '', ...part] = of.replace('config ', '').split(' ');
    const mount = mountIn('configuration', side, identities, kind);
    if (mount === undefined) return undefined;
    // AWS has several of them, some by an account or a name.
    const own = textOf(fields['account_id']) ?? textOf(fields['cert_name']);
    const name = [...part, 'configuration', ...(own === undefined ? [] : [plainName(own)])].join(' ');
    const { lookedAt = [] } = typeInPlan(type);
    const { bounds } = boundsOf(fields, ['path', 'backend', ...lookedAt]);
    return given({ type, mount, name }, `${name} of method ${mount} (${kind})`, 'gives', {
      bounds,
      ...notedMetadata(fields),
    });
  },

  token({ planned: { type, address }, side: { fields } }) {
    const words = `token ${JSON.stringify(textOf(fields['display_name']) ?? address)}`;
    const rest = { ...boundsOf(fields, ['name']), policies: policiesIn(fields, ['policies']), bounds: {} };
    return given({ type, name: address }, words, 'gives', rest);
  },

  entityAlias({ led: { targets }, name }) {
    return name === undefined
      ? undefined
      : entityAlias(name, targets.mount?.name ?? '', targets.entity?.name ?? '');
  },

  guard({ planned: { of, address }, side, led: { members, mounts: methods }, name, nameField }) {
    const named = (kind: 'group' | 'entity') => members.flatMap((one) => (one.kind === kind ? one.name : []));
    const types = textsOf(side.fields['auth_method_types']);
    const targets = { groups: named('group'), entities: named('entity'), methods, types };
    return guard(of, name ?? address, side.fields, nameField, targets);
  },
};

/** What a secret id says of who signs in by it; the service draws an empty one where none is given. */
function signInMetadata({ fields, unknown, references }: PlannedSide): OtherAccess['metadata'] {
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
  const field = typeInPlan(type).at?.find((one) => one in side.fields || side.unknown.includes(one));
  return field === undefined ? byDefault : identities.pathIn(side, field);
}

/** The role, user or group of another auth method that a path is of, where the type of its mount is known. */
function roleAt(path: string, side: PlannedSide, identities: Identities) {
  const segments = path.split('/');
  const name = segments.at(-1) ?? '';
  for (let end = 2; end < segments.length - 1; end += 1) {
    const mount = segments.slice(1, end).join('/');
    const type = segments[0] === 'auth' ? identities.kindOf(side, mount) : undefined;
    const at = segments.slice(end, -1).join('/');
    const list = listsOf(type ?? '')?.find(({ path: listed, read = listed }) => read === at);
    if (type !== undefined && list !== undefined) return { type, mount, noun: list.noun, name };
  }
  return undefined;
}
