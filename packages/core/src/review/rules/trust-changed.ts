import { bothKeys } from '../../access/graph-index.ts';
import { asksLess } from '../../access/sign-in/bound-order.ts';
import type { Change } from '../../graph/change.ts';
import type { Graph, OtherNode } from '../../graph/graph.ts';
import { boundsOfNode, identityOf, ofKind, wordsOf } from '../../graph/nodes/other-node.ts';
import { methodAt } from '../../graph/parts-by-name.ts';
import { configFields } from '../../graph/resources/auth-method.ts';
import {
  type ByName,
  canonicalFields,
  type Field,
  sortedJson,
  type Trust,
} from '../../graph/resources/field.ts';

import { bearingOfField, trustOf, trustsByDefault } from '../../graph/resources/trust.ts';
import { methodSubject } from '../../graph/subject.ts';
import { isObject, isUnset } from '../../graph/values/json.ts';
import { toSnakeCase } from '../../graph/values/wire.ts';
import type { Subject } from './finding.ts';
import type { ChangeRule, Objection } from './rule.ts';

/** What trusts someone, before and after. */
interface TrustingPart {
  subject: Subject;
  what: keyof typeof words;
  /** How each of its fields is read. */
  marks: ReadonlyMap<string, Trust>;
  before: ByName;
  after: ByName;
  /** Whether it trusts no one before it is configured. Defaults to false: it trusts the cloud, or that is not known. */
  needsConfiguration?: boolean;
}

const words = {
  method: { noun: 'The method', soThat: 'That party’s sign-ins get the same roles.' },
  role: { noun: 'The role', soThat: 'That party’s sign-ins get the same policies.' },
  factor: { noun: 'The second factor', soThat: 'That party decides who passes.' },
} as const;

export const trustChanged: ChangeRule = {
  id: 'trust-changed',
  severity: 'error',
  about: 'A method, role or second factor that trusts another party, or checks less.',
  check: (change) => [...methodsOf(change), ...othersOf(change)].flatMap(objections),
};

function objections({ subject, what, marks, before, after, needsConfiguration }: TrustingPart): Objection[] {
  const { noun, soThat } = words[what];
  const changed = [...marks].filter(([field, trust]) => asksLess(trust, before[field], after[field]));
  const isParty = ([field, trust]: TrustMark) =>
    trust === 'if set' ? after[field] !== undefined : namesParty(trust);
  const trustedSome = [...marks].some(([field, trust]) => namesParty(trust) && before[field] !== undefined);
  const parties = needsConfiguration && !trustedSome ? [] : changed.filter(isParty);
  const checks = changed.filter((mark) => !isParty(mark));
  const named = (fields: TrustMark[]) =>
    fields.map(([field, trust]) => `${field}${valuesText(trust, before[field], after[field])}`).join(', ');
  const trustsAnother = {
    subject,
    message: `${noun} trusts another party: ${named(parties)}. ${soThat}`,
    fix: 'Check who runs the new party, or add a separate method for it.',
  };
  const checksLess = {
    subject,
    message: `${noun} checks less: ${named(checks)}. It accepts what it refused before.`,
    fix: 'Keep the check, or add an exception with an owner and an end.',
  };
  return [...(parties.length > 0 ? [trustsAnother] : []), ...(checks.length > 0 ? [checksLess] : [])];
}

type TrustMark = [field: string, trust: Trust];

/** Whether a field says who is trusted; all others say what is checked. */
const namesParty = (trust: Trust) => ['another', 'each', 'any of', 'one of'].includes(trust);

/** Both values, where they are flags or addresses; anything else may be long, or a secret. */
function valuesText(trust: Trust, before: unknown, after: unknown): string {
  const isFlag = /^(?:asked|given) /.test(trust);
  const unset = isFlag ? trust.endsWith('unless false') : 'none';
  const isShown = (value: unknown) =>
    value === undefined || (isFlag ? typeof value === 'boolean' : address.test(String(value)));
  return [before, after].every(isShown) ? ` ${before ?? unset} → ${after ?? unset}` : '';
}

const address = /^(?:https?|ldaps?):\/\/[^\s@]{1,100}$/;

/** OIDC and JWT methods. What a plan leaves unknown is not read: that it cannot be judged is said of it. */
function methodsOf({ before, after, unknown }: Change): TrustingPart[] {
  return after.methods.flatMap((method) => {
    const methodBefore = methodAt(before.methods, method.path);
    if (methodBefore === undefined) return [];
    const subject = methodSubject(method);
    const isKnown = (field: string) =>
      !unknown.some(
        (open) => open.type === subject.type && open.name === subject.name && open.field === field,
      );
    const table: Record<string, Field> = Object.fromEntries(
      Object.entries<Field>(configFields).filter(
        ([name, { trusts }]) => trusts !== undefined && isKnown(name),
      ),
    );
    const marks = new Map(
      Object.entries(table).flatMap(([name, { trusts }]) => (trusts ? [[name, trusts] as const] : [])),
    );
    return [
      {
        subject,
        what: 'method' as const,
        marks,
        before: canonicalFields(table, methodBefore.config),
        after: canonicalFields(table, method.config),
        needsConfiguration: true,
      },
    ];
  });
}

/** Methods of other kinds, their roles, second factors, and writes to any of these. */
function othersOf(change: Change): TrustingPart[] {
  const partsBefore = byPlace(change.before);
  const partsAfter = byPlace(change.after);
  return bothKeys(partsBefore, partsAfter).flatMap((key) => {
    const partBefore = partsBefore.get(key);
    const partAfter = partsAfter.get(key);
    const part = partAfter ?? partBefore;
    const kind = part && kindOf(part, change);
    if (part === undefined || kind === undefined) return [];
    const isKept = partBefore !== undefined && partAfter !== undefined;
    // The cloud itself is asked where nothing is configured.
    const isOfCloud = part.kind === 'configuration' && trustsByDefault.has(kind.type);
    if (!isKept && !(isOfCloud && isMountKept(part.method, change))) return [];
    const name = wordsOf(part);
    const before = fieldsOf(partBefore);
    const after = fieldsOf(partAfter);
    const isUnknown = (field: string) =>
      change.unknown.some((open) => open.name === name && toSnakeCase(open.field ?? '') === field);
    const marks = new Map(
      Object.keys({ ...before, ...after }).flatMap((field) => {
        const isNew = kind.isWhole && bearingOfField(field) === undefined;
        const trust = trustOf(kind.type, field) ?? (isNew ? 'another' : undefined);
        return trust === undefined || isUnknown(field) ? [] : [[field, trust] as const];
      }),
    );
    return [
      {
        subject: { type: 'other' as const, name },
        what: kind.what,
        marks,
        before: withoutUnset(before, marks),
        after: withoutUnset(after, marks),
        needsConfiguration: kind.what === 'method' && kind.type !== '' && !trustsByDefault.has(kind.type),
      },
    ];
  });
}

interface TrustingKind extends Pick<TrustingPart, 'what'> {
  /** Type of the method; empty where it is not known. */
  type: string;
  /** A field that no table has may say whom it trusts. */
  isWhole: boolean;
}

/** What trusts someone; undefined for what trusts no one by itself. */
function kindOf(node: OtherNode, change: Change): TrustingKind | undefined {
  switch (node.kind) {
    case 'otherMethod':
    case 'configuration':
      return { what: 'method', type: node.type, isWhole: true };
    case 'otherRole':
      return { what: 'role', type: node.type, isWhole: false };
    case 'guard':
      return isSecondFactor.test(node.type) ? { what: 'factor', type: 'mfa', isWhole: false } : undefined;
    case 'write':
      return kindOfWrite(node.path, change);
    default:
      return undefined;
  }
}

/** The types of second factors, in words: not what asks for them. */
const isSecondFactor = /^(?:identity )?mfa (?!login )/;

/** What a write to a path is to: it may begin with a namespace. */
function kindOfWrite(path: string, { before, after }: Change): TrustingKind | undefined {
  if (/(?:^|\/)(?:identity|sys)\/mfa\/method\//.test(path))
    return { what: 'factor', type: 'mfa', isWhole: false };
  const [, below] = /(?:^|\/)auth\/(.+)$/s.exec(path) ?? [];
  if (below === undefined) return undefined;
  const mounts = [after, before].flatMap(({ methods, others }) => [
    ...methods,
    ...ofKind(others, 'otherMethod'),
  ]);
  const type = mounts.find((mount) => below.startsWith(`${mount.path}/`))?.type ?? '';
  const isWhole = /\/config(?:\/|$)/.test(below);
  return { what: isWhole || /\/crls\//.test(below) ? 'method' : 'role', type, isWhole };
}

function byPlace({ others = [] }: Graph): Map<string, OtherNode> {
  return new Map(others.map((node) => [sortedJson(identityOf(node)), node]));
}

/** The fields of a configuration; what a write to any path hides is one field. */
function fieldsOf(node: OtherNode | undefined): ByName {
  const bounds = node === undefined ? {} : boundsOfNode(node);
  if (node?.kind !== 'write') return bounds;
  const { data } = bounds;
  return isObject(data) ? data : { data_json: data };
}

/** The fields that are set. A flag that is off is set, too. */
function withoutUnset(fields: ByName, marks: ReadonlyMap<string, Trust>): ByName {
  const isFlag = (field: string) => /^(?:asked|given) /.test(marks.get(field) ?? '');
  const isSet = ([field, value]: [string, unknown]) => !isUnset(value) || (value === false && isFlag(field));
  return Object.fromEntries(Object.entries(fields).filter(isSet));
}

/** Whether a method of another kind is there before and after, as far as the change tells. */
function isMountKept(path: string, { before, after }: Change): boolean {
  const isIn = ({ others }: Graph) =>
    ofKind(others, 'otherMethod').some((candidate) => candidate.path === path);
  return isIn(before) === isIn(after);
}
