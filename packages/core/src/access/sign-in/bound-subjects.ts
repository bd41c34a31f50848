import { kindById, productOf, recognizeKind } from '../../graph/kinds/kinds.ts';
import { type BoundSubject, boundSubject, otherForm } from '../../graph/kinds/subject-form.ts';
import type { AuthMethod } from '../../graph/resources/auth-method.ts';
import { isSame } from '../../graph/resources/field.ts';
import type { Role } from '../../graph/resources/role.ts';
import { asText } from '../../graph/values/loose-values.ts';
import { type Claims, own, placeOf } from '../../login/claims.ts';
import type { LoginRole } from '../../login/login-role.ts';

/** The subjects that a role binds: a token needs one of each list. */
export function boundSubjects(
  role: Pick<LoginRole, 'boundSubject' | 'boundClaims' | 'boundClaimsType'>,
): BoundSubject[][] {
  const isGlob = role.boundClaimsType === 'glob';
  return [
    ...(role.boundSubject ? [[boundSubject(role.boundSubject, false)]] : []),
    ...Object.entries(role.boundClaims ?? {}).flatMap(([name, bound]) =>
      isSame(placeOf(name), ['sub'])
        ? [[bound].flat().map((value) => boundSubject(asText(value), isGlob))]
        : [],
    ),
  ];
}

/** Two forms of one subject: what a role binds, and what a token has; and the claim that both have, with its value. */
export interface SubjectForms {
  product: string;
  bound: string;
  presented: string;
  id?: { claim: string; value: string };
}

/** The two forms where a role binds one of a subject and the token has the other; undefined where that is not why. */
export function otherFormOf(role: Role, method: AuthMethod, claims: Claims): SubjectForms | undefined {
  const kind = recognizeKind(method, [role]);
  if (kind === undefined) return undefined;
  const form = kindById(kind).shared?.subject;
  const subject = own(claims, 'sub');
  if (form === undefined || typeof subject !== 'string') return undefined;
  const [forms] = boundSubjects(role).flatMap((all) => otherForm(form, all, subject) ?? []);
  if (forms === undefined) return undefined;
  const { id = '' } = form;
  const value = own(claims, id);
  const { bound, presented } = forms;
  return {
    product: productOf(kind),
    bound,
    presented,
    ...(typeof value === 'string' && { id: { claim: id, value } }),
  };
}
