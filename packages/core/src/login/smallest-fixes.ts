import { type Claims, claim, listOf, own } from './claims.ts';
import type { SignedIn } from './identify.ts';
import { LoginReason, LoginRefused, LoginStep } from './login-refused.ts';
import type { LoginConfig, LoginRole } from './login-role.ts';

/** Everything that decides a sign-in and that a fix could change. */
export interface Situation {
  role: LoginRole;
  config: LoginConfig;
  claims: Claims;
}

/** A change of one field that gets past a refusal. */
export interface FieldChange {
  /** The owner of the field. */
  of: 'role' | 'method' | 'token';
  field: string;
  /** In words: `add "app" to boundAudiences`. */
  text: string;
}

/** Signs in with a role, a configuration and claims that may be other than the real ones. */
export type SituationJudge = (
  situation: Situation,
) => SignedIn | LoginRefused | Promise<SignedIn | LoginRefused>;

interface FixStep {
  change: FieldChange;
  changed: Situation;
}

/** Most changes of one fix. With more, another role is needed. */
const mostChanges = 4;

/**
 * The smallest changes that would let a refused sign-in pass, each proved by signing in again: first those of a single
 * field, then of two, and so on. All equally small ones.
 *
 * @returns nothing where no such change is known: a signature that does not fit, for example.
 */
export async function smallestFixes(start: Situation, judge: SituationJudge): Promise<FieldChange[][]> {
  let attempts: { changes: FieldChange[]; situation: Situation }[] = [{ changes: [], situation: start }];
  for (let count = 0; count < mostChanges; count++) {
    const fixes: FieldChange[][] = [];
    const next: typeof attempts = [];
    for (const { changes, situation } of attempts) {
      const refusal = await judge(situation);
      if (!(refusal instanceof LoginRefused)) continue;
      for (const { change, changed } of stepsPast(refusal, situation)) {
        const fix = [...changes, change];
        const answer = await judge(changed);
        if (!(answer instanceof LoginRefused)) fixes.push(fix);
        // A change that does not get past the refusal leads nowhere.
        else if (answer.reason !== refusal.reason || answer.claim !== refusal.claim) {
          next.push({ changes: fix, situation: changed });
        }
      }
    }
    if (fixes.length > 0) return fixes;
    attempts = next;
  }
  return [];
}

function stepsPast({ step, reason, claim: refused = '' }: LoginRefused, situation: Situation): FixStep[] {
  switch (step) {
    case LoginStep.token:
      return pastToken(reason, situation);
    case LoginStep.audience:
      return texts(own(situation.claims, 'aud')).map((audience) =>
        roleStep(situation, 'boundAudiences', [audience], `set boundAudiences to ${quoted(audience)}`),
      );
    case LoginStep.userClaim:
      return pastUserClaim(situation);
    case LoginStep.claimMappings: {
      const { [refused]: _, ...mappings } = situation.role.claimMappings ?? {};
      return [roleStep(situation, 'claimMappings', mappings, `take ${quoted(refused)} out of claimMappings`)];
    }
    case LoginStep.groups:
      return pastGroups(situation);
    case LoginStep.boundClaims:
      return pastBoundClaims(refused, situation);
    case LoginStep.session:
      return pastSession(reason, situation);
    default:
      return [];
  }
}

function pastToken(reason: LoginReason, situation: Situation): FixStep[] {
  const { role, config, claims } = situation;
  const issuer = own(claims, 'iss');
  const subject = own(claims, 'sub');
  const fromProvider = (field: string, text: string, sent: Claims): FixStep => ({
    change: { of: 'token', field, text },
    changed: { ...situation, claims: { ...claims, ...sent } },
  });
  switch (reason) {
    case LoginReason.issuer: {
      if (typeof issuer === 'string' && role.roleType === 'oidc') {
        return [methodStep(situation, 'oidcDiscoveryUrl', issuer)];
      }
      return typeof issuer === 'string' ? [methodStep(situation, 'boundIssuer', issuer)] : [];
    }
    case LoginReason.authorizedParty: {
      const clients = new Set(texts([own(claims, 'azp'), own(claims, 'aud')].flat()));
      const { oidcClientId: azp = '' } = config;
      return [
        ...[...clients].map((client) => methodStep(situation, 'oidcClientId', client)),
        fromProvider('azp', `present a token that was issued to ${quoted(azp)}`, { azp }),
      ];
    }
    case LoginReason.subjectMissing:
      return [fromProvider('sub', 'have the provider send "sub"', { sub: role.boundSubject || 'sub' })];
    case LoginReason.signedInTooLongAgo:
      return [fromProvider('auth_time', 'sign in at the provider again', { auth_time: 8e12 })];
    case LoginReason.subject:
      return typeof subject === 'string'
        ? [roleStep(situation, 'boundSubject', subject, `set boundSubject to ${quoted(subject)}`)]
        : [];
    case LoginReason.audience:
      return texts(own(claims, 'aud')).map((audience) => {
        const bound = [...(role.boundAudiences ?? []), audience];
        return roleStep(situation, 'boundAudiences', bound, `add ${quoted(audience)} to boundAudiences`);
      });
    case LoginReason.timesMissing:
    case LoginReason.notYetValid:
    case LoginReason.expired:
    case LoginReason.issuedInFuture: {
      const { exp: _e, nbf: _n, iat: _i, ...rest } = claims;
      const change: FieldChange = { of: 'token', field: 'exp', text: 'present a token that is valid now' };
      // Valid whenever it is judged: issued long ago, for ever.
      return [{ change, changed: { ...situation, claims: { ...rest, iat: 1, exp: 8e12 } } }];
    }
    default:
      return [];
  }
}

function pastUserClaim(situation: Situation): FixStep[] {
  const { role, claims } = situation;
  const textClaims = ['sub', 'email', 'preferred_username', 'name'].filter(
    (name) => name !== role.userClaim && typeof own(claims, name) === 'string',
  );
  const pointed =
    role.userClaim.startsWith('/') &&
    !role.userClaimJsonPointer &&
    typeof claim(claims, role.userClaim) === 'string'
      ? [roleStep(situation, 'userClaimJsonPointer', true, 'set userClaimJsonPointer')]
      : [];
  return [
    ...pointed,
    ...textClaims.map((name) => roleStep(situation, 'userClaim', name, `set userClaim to ${name}`)),
  ];
}

function pastGroups(situation: Situation): FixStep[] {
  const { role, claims } = situation;
  const { groupsClaim = '' } = role;
  const candidates = Object.keys(claims).filter((name) => {
    const value = own(claims, name);
    const isList = Array.isArray(value) && value.every((element) => typeof element === 'string');
    return isList && !['aud', 'amr', groupsClaim].includes(name);
  });
  return [
    ...candidates.map((name) =>
      roleStep(situation, 'groupsClaim', name, `set groupsClaim to ${quoted(name)}`),
    ),
    roleStep(situation, 'groupsClaim', undefined, 'leave groupsClaim out: then no one is in a group'),
    {
      change: { of: 'token', field: groupsClaim, text: `have the provider send ${quoted(groupsClaim)}` },
      changed: { ...situation, claims: { ...claims, [groupsClaim]: [] } },
    },
  ];
}

function pastBoundClaims(failing: string, situation: Situation): FixStep[] {
  const { role, claims } = situation;
  const bound = role.boundClaims ?? {};
  const values = [bound[failing] ?? []].flat();
  const { [failing]: _, ...otherBounds } = bound;
  const claimed = (listOf(claim(claims, failing)) ?? []).filter((value) => typeof value !== 'object');
  const steps = claimed.map((value) => {
    const wider = { ...bound, [failing]: [...values, value as string] };
    return roleStep(situation, 'boundClaims', wider, `bind ${quoted(failing)} to ${quoted(value)} too`);
  });
  if (role.boundClaimsType !== 'glob' && values.some((value) => String(value).includes('*'))) {
    steps.push(roleStep(situation, 'boundClaimsType', 'glob', 'set boundClaimsType to glob'));
  }
  // Only where the token cannot meet it: to let in everyone is no small change.
  if (claimed.length === 0) {
    const text = `bind ${quoted(failing)} no longer (it lets others in as well)`;
    steps.push(roleStep(situation, 'boundClaims', otherBounds, text));
  }
  return steps;
}

function pastSession(reason: LoginReason, situation: Situation): FixStep[] {
  if (reason === LoginReason.nameMissing) return pastUserClaim(situation);
  if (reason !== LoginReason.policyNotGiven) return [];
  const policies = situation.role.policies ?? [];
  return policies.map((policy) => {
    const otherPolicies = policies.filter((name) => name !== policy);
    return roleStep(situation, 'policies', otherPolicies, `take ${quoted(policy)} out of policies`);
  });
}

function roleStep<Field extends keyof LoginRole>(
  situation: Situation,
  field: Field,
  value: LoginRole[Field],
  text: string,
): FixStep {
  return {
    change: { of: 'role', field, text },
    changed: { ...situation, role: { ...situation.role, [field]: value } },
  };
}

function methodStep(
  situation: Situation,
  field: 'boundIssuer' | 'oidcDiscoveryUrl' | 'oidcClientId',
  value: string,
): FixStep {
  const text = `set ${field} to ${quoted(value)}`;
  return {
    change: { of: 'method', field, text },
    changed: { ...situation, config: { ...situation.config, [field]: value } },
  };
}

function texts(value: unknown): string[] {
  return [value].flat().filter((text) => typeof text === 'string');
}

function quoted(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
