import type { Graph, Identity, OtherNode, ResourceKey } from '../../graph/graph.ts';
import { otherAlias } from '../../graph/nodes/other-alias.ts';
import { wordsOf } from '../../graph/nodes/other-node.ts';
import { alias } from '../../graph/resources/group-alias.ts';

import type { PlannedAt } from '../../graph/resources/resource.ts';
import { type AnyResource, resources } from '../../graph/resources/resources.ts';
import type { Subject } from '../../graph/subject.ts';
import { defined, textOf } from '../../graph/values/loose-values.ts';
import { nameKey } from '../../graph/values/name-key.ts';
import type { Composed, Made, Part } from './composed.ts';
import { holdsHidden } from './hidden-values.ts';
import type { Identities, Led, When } from './identities.ts';
import { composedOther } from './other-nodes.ts';
import type { PlannedResource, PlannedSide } from './planned-resource.ts';

/** The key of an identity; nothing else makes one. */
export function keyOf({ type, mount, name }: ResourceKey): string {
  return JSON.stringify([type, mount ?? null, name]);
}

/** A resource, and what it comes to on both sides. */
export interface ComposedResource {
  resource: PlannedResource;
  old?: Composed | undefined;
  planned?: Composed | undefined;
  /** Fields that its update leaves as they are, though it empties them. */
  left?: string[];
  /** It stays, and its mount goes: no sign-in leads to it any more. */
  isOrphaned?: true;
}

/** Whether a plan leaves it as it is. */
export function isKept({ resource: { before, after } }: ComposedResource): boolean {
  return after === before;
}

/** What no stack declares, where a part is such a thing. */
export function otherNodeIn(part: Part | undefined): OtherNode | undefined {
  return part?.list === 'others' ? (part.entry as NonNullable<Graph['others']>[number]) : undefined;
}

/** Lists of a group or an entity, and the owners that an alias leads to. */
type Values = Partial<Pick<Identity, 'policies' | 'members'> & { entity: string; group: string }>;

/** A part with other values in its entry, and in what it is in addition. */
export function withValues(part: Composed, valuesOf: (entry: Values) => Values): Composed {
  const changed = <One extends Part>(one: One): One => {
    return { ...one, entry: { ...one.entry, ...defined(valuesOf(one.entry as Values)) } };
  };
  return { ...changed(part), extra: part.extra && changed(part.extra) };
}

/** What has another name afterwards, by its key before: what hangs on it by its id goes along. */
export function renamedIn(pieces: readonly ComposedResource[]): Map<string, Composed> {
  return new Map(
    pieces.flatMap(({ resource, old, planned }) =>
      old && planned && old.key !== planned.key && resource.replaced === undefined
        ? [[old.key, planned]]
        : [],
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
export function ownersOf({ hangsOn }: Composed): string[] {
  return ownerTypes.flatMap((type) => (hangsOn[type] === undefined ? [] : ownerKey(type, hangsOn[type])));
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
  const part = resource
    ? standing(resource, planned.address, side, led, identities)
    : composedOther(planned, side, led, identities);
  if (part === undefined) return undefined;
  const { targets } = led;
  return {
    key: keyOf(part.identity),
    hangsOn: { mount: targets.mount?.name, group: targets.group?.name, entity: targets.entity?.name },
    ...part,
    unknownParts: [
      ...(part.unknownParts ?? []),
      ...led.untold.map(() => ({ ...part.subject, field: 'members' })),
      // Of what the plan knows by its id alone: its policies are unknown.
      ...ownerTypes.flatMap((type) => {
        const found = targets[type];
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
  { targets, members, isWhole }: Led,
  identities: Identities,
): Made | undefined {
  const { type, list, official, referredAs, methodOf } = resource;
  const { fields, unknown } = side;
  const { name: property = '', variant, byDefault, isShared, fromPlan } = official ?? {};
  const given = textOf(fields[property]) ?? (unknown.includes(property) ? undefined : byDefault);
  if (given === undefined || fromPlan === undefined || (variant && unknown.includes(variant.property)))
    return undefined;
  const name = resource.kept?.(given) ?? given;
  const known = { method: targets.mount?.name, group: targets.group?.name };
  const declared =
    isWhole || type !== alias.type ? undefined : identities.declaredAlias(side, name, address, known);
  if (!isWhole && declared === undefined) return undefined;
  const { method: mount = '', group = '' } = { ...known, ...declared };
  const at: PlannedAt = { name, mount, group, members };
  const subject: Subject = { type, name, ...(methodOf && { method: mount }) };
  const part: Made = {
    identity: {
      type: referredAs ?? type,
      mount: methodOf && mount,
      name: isShared ? address : resource.key(name),
    },
    subject,
    list,
    entry: fromPlan(fields, at),
  };
  if (type === alias.type) return aliasOf(part, at, identities.kindOf(side, mount), declared !== undefined);
  // Members of an external group have its policies as well.
  if (members.length > 0 && !('members' in part.entry)) {
    return { ...part, extra: { list: 'identities', entry: { kind: 'group', name, policies: [], members } } };
  }
  if (fields['disabled'] !== true && !holdsHidden(fields['disabled'])) return part;
  const of = ownerTypes.find((ownerType) => ownerType === type);
  return of === undefined
    ? part
    : { ...part, extra: { list: 'others', entry: { kind: 'disabling', of, name } } };
}

function aliasOf(
  part: Made,
  { name, mount, group }: PlannedAt,
  kind: string | undefined,
  isDeclared: boolean,
): Made {
  const hanging: Made = { ...part, hangsOn: { mount, group } };
  if (kind !== undefined && ['method', 'jwt', 'oidc'].includes(kind)) return hanging;
  // If the kind of method is not known, the members of the group are not known.
  if (kind === undefined)
    return isDeclared ? hanging : { ...hanging, unknownParts: [{ ...part.subject, field: 'method' }] };
  // Other kinds of auth method know the groups of a person without a role that reads them.
  const entry = otherAlias(name, mount, kind, group);
  return { ...hanging, subject: { type: 'other', name: wordsOf(entry) }, list: 'others', entry };
}
