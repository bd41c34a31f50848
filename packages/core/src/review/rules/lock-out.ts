import { settings } from '../../access/administration.ts';
import type { Change } from '../../graph/change.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Acl } from '../../graph/policies/acl.ts';
import { PolicyTexts } from '../../graph/policies/policy-texts.ts';
import { partName, plainName } from '../../graph/values/visible.ts';
import type { ChangeContext, ChangeRule, Objection } from './rule.ts';

const samplePaths = settings.map((pattern) => pattern.replace(/[+*]/g, 'x'));

/**
 * Objects to a change that closes the last way to an administrative policy, or to what the deployer has. Ways that are
 * not part of the plan are not seen: the message names them.
 */
export const lockOut: ChangeRule = {
  id: 'lock-out',
  severity: 'error',
  about: 'A change that removes the last administrator, or the sign-in of this deployment.',
  check: (change, context) => [...policiesLost(change, context), ...deployingRoleLost(change, context)],
};

/** Policies of administrators, and of this deployment, that no one can get any more, or that give less. */
function policiesLost(
  { before, after }: Change,
  { deployer, isRestoring, now, access: { held } }: ChangeContext,
): Objection[] {
  const textsBefore = new PolicyTexts(before.policies, now);
  const textsAfter = new PolicyTexts(after.policies, now);
  // A deleted policy gives nothing to principals that still carry its name.
  const isDeleted = (policy: string) =>
    textsBefore.text(policy) !== undefined && textsAfter.text(policy) === undefined;
  let isAdministeredAfter: boolean | undefined;
  const anyAdministersAfter = () =>
    (isAdministeredAfter ??= [...held.after].some((policy) => textsAfter.gives(policy, administers)));
  return [...held.before].flatMap((policy): Objection[] => {
    const isReached = held.after.has(policy);
    const isDeployers = deployer?.policies.includes(policy) === true && policy !== 'default';
    const isAdministrative = textsBefore.gives(policy, administers);
    if ((!isReached || isDeleted(policy)) && (isAdministrative || isDeployers))
      return [unreachable(policy, { isAdministrative, isDeployers, isRestoring })];
    if (!isReached && textsBefore.text(policy) !== undefined && textsBefore.rules(policy) === undefined)
      return [unreadable(policy)];
    if (!isAdministrative || !isReached) return [];
    if (!textsAfter.gives(policy, administers))
      return anyAdministersAfter() ? [] : [noLongerAdministering(policy)];
    const limitsBefore = administrationLimits(textsBefore.set([policy]).acl);
    const limitsAfter = administrationLimits(textsAfter.set([policy]).acl);
    return limitsAfter === '' || limitsAfter === limitsBefore ? [] : [limited(policy)];
  });
}

/** The role that this deployment signed in with, where the change removes it. */
function deployingRoleLost({ before, after }: Change, { deployer }: ChangeContext): Objection[] {
  const role = deployer?.role;
  if (role === undefined) return [];
  const hasRole = ({ roles }: Graph) =>
    roles.some(
      ({ method, name }) => method === role.method && name.toLowerCase() === role.name.toLowerCase(),
    );
  if (!hasRole(before) || hasRole(after)) return [];
  return [
    {
      subject: { type: 'role', name: role.name, method: role.method },
      message: `This deployment signed in with ${partName('role', role.method, role.name)} and removes it. The next deployment could not sign in.`,
      fix,
    },
  ];
}

function unreachable(
  policy: string,
  {
    isAdministrative,
    isDeployers,
    isRestoring,
  }: { isAdministrative: boolean; isDeployers: boolean; isRestoring: boolean },
): Objection {
  return {
    subject: { type: 'policy', name: policy },
    // Someone gave it by hand, where no one is to have it.
    ...(isRestoring && !isDeployers && { severity: 'warning' as const }),
    message:
      `No one managed here can get ${partName('policy', policy)} by signing in any more.` +
      (isAdministrative ? ' It administers the service.' : '') +
      (isDeployers ? ' This deployment itself uses it.' : ''),
    fix,
  };
}

function unreadable(policy: string): Objection {
  return {
    subject: { type: 'policy', name: policy, field: 'text' },
    message: `No one can get ${partName('policy', policy)} by signing in any more. Its text is unreadable, so it may have been the last administrators’ policy.`,
    fix: 'Correct the text first, in a separate change.',
  };
}

function noLongerAdministering(policy: string): Objection {
  return {
    subject: { type: 'policy', name: policy },
    message: `Policy ${plainName(policy)} no longer administers the service. No other policy that people can get does.`,
    fix,
  };
}

function limited(policy: string): Objection {
  return {
    subject: { type: 'policy', name: policy, field: 'text' },
    severity: 'warning',
    message: `Policy ${plainName(policy)} puts a new limit on administration. Not checked: whether anyone can still meet it.`,
    fix,
  };
}

/** Whether it decides who signs in, and with what. */
function administers(acl: Acl): boolean {
  return samplePaths.some((path) =>
    acl.capabilities(path).some((capability) => ['create', 'update', 'patch'].includes(capability)),
  );
}

/** What is asked there in addition to capabilities, to be compared; empty for nothing. */
function administrationLimits(acl: Acl): string {
  return samplePaths.map((path) => acl.limits(path)).join('');
}

const fix =
  'Add and test another sign-in to it first, in a separate change, or add an exception with an owner and an end.';
