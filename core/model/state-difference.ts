import {
  type Canonical,
  canonicalGroup,
  canonicalHolder,
  canonicalMessage,
  canonicalMethod,
  canonicalPolicy,
  canonicalRole,
} from './canonical.ts';
import { configFields, tuneFields } from './resources/auth-method.ts';
import { canonicalFields, type Fields, isSame } from './resources/field.ts';
import { roleFields } from './resources/role.ts';
import type { Holder, State } from './state.ts';
import type { Subject } from './subject.ts';
import { aliasSubject, groupSubject, methodSubject, roleSubject } from './subject.ts';
import { nameKey } from './values/name-key.ts';

/** Something in which a live state is not what is declared. */
export interface Difference {
  /** `missing`: declared and not there. `unmanaged`: there and not declared. */
  kind: 'missing' | 'changed' | 'unmanaged';
  subject: Subject;
  /** What differs, of something that is changed: the field, and both values; an absent one is not set. */
  field?: string;
  declared?: unknown;
  live?: unknown;
  /** What is to be known of it beside the values. */
  note?: string;
  /** Nothing that is declared sets it: `up` leaves it as it is. Defaults to false. */
  isLeft?: true;
}

/** Fields of a role that the official plugin does not send when they are emptied (facts/vault-plugin.md). */
export const stickyFields = (Object.keys(roleFields) as (keyof typeof roleFields)[]).filter(
  (name) => 'sticky' in roleFields[name],
);

/**
 * Compares a live state with what is declared by what they mean: defaults of the service, the order of what is a set,
 * spellings of durations, instants and names, and the text of policies make no difference.
 */
export function stateDifferences(declared: State, live: State): Difference[] {
  return [
    ...differences(declared.methods, live.methods, {
      key: ({ path }) => path,
      subject: (method) => methodSubject(method),
      compare: compareMethods,
    }),
    ...differences(declared.roles, live.roles, {
      key: ({ method, name }) => `${method} ${nameKey(name)}`,
      subject: (role) => roleSubject(role),
      compare: (one, other) =>
        compareFields(canonicalRole(one), canonicalRole(other)).map(withStickyNote).map(withLeft(roleFields)),
    }),
    ...differences(declared.groups, live.groups, {
      key: ({ name }) => nameKey(name),
      subject: (group) => groupSubject(group),
      compare: (one, other) => compareFields(canonicalGroup(one), canonicalGroup(other)),
    }),
    ...differences(declared.aliases, live.aliases, {
      key: ({ method, name }) => `${method} ${nameKey(name)}`,
      subject: aliasSubject,
      compare: (one, other) =>
        nameKey(one.group) === nameKey(other.group)
          ? []
          : [
              {
                field: 'group',
                declared: one.group,
                live: other.group,
                note: 'another group has taken the alias',
              },
            ],
    }),
    ...differences(declared.holders ?? [], declaredHolders(declared, live), {
      key: ({ name }) => nameKey(name),
      subject: ({ name }) => ({ type: 'group', name }),
      compare: (one, other) => compareFields(canonicalHolder(one), canonicalHolder(other)),
    }),
    ...differences(declared.policies, live.policies, {
      key: ({ name }) => name,
      subject: ({ name }) => ({ type: 'policy', name }),
      compare: (one, other) =>
        isSame(canonicalPolicy(one), canonicalPolicy(other))
          ? []
          : [{ field: 'text', declared: one.text, live: other.text }],
    }),
    ...differences(declared.messages, live.messages, {
      key: ({ title }) => title,
      subject: ({ title }) => ({ type: 'message', name: title }),
      compare: (one, other) => compareFields(canonicalMessage(one), canonicalMessage(other)),
    }),
  ];
}

/** Those that nobody declared are told of beside. */
function declaredHolders({ holders = [] }: State, live: State): Holder[] {
  const names = new Set(holders.map(({ name }) => nameKey(name)));
  return (live.holders ?? []).filter(({ kind, name }) => kind === 'group' && names.has(nameKey(name)));
}

type FieldDifference = Pick<Difference, 'field' | 'declared' | 'live' | 'note' | 'isLeft'>;

interface Comparison<Part> {
  key(part: Part): string;
  subject(part: Part): Subject;
  compare(declared: Part, live: Part): FieldDifference[];
}

function differences<Part>(
  declared: Part[],
  live: Part[],
  { key, subject, compare }: Comparison<Part>,
): Difference[] {
  const there = Map.groupBy(live, key);
  const known = new Set(declared.map(key));
  return [
    ...declared.flatMap((part): Difference[] => {
      const [other] = there.get(key(part)) ?? [];
      if (other === undefined) return [{ kind: 'missing', subject: subject(part) }];
      return compare(part, other).map((difference) => ({
        kind: 'changed',
        subject: subject(part),
        ...difference,
      }));
    }),
    // Messages may share a title: each one over the first is not declared.
    ...[...there].flatMap(([name, parts]) =>
      parts
        .slice(known.has(name) ? 1 : 0)
        .map((part): Difference => ({ kind: 'unmanaged', subject: subject(part) })),
    ),
  ];
}

function compareFields(declared: Canonical, live: Canonical): FieldDifference[] {
  const fields = new Set([...Object.keys(declared), ...Object.keys(live)]);
  return [...fields]
    .filter((field) => !isSame(declared[field], live[field]))
    .map((field) => ({ field, declared: declared[field], live: live[field] }));
}

function compareMethods(
  declared: State['methods'][number],
  live: State['methods'][number],
): FieldDifference[] {
  const [one, other] = [canonicalMethod(declared), canonicalMethod(live)];
  // The client of an application that the program creates is known only to the service.
  if (one['oidcClientId'] === undefined && declared.type === 'oidc') delete other['oidcClientId'];
  const [wanted, there] = [declared.tune ?? {}, live.tune ?? {}].map((tune) =>
    canonicalFields(tuneFields, tune),
  ) as [Canonical, Canonical];
  return [
    ...compareFields(one, other).map(withLeft(configFields)),
    ...compareFields(wanted, there).map(({ field = '', ...values }) => ({
      field: `tune.${field}`,
      ...values,
      ...(Object.hasOwn(declared.tune ?? {}, field)
        ? {}
        : { isLeft: true as const, note: 'the tuning is not declared' }),
    })),
  ];
}

/** What no stack can declare, `up` leaves as it is. */
function withLeft(table: Fields) {
  return (difference: FieldDifference): FieldDifference =>
    table[difference.field ?? '']?.liveOnly ? { ...difference, isLeft: true } : difference;
}

function withStickyNote(difference: FieldDifference): FieldDifference {
  const { field = '', declared } = difference;
  if (declared !== undefined || !(stickyFields as readonly string[]).includes(field)) return difference;
  return { ...difference, note: 'the official plugin does not clear this field: it sticks' };
}
