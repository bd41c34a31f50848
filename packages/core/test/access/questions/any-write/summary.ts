import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from './outcomes.ts';

/** Someone gains, and the review says that no one does. */
export function isSilent({ gains, gained }: Outcome): boolean {
  return gains === 'none' && gained.length > 0;
}

/** What a finding is told apart by: the path of the document with each field that the write changes. */
export function kindsOf({ write: { template, isDeletion, body, before = {} } }: Outcome): string[] {
  if (isDeletion) return [`${template} deleted`];
  const names = Object.keys(body).filter((name) => !isDeepStrictEqual(body[name], before[name]));
  return names.sort().map((name) => `${template} ${name}`);
}

/** An outcome as a person reads it: with its seed and number, it can be made again. */
export function reportOf({ seed, number, write, type, gained }: Outcome): object {
  const { isDeletion, path, body, before, namespace } = write;
  const place = namespace === undefined ? {} : { namespace };
  const request = `${isDeletion ? 'DELETE' : 'POST'} ${path}`;
  return { seed, number, ...place, request, body, before, type, gained: gained.slice(0, 3) };
}

/** Counts of what was written and answered, and false alarms by path of the document. */
export function summaryOf(outcomes: readonly Outcome[]): object {
  const any = outcomes.filter(({ isSought }) => !isSought);
  const quiet = any.filter(({ gainedBySignIn }) => gainedBySignIn.length === 0);
  return {
    writes: outcomes.length + outcomes.reduce((total, { refused }) => total + refused, 0),
    accepted: outcomes.length,
    'someone gains': outcomes.filter(({ gained }) => gained.length > 0).length,
    'sought, where no one should gain': outcomes.length - any.length,
    silent: counted(outcomes.filter(isSilent), (outcome) => kindsOf(outcome).join(', ')),
    'of the others, someone gains': any.length - quiet.length,
    'unknown without a gain': counted(
      quiet.filter(({ gains }) => gains === 'unknown'),
      templateOf,
    ),
    'some without a gain': counted(
      quiet.filter(({ gains }) => gains === 'some'),
      templateOf,
    ),
    'none without a gain': quiet.filter(({ gains }) => gains === 'none').length,
  };
}

function templateOf({ write: { template, isDeletion } }: Outcome): string {
  return isDeletion ? `${template} deleted` : template;
}

function counted(outcomes: readonly Outcome[], classOf: (outcome: Outcome) => string): object {
  const classes = [...Map.groupBy(outcomes, classOf)].map(([name, all]) => [name, all.length] as const);
  return {
    all: outcomes.length,
    ...Object.fromEntries(classes.toSorted(([, one], [, other]) => other - one)),
  };
}
