import { type Difference, subjectName } from '@gatehouse/core/graph';
import { type FinalResult, severityOutcome } from '@gatehouse/core/run-task';
import type { Stack } from '@gatehouse/engine';
import { drift } from '../drift/drift.ts';
import { verify } from '../verify/verify.ts';

/**
 * post_apply: checks that the service is as declared, and that everyone who should sign in can start to. Workloads do not
 * sign in: an integrator has none of their tokens.
 *
 * @throws GatehouseError what `drift` and `verify` throw
 */
export async function reviewApplied(stack: Stack, env: NodeJS.ProcessEnv): Promise<FinalResult> {
  const [{ differences, unverifiable, compared }, checks] = await Promise.all([
    drift({ stack, env, unmanaged: false }),
    verify({ stack, env, tokens: new Map() }),
  ]);
  const failed = checks.filter(({ outcome }) => outcome === 'failed');
  const unknown = checks.filter(({ outcome }) => outcome === 'unverified');
  const parts = [
    differences.length === 0 ? 'The service is as declared' : `${differences.length} of ${compared} differ`,
    ...(unverifiable.length === 0 ? [] : [`${unverifiable.length} cannot be read`]),
    failed.length === 0
      ? 'everyone can start to sign in'
      : `${failed.length} of ${checks.length} checks of signing in failed`,
  ];
  return {
    status: differences.length + failed.length === 0 ? 'passed' : 'failed',
    message: `${parts.join('; ')}.`,
    outcomes: [
      ...differences.map((difference, at) =>
        severityOutcome(`difference-${at + 1}`, 'error', differenceText(difference)),
      ),
      ...failed.map(({ subject, what, detail }, at) => {
        const text = `${subjectName(subject)}, ${what}: ${detail}`.replace(/\s+/g, ' ');
        return severityOutcome(`failed-${at + 1}`, 'error', text);
      }),
      ...unverifiable.map(({ subject }, at) =>
        severityOutcome(`not-read-${at + 1}`, 'warning', `${subjectName(subject)} cannot be read`),
      ),
      // One outcome for all, as they are the same after every run.
      ...(unknown.length === 0
        ? []
        : [
            severityOutcome(
              'not-known',
              'info',
              `Not known: ${unknown.length}`,
              unknown.map(({ subject, what }) => `- \`${subjectName(subject)}\`: ${what}`).join('\n'),
            ),
          ]),
    ],
  };
}

function differenceText({ kind, subject, field }: Difference): string {
  return kind === 'missing'
    ? `${subjectName(subject)} is missing`
    : `${subjectName(subject)}: ${field ?? 'it'} is not as declared`;
}
