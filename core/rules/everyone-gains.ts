import { isAdministrativeName } from '../model/policies/administrative-name.ts';
import { readPolicy } from '../model/policies/parse-policy.ts';
import type { Role } from '../model/resources/role.ts';
import type { State } from '../model/state.ts';
import { roleSubject } from '../model/subject.ts';
import type { ChangeRule } from './rule.ts';

/** What is more than looking. */
const changing = ['create', 'update', 'patch', 'delete', 'sudo'];

export const rule: ChangeRule = {
  id: 'everyone-gains',
  severity: 'error',
  about: 'A policy that allows more than reading, which everyone of a method gets from now on.',
  check: ({ before, after }) =>
    after.roles.filter(takesEveryone).flatMap((role) => {
      // A method that is new is set up: what its roles give is shown as new ways in.
      if (!before.methods.some(({ path }) => path === role.method)) return [];
      const had = new Set(
        before.roles
          .filter((one) => one.method === role.method && takesEveryone(one))
          .flatMap((one) => powersOf(one, before)),
      );
      const more = powersOf(role, after).filter((name) => !had.has(name));
      if (more.length === 0) return [];
      const names = more.map((name) => JSON.stringify(name)).join(', ');
      return {
        subject: roleSubject(role, 'policies'),
        message: `The role binds nobody: whoever the provider behind auth/${role.method} knows can change things by ${names}.`,
        fix: 'Give it to an external group, or by a role with bounds; else turn the rule off with the reason.',
      };
    }),
};

/** Whether nothing that a person or workload has is asked for. An audience is the application's, but for workloads. */
function takesEveryone({ roleType, boundSubject, boundAudiences, boundClaims, ...role }: Role): boolean {
  if (boundSubject || role.tokenBoundCidrs?.length || (roleType === 'jwt' && boundAudiences?.length)) {
    return false;
  }
  const isAny = (bound: unknown) => role.boundClaimsType === 'glob' && [bound].flat().includes('*');
  return Object.values(boundClaims ?? {}).every(isAny);
}

/** The policies of a role by which something can be changed. One without a text is judged by its name. */
function powersOf({ policies = [] }: Role, { policies: texts }: State): string[] {
  return policies.filter((name) => {
    const text = texts.find((policy) => policy.name === name)?.text;
    return text === undefined ? isAdministrativeName(name) : allowsChange(text);
  });
}

/** One that cannot be read does not count: policy-widened says of it that it cannot be judged. */
function allowsChange(text: string): boolean {
  const rules = readPolicy(text) ?? [];
  return rules.some(({ capabilities }) => capabilities.some((one) => changing.includes(one)));
}
