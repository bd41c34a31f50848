import { kindById, providerKinds } from '../model/kinds/kinds.ts';
import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

/** Claims that are `true` or `false` in every provider's tokens (OpenID Connect Core 1.0, 5.1). */
const booleans = ['email_verified', 'phone_number_verified'];

/** Claims that are texts in the tokens of CI platforms, whatever they look like. */
const texts = [
  ...providerKinds.flatMap((kind) => kindById(kind).textClaims ?? []),
  ...['runner_id', 'user_id', 'job_id', 'actor_id', 'run_id', 'run_number', 'run_attempt', 'enterprise_id'],
];

export const rule: StateRule = {
  id: 'bound-claim-not-text',
  severity: 'error',
  about: 'A bound claim of another type than tokens have it.',
  check: ({ roles }) =>
    roles.flatMap((role) =>
      Object.entries(role.boundClaims ?? {}).flatMap(([claim, values]) => {
        const given: unknown[] = [values].flat();
        const subject = roleSubject(role, 'boundClaims');
        const name = JSON.stringify(claim);
        if (texts.includes(claim)) {
          if (given.every((value) => typeof value === 'string')) return [];
          return {
            subject,
            severity: 'warning' as const,
            message: `The claim ${name} is bound to a boolean or a number. CI platforms send it as a text, and types are strict: such a token never matches.`,
            fix: 'Put the value in quotes, unless your provider sends another type.',
          };
        }
        const worded = given.some((value) => value === 'true' || value === 'false');
        if (!worded) return [];
        return {
          subject,
          severity: booleans.includes(claim) ? ('error' as const) : ('warning' as const),
          message: `The claim ${name} is bound to the text "true" or "false". Types are strict: a token that carries it as a boolean never matches.`,
          fix: 'Leave the quotes out, or turn the rule off if the provider sends a text.',
        };
      }),
    ),
};
