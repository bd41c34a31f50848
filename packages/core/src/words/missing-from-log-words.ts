import type { Reason } from '../access/reasons/reason.ts';
import { subjectName } from '../graph/subject.ts';
import type { MissingFromLog } from '../usage/missing-from-log.ts';
import { reasonWords } from './reason-words.ts';

type MissingOf<Kind extends MissingFromLog['kind']> = Extract<MissingFromLog, { kind: Kind }>;

/** What a log does not say, in words: `2 gaps of more than an hour: files may be missing`. */
export function missingFromLogWords(missing: MissingFromLog): string {
  const say = words[missing.kind] as (missing: MissingFromLog) => string;
  return say(missing);
}

/** What a replay leaves out, in words. */
export function notReplayedWords(missing: MissingFromLog | Reason): string {
  return isOfLog(missing) ? missingFromLogWords(missing) : reasonWords(missing);
}

const isOfLog = (missing: MissingFromLog | Reason): missing is MissingFromLog =>
  Object.hasOwn(words, missing.kind);

interface Counted {
  count: number;
}
const counted =
  (single: string, several: string) =>
  ({ count }: Counted): string =>
    count === 1 ? `1 ${single}` : `${count} ${several}`;

const words: { [Kind in MissingFromLog['kind']]: (missing: MissingOf<Kind>) => string } = {
  'cut-lines': counted('line is damaged', 'lines are damaged: cut, or mixed with others'),
  'repaired-lines': counted(
    'of them is there whole on another line',
    'of them are there whole on another line',
  ),
  'damaged-lines': counted('damaged line of the log', 'damaged lines of the log'),
  'sign-ins-damaged': counted(
    'of them is of a sign-in: what it gave is not known',
    'of them are of sign-ins: what they gave is not known',
  ),
  'without-response': counted('request has no response', 'requests have no responses'),
  'without-request': counted('response has no request', 'responses have no requests'),
  twice: counted('request is there twice', 'requests are there twice and count once'),
  'not-json': counted('line is not JSON', 'lines are not JSON'),
  'other-format': counted('line is no entry of an audit log', 'lines are no entries of an audit log'),
  gaps: counted('gap of more than an hour', 'gaps of more than an hour: files may be missing'),
  'out-of-order': counted('entry is out of order', 'entries are out of order, by more than a minute'),
  'other-namespaces': counted('request in another namespace', 'requests in other namespaces'),
  'not-counted': counted('request is not counted', 'requests are not counted: too many differ'),
  'not-listed': ({ count }) => `${count} requests of the log, which were too many`,
  rules: ({ count }) => `the rules that allowed ${count} requests of the log`,
  askers: ({ count }) => `by whom ${count} requests of the log were asked`,
  'without-token': counted('request without a valid token', 'requests without a valid token'),
  'refused-sign-ins': counted('refused sign-in, without its role', 'refused sign-ins, without their roles'),
  'undeclared-roles': counted('role is not declared here', 'roles are not declared here (try --live)'),
  'mounts-not-seen': ({ count }) =>
    count === 1
      ? 'where 1 mount is now: it was not seen after a mount was moved'
      : `where ${count} mounts are now: they were not seen after a mount was moved`,
  'jumped-clock': ({ count }) =>
    count === 1
      ? 'the clock jumped at 1 entry, whose time does not count'
      : `the clock jumped at ${count} entries, whose times do not count`,
  'other-service': ({ entities }) => {
    const all = entities === 1 ? 'its 1 entity is' : `all of its ${entities} entities are`;
    return `the log may be of another service: ${all} unknown here`;
  },
  'allowed-left-out': () => 'the log leaves out which requests policies allowed',
  'sign-ins-of-requests': ({ count, of }) =>
    `the sign-in of ${counted('request', 'requests')({ count })} (${shareWords(count, of)}): its token is older than the logs`,
  'arrived-mounts': ({ mount }) => `the use of ${mount}, which came from another namespace`,
  'future-end': () => 'the log ends in the future: its clock is ahead',
  unnamed: ({ subject }) => subjectName(subject),
  'unnamed-entity': () => 'an entity',
};

/** All kinds of what a log does not say. */
export const missingFromLogKinds = Object.keys(words) as MissingFromLog['kind'][];

/** `0.4 %` */
function shareWords(count: number, of: number): string {
  const percent = (100 * count) / of;
  return percent < 0.1 ? 'less than 0.1 %' : `${percent.toFixed(1)} %`;
}
