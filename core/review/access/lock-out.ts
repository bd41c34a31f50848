import { Acl } from '../../model/policies/acl.ts';
import { isAdministrativeName } from '../../model/policies/administrative-name.ts';
import type { Change } from '../../rules/change.ts';
import type { Finding } from '../../rules/finding.ts';
import { PolicyTexts } from './policy-paths.ts';
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
    const isAdministrative = allowsAdministration(policy, texts, now);
    if (isLost(policy) && (isAdministrative || isDeployers)) {
      findings.push(
        finding(
          { type: 'policy', name: policy },
          `Nobody can sign in to policy ${quoted(policy)} any more: this closes the last way to it among what is managed here.` +
            (isAdministrative ? ' It decides who signs in, and with what.' : '') +
            (isDeployers ? ' It is one of those that this deployment itself has.' : ''),
        ),
      );
    } else if (isAdministrative && reached(after, policy) && !allowsAdministration(policy, later, now)) {
      const others = after.flatMap(({ policies }) => policies);
      if (others.some((other) => allowsAdministration(other, later, now))) continue;
      findings.push(
        finding(
          { type: 'policy', name: policy },
          `Policy ${quoted(policy)} no longer lets anybody decide who signs in, and no other policy that can be reached does.`,
        ),
      );
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

/** By its text; by its name where there is no text. */
function allowsAdministration(policy: string, texts: PolicyTexts, now: bigint): boolean {
  if (policy === 'root') return true;
  const { rules, unread } = texts.set([policy]);
  if (unread.length > 0) return texts.text(policy) === undefined && isAdministrativeName(policy);
  const acl = new Acl([{ name: policy, rules }], now);
  return administrative.some((path) =>
    acl.capabilities(path).some((capability) => ['create', 'update', 'patch'].includes(capability)),
  );
}

function finding(subject: Finding['subject'], message: string): Finding {
  return {
    rule,
    severity: 'error',
    subject,
    message,
    fix: 'Open another way to it first, in a change of its own, and try that it works. Or turn the rule off with the reason.',
    docs: `docs/review.md#${rule}`,
  };
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
