import type { OtherAccess } from '../../model/graph.ts';
import type { otherTypes } from '../../model/resources/other-types.ts';
import { policiesIn } from '../../model/resources/policy.ts';
import { isObject } from '../../model/values/json.ts';
import { textOf, trimmed } from '../../model/values/loose-values.ts';
import type { Identity, Made } from './composed-part.ts';
import { givingPolicies } from './hidden-values.ts';
import { type Identities, type Led, pathOf } from './identities.ts';
import { isTexts, isUnset } from './json-parts.ts';
import type { Fields, PlannedResource, PlannedSide } from './planned-resource.ts';
import { typeInPlan } from './resource-types.ts';

interface Given {
  planned: Pick<PlannedResource, 'type' | 'of' | 'address'>;
  side: PlannedSide;
  led: Led;
  identities: Identities;
  name: string | undefined;
  nameField: string;
}

/** What no list of a graph is of, and still gives access, takes it, or adds to what another one has. */
export function composedOther(
  planned: Given['planned'],
  side: PlannedSide,
  led: Led,
  identities: Identities,
): Made | undefined {
  const { addsTo, fields = {} } = typeInPlan(planned.type);
  if (!led.isWhole) return undefined;
  if (addsTo === undefined) {
    const nameField = nameFields.find((field) => textOf(side.fields[field]) !== undefined) ?? 'name';
    const named = { name: textOf(side.fields[nameField]), nameField };
    return byType[planned.type as keyof typeof otherTypes]?.({ planned, side, led, identities, ...named });
  }
  const { name = '' } = led.on[addsTo] ?? {};
  const policies = policiesIn(side.fields, ...Object.keys(fields));
  const entry = { kind: addsTo, name, policies, ...('policies' in fields ? {} : { members: led.members }) };
  const identity = { type: planned.type, name: planned.address };
  return { identity, subject: { type: addsTo, name }, list: 'holders', entry, isAdded: true };
}

const byType: Partial<Record<keyof typeof otherTypes, (given: Given) => Made | undefined>> = {
  backend({ planned: { of }, side }) {
    const kind = textOf(side.fields['type']) ?? (of === 'auth backend' ? 'unknown' : of);
    const path = pathOf(side, kind);
    if (path === undefined) return undefined;
    const bounds = boundsOf(side.fields, ['path']);
    return given({ type: 'mount', name: path }, `auth/${path} (${kind})`, 'gives', bounds);
  },

  way({ planned: { type, of }, side, identities, name, nameField }) {
    const [kind, noun] = [of.slice(0, of.lastIndexOf(' ')), of.slice(of.lastIndexOf(' ') + 1)];
    const field = ['backend', 'path', 'mount'].find(
      (one) => one in side.fields || side.unknown.includes(one),
    );
    const mount = field === undefined ? kind : identities.pathIn(side, field);
    if (name === undefined || mount === undefined) return undefined;
    const words = `${noun} ${JSON.stringify(name)} of auth/${mount} (${kind})`;
    const policies = policiesIn(side.fields, ...givingPolicies);
    const isOpen = policies.length === 0 || !isUnset(side.fields['allowed_policies_glob']);
    const rest = {
      ...boundsOf(side.fields, [nameField, ...ofWay]),
      ...{ policies, method: mount },
      // A person has the policies of all groups of a directory, and of the user; a token has those of one role.
      ...(noun !== 'role' && { unites: true as const }),
      ...(kind === 'token' && isOpen && { isOpaque: true as const }),
    };
    return { ...given({ type, mount, name: `${noun} ${name}` }, words, 'gives', rest), on: { mount } };
  },

  endpoint({ planned: { type }, side: { fields } }) {
    const path = textOf(fields['path']);
    if (path === undefined) return undefined;
    const data = fields['data_json'] ?? fields['data'];
    const { bounds } = boundsOf({ data });
    const policies = isObject(data) ? policiesIn(data, ...givingPolicies) : [];
    // Principals named there can sign in. Anything else may as well be a denial, a limit or a second factor.
    const isWayIn = /^auth\/.+\/(?:role|user|cert)s?\/[^/]+$/.test(trimmed(path));
    const name = trimmed(path);
    const isOpaque = policies.length === 0 && /^(?:auth|identity|sys)\//.test(name);
    const rest = { policies, bounds, ...(isOpaque && { isOpaque: true as const }) };
    return given({ type, name }, `write to ${name}`, isWayIn ? 'gives' : 'either', rest);
  },

  token({ planned: { type, address }, side: { fields } }) {
    const words = `token ${JSON.stringify(textOf(fields['display_name']) ?? address)}`;
    const rest = { ...boundsOf(fields, ['name']), policies: policiesIn(fields, 'policies'), bounds: {} };
    return given({ type, name: address }, words, 'gives', rest);
  },

  entityAlias({ planned: { type }, led: { on }, name }) {
    const [mount = '', entity = ''] = [on.mount?.name, on.entity?.name];
    if (name === undefined) return undefined;
    const words = `alias ${JSON.stringify(name)} of auth/${mount} for entity ${JSON.stringify(entity)}`;
    return given({ type, mount, name }, words, 'gives', { method: mount, unites: true, entity, bounds: {} });
  },

  guard({ planned: { type, of, address }, side, name, nameField }) {
    const identity = { type, name: `${of} ${name ?? address}` };
    const words = `${of} ${JSON.stringify(name ?? address)}`;
    return given(identity, words, 'takes', boundsOf(side.fields, [nameField]));
  },
};

function given(
  identity: Identity,
  name: string,
  effect: OtherAccess['effect'],
  rest: Partial<OtherAccess> & Pick<OtherAccess, 'bounds'>,
): Made {
  const entry = { name, effect, policies: [], ...rest };
  return { identity, subject: { type: 'other', name }, list: 'others', entry };
}

const nameFields = ['role_name', 'name', 'role', 'username', 'groupname', 'group_name', 'user', 'team'];

/** The service's own. */
const own = ['id', 'namespace', 'accessor', 'description', 'local', 'disable_remount'];
/** Where principals sign in, and what is judged by itself. Of what takes access, such fields say from whom. */
const ofWay = ['backend', 'path', 'mount', ...givingPolicies];

function boundsOf(fields: Fields, except: string[] = []): Pick<OtherAccess, 'bounds' | 'lifetime'> {
  const [bounds, lifetime]: [Fields, Fields] = [{}, {}];
  for (const [name, value] of Object.entries(fields)) {
    if (own.includes(name) || except.includes(name) || isUnset(value)) continue;
    const isTime = /(?:^|_)(?:ttl|period|num_uses|renewable)$|^token_type$|^tune$/.test(name);
    (isTime ? lifetime : bounds)[name] = isTexts(value) ? value.toSorted() : value;
  }
  return { bounds, ...(Object.keys(lifetime).length > 0 && { lifetime }) };
}
