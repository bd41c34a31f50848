import type { Holder, Identity, OtherAccess } from '../../graph/graph.ts';
import { alias } from '../../graph/resources/group-alias.ts';
import { aliasElsewhere, disabling } from '../../graph/resources/other-access.ts';
import type { PlannedAt } from '../../graph/resources/resource.ts';
import { type AnyResource, resources } from '../../graph/resources/resources.ts';
import type { Subject } from '../../graph/subject.ts';
import { defined, textOf } from '../../graph/values/loose-values.ts';
import { nameKey } from '../../graph/values/name-key.ts';
import type { Composed, Made, Part } from './composed.ts';
import { holdsHidden } from './hidden-values.ts';
import type { Identities, Led, When } from './identities.ts';
import { composedOther } from './other-access.ts';
import type { PlannedResource, PlannedSide } from './planned-resource.ts';

/** The key of an identity; nothing else makes one. */
export function keyOf({ type, mount, name }: Identity): string {
  return JSON.stringify([type, mount ?? null, name]);
}

/** A resource, and what it comes to on both sides. */
export interface Piece {
  resource: PlannedResource;
  old?: Composed | undefined;
  made?: Composed | undefined;
  /** Fields that its update leaves as they are, though it empties them. */
  left?: string[];
  /** It stays, and its mount goes: no sign-in leads to it any more. */
  isOrphaned?: true;
}

/** Whether a plan leaves it as it is. */
export function isKept({ resource: { before, after } }: Piece): boolean {
  return after === before;
}

/** A part with other values in its entry, and in what it is in addition. */
export function withValues(
  part: Composed,
  valuesOf: (entry: Partial<OtherAccess & Holder>) => Partial<OtherAccess & Holder>,
): Composed {
  const changed = <One extends Part>(one: One): One => {
    return {
      ...one,
      entry: { ...one.entry, ...defined(valuesOf(one.entry as Partial<OtherAccess & Holder>)) },
    };
  };
  return { ...changed(part), more: part.more && changed(part.more) };
}

/** What has another name afterwards, by its key before: what hangs on it by its id goes along. */
export function renamedIn(pieces: readonly Piece[]): Map<string, Composed> {
  return new Map(
    pieces.flatMap(({ resource, old, made }) =>
      old && made && old.key !== made.key && resource.replaced === undefined ? [[old.key, made]] : [],
    ),
  );
}

export const ownerTypes = ['group', 'entity'] as const;
export type OwnerType = (typeof ownerTypes)[number];

export function isOwner(one: Composed | undefined): one is Composed {
  return ownerTypes.some((type) => type === one?.identity.type);
}

export function ownerKey(type: OwnerType, name: string): string {
  return keyOf({ type, name: nameKey(name) });
}

/** Keys of the group and the entity that something hangs on. */
export function ownersOf({ on }: Composed): string[] {
  return ownerTypes.flatMap((type) => (on[type] === undefined ? [] : ownerKey(type, on[type])));
}

/** @returns undefined where the plan does not tell what it is */
export function composed(
  planned: Pick<PlannedResource, 'type' | 'of' | 'address'>,
  side: PlannedSide,
  when: When,
  identities: Identities,
): Composed | undefined {
  const led = identities.ledTo(planned.type, side, when);
  const resource = resources.find(({ type, official: { variant } = {} }) => {
    return type === planned.type && (variant === undefined || variant.is(side.fields[variant.property]));
  });
  const made = resource
    ? standing(resource, planned.address, side, led, identities)
    : composedOther(planned, side, led, identities);
  if (made === undefined) return undefined;
  const { on } = led;
  return {
    key: keyOf(made.identity),
    on: { mount: on.mount?.name, group: on.group?.name, entity: on.entity?.name },
    ...made,
    open: [
      ...(made.open ?? []),
      ...led.untold.map(() => ({ ...made.subject, field: 'members' })),
      // Of what the plan knows by its id alone: its policies are unknown.
      ...ownerTypes.flatMap((type) => {
        const found = on[type];
        return found === undefined || found.isKnown ? [] : [{ type, name: found.name, field: 'policies' }];
      }),
    ],
  };
}

/** What a graph has a list of, as it is described. */
function standing(
  resource: AnyResource,
  address: string,
  side: PlannedSide,
  { on, members, isWhole }: Led,
  identities: Identities,
): Made | undefined {
  const { type, list, official, referredAs, methodOf } = resource;
  const { fields, unknown } = side;
  const { name: property = '', variant, byDefault, isShared, fromPlan } = official ?? {};
  const given = textOf(fields[property]) ?? (unknown.includes(property) ? undefined : byDefault);
  if (given === undefined || fromPlan === undefined || (variant && unknown.includes(variant.property)))
    return undefined;
  const name = resource.kept?.(given) ?? given;
  const known = { method: on.mount?.name, group: on.group?.name };
  const declared =
    isWhole || type !== alias.type ? undefined : identities.declaredAlias(side, name, address, known);
  if (!isWhole && declared === undefined) return undefined;
  const { method: mount = '', group = '' } = { ...known, ...declared };
  const at: PlannedAt = { name, mount, group, members };
  const subject: Subject = { type, name, ...(methodOf && { method: mount }) };
  const made: Made = {
    identity: {
      type: referredAs ?? type,
      mount: methodOf && mount,
      name: isShared ? address : resource.key(name),
    },
    subject,
    ...{ list, entry: fromPlan(fields, at) },
  };
  if (type === alias.type) return aliasOf(made, at, identities.kindOf(side, mount), declared !== undefined);
  // Members of an external group have its policies as well.
  if (members.length > 0 && !('members' in made.entry)) {
    return { ...made, more: { list: 'holders', entry: { kind: 'group', name, policies: [], members } } };
  }
  if (fields['disabled'] !== true && !holdsHidden(fields['disabled'])) return made;
  return { ...made, more: { list: 'others', entry: disabling(type, name) } };
}

function aliasOf(
  made: Made,
  { name, mount, group }: PlannedAt,
  kind: string | undefined,
  isDeclared: boolean,
): Made {
  const hanging: Made = { ...made, on: { mount, group } };
  if (kind !== undefined && ['method', 'jwt', 'oidc'].includes(kind)) return hanging;
  // Where the kind of method is not known, so is who is in the group.
  if (kind === undefined)
    return isDeclared ? hanging : { ...hanging, open: [{ ...made.subject, field: 'method' }] };
  // Other kinds of auth method know the groups of a person without a role that reads them.
  const entry = aliasElsewhere(name, mount, kind, group);
  return { ...hanging, subject: { type: 'other', name: entry.name }, list: 'others', entry };
}
