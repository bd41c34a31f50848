import type { Role } from '../model/resources/role.ts';
import { methodSubject, roleSubject } from '../model/subject.ts';
import type { ChangeRule } from './rule.ts';

export const rule: ChangeRule = {
  id: 'bound-removed',
  severity: 'warning',
  about: 'A role or method that drops a bound, or accepts more.',
  check: ({ before, after }) => [
    ...after.roles.flatMap((role) => {
      const was = before.roles.find(({ method, name }) => method === role.method && name === role.name);
      return (was === undefined ? [] : looser(was, role)).map(({ field, what }) => ({
        subject: roleSubject(role, field),
        message: `${what} More people or workloads can sign in than before.`,
        fix: 'Check that all of them should. Otherwise bind it again, or add a separate role.',
      }));
    }),
    ...after.methods.flatMap((method) => {
      const issuer = before.methods.find(({ path }) => path === method.path)?.config.boundIssuer;
      if (!issuer || method.config.boundIssuer) return [];
      return {
        subject: methodSubject(method, 'boundIssuer'),
        message: `Tokens no longer have to come from the issuer ${issuer}: any issuer with one of the method’s keys is accepted.`,
        fix: 'Keep boundIssuer.',
      };
    }),
  ],
};

function looser(was: Role, role: Role): { field: keyof Role; what: string }[] {
  const found: { field: keyof Role; what: string }[] = [];
  if (was.boundSubject && was.boundSubject !== role.boundSubject) {
    const now = role.boundSubject ? ` but ${JSON.stringify(role.boundSubject)}` : '';
    found.push({
      field: 'boundSubject',
      what: `The subject need no longer be ${JSON.stringify(was.boundSubject)}${now}.`,
    });
  }
  for (const field of ['boundAudiences', 'tokenBoundCidrs'] as const) {
    const [old, now] = [was[field] ?? [], role[field] ?? []];
    if (old.length === 0) continue;
    const more = now.filter((value) => !old.includes(value));
    const what = field === 'boundAudiences' ? 'audience' : 'source address';
    if (now.length === 0) found.push({ field, what: `The ${what} is not bound any more.` });
    else if (more.length > 0) found.push({ field, what: `Another ${what} will do: ${more.join(', ')}.` });
  }
  for (const [claim, values] of Object.entries(was.boundClaims ?? {})) {
    const now = role.boundClaims?.[claim];
    const name = JSON.stringify(claim);
    if (now === undefined) {
      found.push({ field: 'boundClaims', what: `The claim ${name} is not bound any more.` });
      continue;
    }
    const old = [values].flat();
    const more = [now].flat().filter((value) => !old.includes(value));
    if (more.length > 0) {
      found.push({ field: 'boundClaims', what: `The claim ${name} may also be ${more.join(', ')}.` });
    } else if (role.boundClaimsType === 'glob' && was.boundClaimsType !== 'glob') {
      if (!old.some((value) => String(value).includes('*'))) continue;
      found.push({
        field: 'boundClaimsType',
        what: `The * in what is bound for ${name} now stands for any text.`,
      });
    }
  }
  return found;
}
