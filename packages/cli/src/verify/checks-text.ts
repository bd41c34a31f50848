import { subjectName } from '@gatehouse/core/graph';
import type { CheckOutcome } from '../open/check.ts';
import { printable, type Style } from '../terminal/style.ts';

/** Checks by subject, with a count at the end. */
export function checksText(checks: CheckOutcome[], style: Style): string {
  const marks = {
    ok: style.added('ok'),
    failed: style.removed('failed'),
    unverified: style.changed('not known'),
  };
  const lines = [...Map.groupBy(checks, ({ subject }) => subjectName(subject))].flatMap(([name, all]) => [
    style.strong(printable(name)),
    ...all.map(({ what, outcome, detail }) => `  ${marks[outcome]}  ${printable(`${what}: ${detail}`)}`),
  ]);
  const count = (outcome: CheckOutcome['outcome']) =>
    checks.filter((check) => check.outcome === outcome).length;
  const summary = `${count('ok')} ok, ${count('failed')} failed, ${count('unverified')} not known`;
  return `${[...lines, '', summary].join('\n')}\n`;
}
