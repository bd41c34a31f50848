import { openToInternet, tellsWhose, trustsPublicIssuer } from '../../access/sign-in/public-issuers.ts';
import { containerOrchestrator } from '../../graph/kinds/container-orchestrator.ts';
import { kindById } from '../../graph/kinds/kinds.ts';
import { methodAt } from '../../graph/parts-by-name.ts';
import type { AuthMethod } from '../../graph/resources/auth-method.ts';
import type { Role } from '../../graph/resources/role.ts';
import { roleSubject } from '../../graph/subject.ts';
import type { GraphRule, Objection, RuleContext } from './rule.ts';

export const sharedIssuerUnbound: GraphRule = {
  id: 'shared-issuer-unbound',
  severity: 'error',
  about: 'A jwt role that binds neither a subject nor a claim that identifies the owner of a token.',
  check: ({ methods, roles }, { kindOf }) =>
    roles
      .filter(({ roleType }) => roleType === 'jwt')
      .flatMap((role) => {
        const found = whatIsLeftOpen(role, methodAt(methods, role.method), kindOf);
        if (found === undefined) return [];
        return {
          ...found,
          subject: roleSubject(role, role.boundClaims === undefined ? 'boundSubject' : 'boundClaims'),
          fix: 'Bind a subject or a claim that names who may sign in, preferably an id that is never reassigned.',
        };
      }),
};

function whatIsLeftOpen(
  role: Role,
  method: AuthMethod | undefined,
  kindOf: RuleContext['kindOf'],
): Pick<Objection, 'severity' | 'message'> | undefined {
  const isPublic = method !== undefined && trustsPublicIssuer(role, method);
  const kind = kindOf(role.method);
  if (!bindsSomeone(role)) {
    const unbound =
      'The role binds neither a subject nor a claim. Everyone with a token of this issuer for its audience can sign in.';
    return isPublic || kind === containerOrchestrator.kind
      ? { severity: 'error', message: `${unbound} Others share the issuer.` }
      : { severity: 'warning', message: unbound };
  }
  const everyone = isPublic ? openToInternet(role, method) : undefined;
  if (everyone !== undefined) {
    const message = `No bound claim identifies the owner of a token: ${everyone} can sign in. Anyone can choose the values of the bound claims.`;
    return { severity: 'error', message };
  }
  const shared = kind === undefined ? undefined : kindById(kind).shared;
  if (isPublic || shared === undefined || tellsWhose(role, shared.whose)) return undefined;
  const message = `No bound claim identifies the owner of a token: ${shared.tokens} at this issuer can sign in.`;
  return { severity: 'warning', message };
}

function bindsSomeone({ boundSubject, boundClaims = {}, boundClaimsType }: Role): boolean {
  if (boundSubject) return true;
  const matchesAll = (value: unknown) => boundClaimsType === 'glob' && /^\*+$/.test(String(value));
  return Object.values(boundClaims).some((values) => ![values].flat().some(matchesAll));
}
