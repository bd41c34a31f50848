import type { Change } from '../../model/change.ts';
import type { Acl } from '../../model/policies/acl.ts';
import { PolicyTexts } from '../../model/policies/policy-texts.ts';
import type { Finding } from '../../rules/finding.ts';
import { keyOf, type WayIn, waysIn } from './ways-in.ts';

/** Who applies the change, as far as the service tells. */
export interface Deployer {
  /** Policies of the deployer's token. */
  policies: string[];
  /** The role that the deployer signed in with. */
  role?: { method: string; name: string };
}

/** Writes by which one decides who signs in, and with what. */
const administrative = ['sys/policies/acl/x', 'sys/policy/x', 'auth/x/role/x', 'identity/group/id/x'];

const rule = 'lock-out';

/**
 * Objects to a change that closes the last way to an administrative policy, or to what the deployer has. Ways that are
 * not part of the plan are not seen: what they are is said in the message.
 */
export function lockOuts(change: Change, now: bigint, deployer?: Deployer): Finding[] {
  const before = [...waysIn(change.before).values()];
  const ways = waysIn(change.after);
  const after = [...ways.values()];
  const reached = (list: WayIn[], policy: string) => list.some(({ policies }) => policies.includes(policy));
  const texts = new PolicyTexts(change.before.policies, now);
  const later = new PolicyTexts(change.after.policies, now);
  // A policy that is deleted gives nothing to whoever still carries its name.
  const isDeleted = (policy: string) => texts.text(policy) !== undefined && later.text(policy) === undefined;
  const isLost = (policy: string) =>
    reached(before, policy) && (!reached(after, policy) || isDeleted(policy));

  const findings: Finding[] = [];
  for (const policy of new Set(before.flatMap(({ policies }) => policies))) {
    const isDeployers = deployer?.policies.includes(policy) === true && policy !== 'default';
    const isAdministrative = texts.gives(policy, administers);
    if (isLost(policy) && (isAdministrative || isDeployers)) {
      findings.push(
        finding(
          { type: 'policy', name: policy },
          `Nobody can get policy ${quoted(policy)} by signing in any more: this closes the last way to it among what is managed here.` +
            (isAdministrative ? ' It decides who signs in, and with what.' : '') +
            (isDeployers ? ' It is one of those that this deployment itself has.' : ''),
        ),
      );
    } else if (isAdministrative && reached(after, policy) && !later.gives(policy, administers)) {
      const others = after.flatMap(({ policies }) => policies);
      if (others.some((other) => later.gives(other, administers))) continue;
      findings.push(
        finding(
          { type: 'policy', name: policy },
          `Policy ${quoted(policy)} no longer lets anybody decide who signs in, and no other policy that can be reached does.`,
        ),
      );
    } else if (isAdministrative && reached(after, policy)) {
      const [was, is] = [texts, later].map((side) => administrationLimits(side.set([policy]).acl));
      if (is === '' || is === was) continue;
      findings.push({
        ...finding(
          { type: 'policy', name: policy, field: 'text' },
          `Policy ${quoted(policy)} puts a new limit on deciding who signs in. Whether anybody can still meet it cannot be judged.`,
        ),
        rule: 'cannot-be-judged',
        severity: 'warning',
        docs: 'docs/rules.md#cannot-be-judged',
      });
    }
  }
  const role = deployer?.role;
  if (role !== undefined) {
    const key = keyOf('role', role.method, role.name);
    if (waysIn(change.before).has(key) && !ways.has(key)) {
      findings.push(
        finding(
          { type: 'role', name: role.name, method: role.method },
          `This deployment itself signed in by role ${quoted(role.name)} of auth/${role.method}, which it closes: the next one would not get in.`,
        ),
      );
    }
  }
  return findings;
}

/** Whether it decides who signs in, and with what. */
function administers(acl: Acl): boolean {
  return administrative.some((path) =>
    acl.capabilities(path).some((capability) => ['create', 'update', 'patch'].includes(capability)),
  );
}

/** What is asked there beside capabilities, to be compared; empty for nothing. */
function administrationLimits(acl: Acl): string {
  return administrative.map((path) => acl.limits(path)).join('');
}

function finding(subject: Finding['subject'], message: string): Finding {
  return {
    rule,
    severity: 'error',
    subject,
    message,
    fix: 'Open another way to it first, in a separate change, and check that it works. Or turn the rule off with the reason.',
    docs: `docs/review.md#${rule}`,
  };
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
