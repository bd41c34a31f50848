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

/**
 * What to say where a role binds one form of a subject and the token has another form of the same: both forms, and what to
 * bind so that tokens of either sign in. undefined where that is not why.
 */
export function otherFormNote(role: Role, method: AuthMethod, claims: Claims): string | undefined {
  const kind = recognizeKind(method, [role]);
  if (kind === undefined) return undefined;
  const form = kindById(kind).shared?.subject;
  const presented = own(claims, 'sub');
  if (form === undefined || typeof presented !== 'string') return undefined;
  const [forms] = boundSubjects(role).flatMap((all) => otherForm(form, all, presented) ?? []);
  if (forms === undefined) return undefined;
  const { id = '' } = form;
  const value = own(claims, id);
  return [
    `${productOf(kind)} writes subjects in two forms: the role binds \`${forms.bound}\`, and the token has \`${forms.presented}\`.`,
    'For a migration, bind both in boundClaims.sub instead of boundSubject.',
    ...(typeof value === 'string' ? [`Or bind claim ${id} ${JSON.stringify(value)}, which both have.`] : []),
  ].join(' ');
}
