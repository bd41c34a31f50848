import { isPublicIssuer } from '../access/sign-in/public-issuers.ts';
import { containerOrchestrator } from '../model/kinds/container-orchestrator.ts';
import type { Role } from '../model/resources/role.ts';
import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'shared-issuer-unbound',
  severity: 'error',
  about: 'A jwt role that binds neither a subject nor a claim, or binds one to a bare `*`.',
  check: ({ methods, roles }, { kindOf }) =>
    roles
      .filter((role) => role.roleType === 'jwt' && !bindsSomeone(role))
      .map((role) => {
        const config = methods.find(({ path }) => path === role.method)?.config ?? {};
        const issuer = config.boundIssuer ?? config.oidcDiscoveryUrl ?? '';
        const isShared = kindOf(role.method) === containerOrchestrator.kind || isPublicIssuer(issuer);
        return {
          subject: roleSubject(role, role.boundClaims === undefined ? 'boundSubject' : 'boundClaims'),
          severity: isShared ? 'error' : 'warning',
          message: isShared
            ? `The role binds neither a subject nor a claim: everyone who gets a token of this issuer for its audience signs in. The issuer is shared by all who use it.`
            : 'The role binds neither a subject nor a claim: everyone who gets a token of this issuer for its audience signs in.',
          fix: 'Bind a subject, or claims that name who may sign in; best by an id that never changes hands.',
        };
      }),
};

function bindsSomeone({ boundSubject, boundClaims = {}, boundClaimsType }: Role): boolean {
  if (boundSubject) return true;
  const matchesAll = (value: unknown) => boundClaimsType === 'glob' && /^\*+$/.test(String(value));
  return Object.values(boundClaims).some((values) => ![values].flat().some(matchesAll));
}
