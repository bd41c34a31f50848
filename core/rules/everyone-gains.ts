import { PolicyTexts } from '../model/policies/policy-texts.ts';
import type { Role } from '../model/resources/role.ts';
import { roleSubject } from '../model/subject.ts';
import type { ChangeRule } from './rule.ts';

/** Capabilities that only look. Any other, known or not, changes something. */
const looking = ['read', 'list', 'scan', 'subscribe', 'deny'];

export const rule: ChangeRule = {
  id: 'everyone-gains',
  severity: 'error',
  about: 'A policy that allows more than reading, and that everyone who can use the method gets.',
  check: ({ before, after }) => {
    const texts = { before: new PolicyTexts(before.policies), after: new PolicyTexts(after.policies) };
    return after.roles.filter(takesEveryone).flatMap((role) => {
      // A method that is new is set up: what its roles give is shown as new ways in.
      if (!before.methods.some(({ path }) => path === role.method)) return [];
      const had = powersOf(
        before.roles.filter((one) => one.method === role.method && takesEveryone(one)),
        texts.before,
      );
      const more = [...powersOf([role], texts.after)].filter(([name, limits]) => {
        const old = had.get(name);
        return old === undefined || (old !== '' && old !== limits);
      });
      if (more.length === 0) return [];
      const names = more.map(([name]) => JSON.stringify(name)).join(', ');
      return {
        subject: roleSubject(role, 'policies'),
        message: `The role has no bounds: everyone with an account at the provider behind auth/${role.method} can change things by ${names}.`,
        fix: 'Give the policy to an external group, or to a role with bounds; or turn the rule off with the reason.',
      };
    });
  },
};

/** Whether nothing that a person or workload has is asked for. An audience is the application's, but for workloads. */
function takesEveryone({ roleType, boundSubject, boundAudiences, boundClaims, ...role }: Role): boolean {
  if (boundSubject || role.tokenBoundCidrs?.length || (roleType === 'jwt' && boundAudiences?.length)) {
    return false;
  }
  const isAny = (bound: unknown) => role.boundClaimsType === 'glob' && [bound].flat().includes('*');
  return Object.values(boundClaims ?? {}).every(isAny);
}

/** Policies by which something can be changed → what is not modelled and limits that, as text. */
function powersOf(roles: Role[], texts: PolicyTexts): Map<string, string> {
  const changes = ({ capabilities }: { capabilities: string[] }) =>
    capabilities.some((one) => !looking.includes(one));
  const names = new Set(roles.flatMap(({ policies = [] }) => policies));
  return new Map(
    [...names]
      .filter((name) => texts.gives(name, (_, rules) => rules.some(changes)))
      .map((name) => {
        const limited = (texts.rules(name) ?? []).filter(changes);
        const limits = limited.flatMap(({ path, otherLimits }) => (otherLimits ? [path, otherLimits] : []));
        return [name, limits.length === 0 ? '' : JSON.stringify(limits)];
      }),
  );
}
