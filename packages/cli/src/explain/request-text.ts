import { count, verdictWords, whoWords } from '@gatehouse/core/review';
import { isAsker, type SmallestChange } from '@gatehouse/core/usage';
import { partName, plainName, shortened } from '@gatehouse/core/values';
import { noChangeWords, reasonWords, requestNoteWords, usageReasonWords } from '@gatehouse/core/words';
import { accessTable, type Layout } from '../review/review-text.ts';
import { given, oneLine, printable, type Style } from '../terminal/style.ts';
import type { ExplainedRequest, MissingRequest } from './explain-request.ts';

type RefusalReason = ExplainedRequest['why'];

/** Why a request was refused, and what would allow it, for people. */
export function requestText(
  explained: ExplainedRequest | MissingRequest,
  style: Style,
  layout: Layout = {},
): string {
  if ('found' in explained) return missingText(explained, style);
  const { change, noChange, notes, missing, source } = explained;
  return given(
    `${style.strong(requestHead(explained))} (${source})`,
    askerLines(explained),
    `  ${oneLine(whyWords(explained))}`,
    change && ['', ...changeLines(explained, change, style, layout)],
    noChange && `${style.changed('?')} ${noChangeWords[noChange]} No change is proposed.`,
    notes.map((note) => style.faint(`  ${oneLine(requestNoteWords(note))}`)),
    missing.map((what) => `${style.changed('?')} not known: ${oneLine(what)}`),
    '',
  ).join('\n');
}

/** The same as JSON: what is missing, and notes, as data and in words. */
export function requestJson(explained: ExplainedRequest | MissingRequest): object {
  if ('found' in explained) return explained;
  const { why, notes, noChange } = explained;
  return {
    ...explained,
    why:
      why.kind === 'unknown'
        ? { ...why, missing: { ...why.missing, words: usageReasonWords(why.missing) } }
        : why,
    notes: notes.map((note) => ({ ...note, words: requestNoteWords(note) })),
    ...(noChange && { noChange: { kind: noChange, words: noChangeWords[noChange] } }),
  };
}

function missingText({ id, unread, isDamaged }: MissingRequest, style: Style): string {
  if (isDamaged)
    return `${style.changed('?')} The logs have this request only in part: ${oneLine(id)}. Its lines are damaged.\n`;
  const head = `${style.removed('No such request')} in these logs: ${oneLine(id)}.`;
  if (unread === 0) return `${head} Its response decides: a log that ends before it does not have it.\n`;
  return `${head}\n${style.changed('?')} not known: ${count(unread, 'line')} could not be read, and it may be in one of them.\n`;
}

function requestHead({ recorded, operation, path, namespace, at }: ExplainedRequest): string {
  const heads = {
    refused: 'Refused',
    allowed: 'Allowed',
    failed: 'Failed',
    unchecked: 'Not decided by a policy',
  };
  const where = namespace === '' ? '' : `, namespace ${namespace}`;
  return oneLine(`${heads[recorded]}: ${operation} ${path}${where}, at ${at}`);
}

function askerLines({ by }: ExplainedRequest): string[] {
  if (by === undefined) return [];
  const unknown = by.method === undefined ? ' of a method that the log does not name' : '';
  const through =
    by.role === ''
      ? ', whose role the log does not have'
      : `, signed in by ${partName('role', by.method, by.role)}${unknown}`;
  return [
    `  ${oneLine(`Asked by ${by.name === '' ? 'a token without a name' : by.name}${through}`)}`,
    `  ${oneLine(`With policies ${by.policies.join(', ')}`)}`,
  ];
}

const names = (policies: readonly string[]) =>
  `${policies.length === 1 ? 'policy' : 'policies'} ${policies.map(plainName).join(', ')}`;

function whyWords({ why, pattern, policies, operation }: ExplainedRequest): string {
  const rule = pattern === undefined ? '' : `The rule for ${pattern} in ${names(policies)} decides.`;
  const words: { [Kind in RefusalReason['kind']]: (why: Extract<RefusalReason, { kind: Kind }>) => string } =
    {
      'no-rule': () => 'No rule of these policies matches the path.',
      denied: () => `${rule} It denies everything there.`,
      capability: ({ capability }) => `${rule} It does not give ${capability}.`,
      parameters: () => `${rule} It gives ${operation}, and its limits on parameters refuse these fields.`,
      operation: () => 'No policy allows such a request; only root may make it.',
      wrapping: () => `${rule} It takes only requests for a wrapped response, of a time that it allows.`,
      unknown: ({ missing }) => `Why is not known: ${usageReasonWords(missing)}.`,
      allowed: () => rule,
      backend: () => `${rule} What is at the path answered with an error, which the log has hashed.`,
      unchecked: () => 'No policy decides such a request.',
      'no-token': () => 'No valid token came with it: none, an unknown one, or one that has ended.',
      'sign-in': ({ method }) =>
        `auth/${method} refused the sign-in. The log does not hold the role: ask gatehouse explain --role NAME --token FILE.`,
      changed: ({ now }) =>
        `The policies as they are here would have ${now} it. They changed, or the log is of another service.`,
    };
  const say = words[why.kind] as (why: RefusalReason) => string;
  return say(why);
}

function changeLines(
  { by }: ExplainedRequest,
  change: SmallestChange,
  style: Style,
  layout: Layout,
): string[] {
  const { policy, principals, rule, replaces, anyValueOf, access } = change;
  const how = replaces ? 'this rule in the place of the one on this path' : 'this rule added';
  const asker = access.changes.find(({ principals }) => isAsker(principals, by));
  const alsoGaining = access.changes.filter((other) => other !== asker && other.gains !== 'none');
  // Other grants of the policy may be missing from what was read.
  const unknown = [...access.uncertain, ...access.unseen].map(
    (reason) => `whether more gain: ${reasonWords(reason)}`,
  );
  const othersText =
    alsoGaining.length > 0
      ? `Others who gain, or may: ${alsoGaining.length}.`
      : unknown.length > 0
        ? 'No one else is known to.'
        : 'No one else does.';
  const own = asker && `Who asked signed in by ${whoWords(asker)}: everyone who signs in by it gains.`;
  return given(
    `The smallest change: policy ${oneLine(plainName(policy))} with ${how}.`,
    printable(rule)
      .split('\n')
      .map((line) => style.added(`  + ${line}`)),
    `  ${principals} ${principals === 1 ? 'role or group holds' : 'roles, groups and entities hold'} this policy.`,
    anyValueOf.length > 0 &&
      `  It allows any value of ${oneLine(shortened(anyValueOf, 5, ' and '))}: the log has values hashed.`,
    '',
    style.strong(`Who gains by it: ${oneLine(verdictOf(change))}`),
    accessTable({ access: access.changes }, style, layout),
    unknown.map((what) => `${style.changed('?')} not known: ${oneLine(what)}`),
    own && style.faint(`  ${oneLine(own)} ${othersText}`),
  );
}

/** Who gains by the change, in the words of reviews. */
export function verdictOf({ access }: Pick<SmallestChange, 'access'>): string {
  const { changes, uncertain, unseen, isWhole } = access;
  const scope = { complete: unseen.length === 0, whole: isWhole, tokens: false, missing: unseen };
  return verdictWords({ ...access, access: changes, missing: uncertain, scope });
}
