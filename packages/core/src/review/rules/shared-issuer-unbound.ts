import { boundSubjects } from '../../access/sign-in/bound-subjects.ts';
import { openToInternet, tellsWhose, trustsPublicIssuer } from '../../access/sign-in/public-issuers.ts';
import { containerOrchestrator } from '../../graph/kinds/container-orchestrator.ts';
import { kindById } from '../../graph/kinds/kinds.ts';
import { formsOf, type SubjectForm, tellsWhoseSubject } from '../../graph/kinds/subject-form.ts';
import { methodAt } from '../../graph/parts-by-name.ts';
import type { AuthMethod } from '../../graph/resources/auth-method.ts';
import type { Role } from '../../graph/resources/role.ts';
import { roleSubject } from '../../graph/subject.ts';
import { openWords } from '../../words/everyone-words.ts';
import type { GraphRule, Objection, RuleContext } from './rule.ts';

export const sharedIssuerUnbound: GraphRule = {
  id: 'shared-issuer-unbound',
  severity: 'error',
  about: 'A jwt role that binds neither a subject nor a claim that identifies the owner of a token.',
  check: ({ methods, roles }, { kindOf }) =>
    roles
      .filter(({ roleType }) => roleType === 'jwt')
      .flatMap((role) => {
        const problem = whatIsLeftOpen(role, methodAt(methods, role.method), kindOf);
        if (problem === undefined) return [];
        return {
          ...problem,
          subject: roleSubject(role, role.boundClaims === undefined ? 'boundSubject' : 'boundClaims'),
        };
      }),
};

const fix =
  'Bind a subject or a claim that names who may sign in, preferably an id that is never reassigned.';

function whatIsLeftOpen(
  role: Role,
  method: AuthMethod | undefined,
  kindOf: RuleContext['kindOf'],
): Pick<Objection, 'severity' | 'message' | 'fix'> | undefined {
  const isPublic = method !== undefined && trustsPublicIssuer(role, method);
  const kind = kindOf(role.method);
  if (!bindsSomeone(role)) {
    const unbound =
      'The role binds neither a subject nor a claim. Everyone with a token of this issuer for its audience can sign in.';
    return isPublic || kind === containerOrchestrator.kind
      ? { severity: 'error', message: `${unbound} Others share the issuer.`, fix }
      : { severity: 'warning', message: unbound, fix };
  }
  const shared = kind === undefined ? undefined : kindById(kind).shared;
  const openBound = shared && openSubject(role, shared.subject);
  const everyone = isPublic ? openToInternet(role, method) : undefined;
  if (everyone !== undefined) {
    const why = openBound?.why ?? 'Anyone can choose the values of the bound claims.';
    const message = `No bound claim identifies the owner of a token: ${openWords(everyone)} can sign in. ${why}`;
    return { severity: 'error', message, fix: openBound?.fix ?? fix };
  }
  if (isPublic || shared === undefined || tellsWhose(role, shared.whose, shared.subject)) return undefined;
  const who = `No bound claim identifies the owner of a token: ${shared.tokens} at this issuer can sign in.`;
  const message = openBound === undefined ? who : `${who} ${openBound.why}`;
  return { severity: 'warning', message, fix: openBound?.fix ?? fix };
}

/** A bound subject that is of no one owner: why, and how the issuer writes subjects. */
function openSubject(role: Role, form: SubjectForm): { why: string; fix: string } | undefined {
  const bound = boundSubjects(role)
    .flat()
    .find((subject) => !tellsWhoseSubject(form, subject));
  if (bound === undefined) return undefined;
  const forms = formsOf(form, bound)
    .map((text) => `\`${text}\``)
    .join(' or ');
  return bound.isExact
    ? {
        why: `Subject ${JSON.stringify(bound.text)} names no owner.`,
        fix: `Bind a subject that names one: ${forms}.`,
      }
    : {
        why: `Subject ${JSON.stringify(bound.text)} leaves the owner open: a * also stands for separators.`,
        fix: `Name the owner up to its separator before the first *: ${forms}.`,
      };
}

function bindsSomeone({ boundSubject, boundClaims = {}, boundClaimsType }: Role): boolean {
  if (boundSubject) return true;
  const matchesAll = (value: unknown) => boundClaimsType === 'glob' && /^\*+$/.test(String(value));
  return Object.values(boundClaims).some((values) => ![values].flat().some(matchesAll));
}
