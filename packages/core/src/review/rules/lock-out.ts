import { settings } from '../../access/administration.ts';
import type { Acl } from '../../graph/policies/acl.ts';
import { PolicyTexts } from '../../graph/policies/policy-texts.ts';
import { partName, plainName } from '../../graph/values/visible.ts';
import type { ChangeRule, Objection } from './rule.ts';

const asked = settings.map((pattern) => pattern.replace(/[+*]/g, 'x'));

/**
 * Objects to a change that closes the last way to an administrative policy, or to what the deployer has. Ways that are
 * not part of the plan are not seen: the message names them.
 */
export const lockOut: ChangeRule = {
  id: 'lock-out',
  severity: 'error',
  about: 'A change that removes the last administrator, or the sign-in of this deployment.',
  check: (change, { deployer, isRestoring, now, access: { held } }) => {
    const texts = new PolicyTexts(change.before.policies, now);
    const later = new PolicyTexts(change.after.policies, now);
    // A deleted policy gives nothing to principals that still carry its name.
    const isDeleted = (policy: string) =>
      texts.text(policy) !== undefined && later.text(policy) === undefined;

    let isHeldLater: boolean | undefined;
    const anyAdministersLater = () =>
      (isHeldLater ??= [...held.after].some((other) => later.gives(other, administers)));
    const objections: Objection[] = [];
    for (const policy of held.before) {
      const isReached = held.after.has(policy);
      const isDeployers = deployer?.policies.includes(policy) === true && policy !== 'default';
      const isAdministrative = texts.gives(policy, administers);
      if ((!isReached || isDeleted(policy)) && (isAdministrative || isDeployers)) {
        objections.push({
          subject: { type: 'policy', name: policy },
          // Someone gave it by hand, where no one is to have it.
          ...(isRestoring && !isDeployers && { severity: 'warning' as const }),
          message:
            `No one managed here can get ${partName('policy', policy)} by signing in any more.` +
            (isAdministrative ? ' It administers the service.' : '') +
            (isDeployers ? ' This deployment itself uses it.' : ''),
          fix,
        });
      } else if (!isReached && texts.text(policy) !== undefined && texts.rules(policy) === undefined) {
        objections.push({
          subject: { type: 'policy', name: policy, field: 'text' },
          message: `No one can get ${partName('policy', policy)} by signing in any more. Its text is unreadable, so it may have been the last administrators’ policy.`,
          fix: 'Correct the text first, in a separate change.',
        });
      } else if (isAdministrative && isReached && !later.gives(policy, administers)) {
        if (anyAdministersLater()) continue;
        objections.push({
          subject: { type: 'policy', name: policy },
          message: `Policy ${plainName(policy)} no longer administers the service. No other policy that people can get does.`,
          fix,
        });
      } else if (isAdministrative && isReached) {
        const [was, is] = [texts, later].map((side) => administrationLimits(side.set([policy]).acl));
        if (is === '' || is === was) continue;
        objections.push({
          subject: { type: 'policy', name: policy, field: 'text' },
          severity: 'warning',
          message: `Policy ${plainName(policy)} puts a new limit on administration. Not checked: whether anyone can still meet it.`,
          fix,
        });
      }
    }
    const role = deployer?.role;
    const has = ({ roles }: typeof change.before) =>
      roles.some(
        ({ method, name }) => method === role?.method && name.toLowerCase() === role.name.toLowerCase(),
      );
    if (role !== undefined && has(change.before) && !has(change.after)) {
      objections.push({
        subject: { type: 'role', name: role.name, method: role.method },
        message: `This deployment signed in with ${partName('role', role.method, role.name)} and removes it. The next deployment could not sign in.`,
        fix,
      });
    }
    return objections;
  },
};

/** Whether it decides who signs in, and with what. */
function administers(acl: Acl): boolean {
  return asked.some((path) =>
    acl.capabilities(path).some((capability) => ['create', 'update', 'patch'].includes(capability)),
  );
}

/** What is asked there in addition to capabilities, to be compared; empty for nothing. */
function administrationLimits(acl: Acl): string {
  return asked.map((path) => acl.limits(path)).join('');
}

const fix =
  'Add and test another sign-in to it first, in a separate change, or add an exception with an owner and an end.';
