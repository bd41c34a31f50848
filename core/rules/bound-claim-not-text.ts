import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

/** Claims that are `true` or `false` in every provider's tokens (OpenID Connect Core 1.0, 5.1). */
const booleans = ['email_verified', 'phone_number_verified'];

export const rule: StateRule = {
  id: 'bound-claim-not-text',
  severity: 'error',
  about: 'A boolean or a number among the bound claims, as such or as text.',
  check: ({ roles }) =>
    roles.flatMap((role) =>
      Object.entries(role.boundClaims ?? {}).flatMap(([claim, values]) => {
        const given: unknown[] = [values].flat();
        const typed = given.some((value) => typeof value !== 'string');
        const worded = given.some((value) => value === 'true' || value === 'false');
        if (!typed && !worded) return [];
        return {
          subject: roleSubject(role, 'boundClaims'),
          severity: typed || booleans.includes(claim) ? ('error' as const) : ('warning' as const),
          message: typed
            ? `The claim ${JSON.stringify(claim)} is bound to a boolean or a number. The resource writes bound claims as texts, and types are strict: a token’s true never equals "true".`
            : `The claim ${JSON.stringify(claim)} is bound to the text "true" or "false". Types are strict: a token that carries it as a boolean never matches.`,
          fix: 'Bind another claim, have the provider send a text, or write this role through vault.generic.Endpoint.',
        };
      }),
    ),
};
