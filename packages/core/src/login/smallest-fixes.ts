import { type Claims, claim, listOf, own } from './claims.ts';
import type { SignedIn } from './identify.ts';
import { LoginReason, LoginRefused, LoginStep } from './login-refused.ts';
import type { LoginConfig, LoginRole } from './login-role.ts';

/** All that decides a sign-in and could be another. */
export interface Situation {
  role: LoginRole;
  config: LoginConfig;
  claims: Claims;
}

/** A change of one field that gets past a refusal. */
export interface FieldChange {
  /** Whose field it is. */
  of: 'role' | 'method' | 'token';
  field: string;
  /** In words: `add "app" to boundAudiences`. */
  text: string;
}

/** Signs in with a role, a configuration and claims that may be other than the real ones. */
export type Judge = (situation: Situation) => SignedIn | LoginRefused | Promise<SignedIn | LoginRefused>;

interface Step {
  change: FieldChange;
  changed: Situation;
}

/** Changes beyond which it is another role that is wanted. */
const mostChanges = 4;

/**
 * The smallest changes that would let in who is refused, each proved by signing in again: first those of a single
 * field, then of two, and so on. All equally small ones.
 *
 * @returns nothing where no such change is known: a signature that does not fit, for example.
 */
export async function smallestFixes(from: Situation, judge: Judge): Promise<FieldChange[][]> {
  let attempts: { changes: FieldChange[]; situation: Situation }[] = [{ changes: [], situation: from }];
  for (let count = 0; count < mostChanges; count++) {
    const found: FieldChange[][] = [];
    const next: typeof attempts = [];
    for (const { changes, situation } of attempts) {
      const refusal = await judge(situation);
      if (!(refusal instanceof LoginRefused)) continue;
      for (const { change, changed } of stepsPast(refusal, situation)) {
        const fix = [...changes, change];
        const answer = await judge(changed);
        if (!(answer instanceof LoginRefused)) found.push(fix);
        // A change that does not get past the refusal leads nowhere.
        else if (answer.reason !== refusal.reason || answer.claim !== refusal.claim) {
          next.push({ changes: fix, situation: changed });
        }
      }
    }
    if (found.length > 0) return found;
    attempts = next;
  }
  return [];
}

function stepsPast({ step, reason, claim: refused = '' }: LoginRefused, now: Situation): Step[] {
  switch (step) {
    case LoginStep.token:
      return pastToken(reason, now);
    case LoginStep.audience:
      return texts(own(now.claims, 'aud')).map((audience) =>
        roleStep(now, 'boundAudiences', [audience], `set boundAudiences to ${quoted(audience)}`),
      );
    case LoginStep.userClaim:
      return pastUserClaim(now);
    case LoginStep.claimMappings: {
      const { [refused]: _, ...mappings } = now.role.claimMappings ?? {};
      return [roleStep(now, 'claimMappings', mappings, `take ${quoted(refused)} out of claimMappings`)];
    }
    case LoginStep.groups:
      return pastGroups(now);
    case LoginStep.boundClaims:
      return pastBoundClaims(refused, now);
    case LoginStep.session:
      return pastSession(reason, now);
    default:
      return [];
  }
}

function pastToken(reason: LoginReason, now: Situation): Step[] {
  const { role, config, claims } = now;
  const [issuer, subject] = [own(claims, 'iss'), own(claims, 'sub')];
  const fromProvider = (field: string, text: string, given: Claims): Step => ({
    change: { of: 'token', field, text },
    changed: { ...now, claims: { ...claims, ...given } },
  });
  switch (reason) {
    case LoginReason.issuer: {
      if (typeof issuer === 'string' && role.roleType === 'oidc') {
        return [methodStep(now, 'oidcDiscoveryUrl', issuer)];
      }
      return typeof issuer === 'string' ? [methodStep(now, 'boundIssuer', issuer)] : [];
    }
    case LoginReason.authorizedParty: {
      const clients = new Set(texts([own(claims, 'azp'), own(claims, 'aud')].flat()));
      const { oidcClientId: azp = '' } = config;
      return [
        ...[...clients].map((client) => methodStep(now, 'oidcClientId', client)),
        fromProvider('azp', `present a token that was issued to ${quoted(azp)}`, { azp }),
      ];
    }
    case LoginReason.subjectMissing:
      return [fromProvider('sub', 'have the provider send "sub"', { sub: role.boundSubject || 'sub' })];
    case LoginReason.signedInTooLongAgo:
      return [fromProvider('auth_time', 'sign in at the provider again', { auth_time: 8e12 })];
    case LoginReason.subject:
      return typeof subject === 'string'
        ? [roleStep(now, 'boundSubject', subject, `set boundSubject to ${quoted(subject)}`)]
        : [];
    case LoginReason.audience:
      return texts(own(claims, 'aud')).map((audience) => {
        const bound = [...(role.boundAudiences ?? []), audience];
        return roleStep(now, 'boundAudiences', bound, `add ${quoted(audience)} to boundAudiences`);
      });
    case LoginReason.timesMissing:
    case LoginReason.notYetValid:
    case LoginReason.expired:
    case LoginReason.issuedInFuture: {
      const { exp: _e, nbf: _n, iat: _i, ...rest } = claims;
      const change: FieldChange = { of: 'token', field: 'exp', text: 'present a token that is valid now' };
      // Valid whenever it is judged: issued long ago, for ever.
      return [{ change, changed: { ...now, claims: { ...rest, iat: 1, exp: 8e12 } } }];
    }
    default:
      return [];
  }
}

function pastUserClaim(now: Situation): Step[] {
  const { role, claims } = now;
  const named = ['sub', 'email', 'preferred_username', 'name'].filter(
    (name) => name !== role.userClaim && typeof own(claims, name) === 'string',
  );
  const pointed =
    role.userClaim.startsWith('/') &&
    !role.userClaimJsonPointer &&
    typeof claim(claims, role.userClaim) === 'string'
      ? [roleStep(now, 'userClaimJsonPointer', true, 'set userClaimJsonPointer')]
      : [];
  return [...pointed, ...named.map((name) => roleStep(now, 'userClaim', name, `set userClaim to ${name}`))];
}

function pastGroups(now: Situation): Step[] {
  const { role, claims } = now;
  const { groupsClaim = '' } = role;
  const candidates = Object.keys(claims).filter((name) => {
    const value = own(claims, name);
    const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
    return isList && !['aud', 'amr', groupsClaim].includes(name);
  });
  return [
    ...candidates.map((name) => roleStep(now, 'groupsClaim', name, `set groupsClaim to ${quoted(name)}`)),
    roleStep(now, 'groupsClaim', undefined, 'leave groupsClaim out: then no one is in a group'),
    {
      change: { of: 'token', field: groupsClaim, text: `have the provider send ${quoted(groupsClaim)}` },
      changed: { ...now, claims: { ...claims, [groupsClaim]: [] } },
    },
  ];
}

function pastBoundClaims(failing: string, now: Situation): Step[] {
  const { role, claims } = now;
  const bound = role.boundClaims ?? {};
  const values = [bound[failing] ?? []].flat();
  const { [failing]: _, ...otherBounds } = bound;
  const given = (listOf(claim(claims, failing)) ?? []).filter((value) => typeof value !== 'object');
  const steps = given.map((value) => {
    const wider = { ...bound, [failing]: [...values, value as string] };
    return roleStep(now, 'boundClaims', wider, `bind ${quoted(failing)} to ${quoted(value)} too`);
  });
  if (role.boundClaimsType !== 'glob' && values.some((value) => String(value).includes('*'))) {
    steps.push(roleStep(now, 'boundClaimsType', 'glob', 'set boundClaimsType to glob'));
  }
  // Only where the token cannot meet it: to let in everyone is no small change.
  if (given.length === 0) {
    const text = `bind ${quoted(failing)} no longer (it lets others in as well)`;
    steps.push(roleStep(now, 'boundClaims', otherBounds, text));
  }
  return steps;
}

function pastSession(reason: LoginReason, now: Situation): Step[] {
  if (reason === LoginReason.nameMissing) return pastUserClaim(now);
  if (reason !== LoginReason.policyNotGiven) return [];
  const policies = now.role.policies ?? [];
  return policies.map((policy) => {
    const otherPolicies = policies.filter((one) => one !== policy);
    return roleStep(now, 'policies', otherPolicies, `take ${quoted(policy)} out of policies`);
  });
}

function roleStep<Field extends keyof LoginRole>(
  now: Situation,
  field: Field,
  value: LoginRole[Field],
  text: string,
): Step {
  return { change: { of: 'role', field, text }, changed: { ...now, role: { ...now.role, [field]: value } } };
}

function methodStep(
  now: Situation,
  field: 'boundIssuer' | 'oidcDiscoveryUrl' | 'oidcClientId',
  value: string,
): Step {
  const text = `set ${field} to ${quoted(value)}`;
  return {
    change: { of: 'method', field, text },
    changed: { ...now, config: { ...now.config, [field]: value } },
  };
}

function texts(value: unknown): string[] {
  return [value].flat().filter((one) => typeof one === 'string');
}

function quoted(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
