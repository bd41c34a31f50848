import { kindById, type ProviderKind, providerKinds } from '../model/kinds/kinds.ts';
import type { Role } from '../model/resources/role.ts';
import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

const shared = providerKinds.flatMap((kind) => kindById(kind).shared ?? []);

/** Claim that can change hands → the one beside it that never does. */
const better: Record<string, string> = {
  ...Object.assign({}, ...shared.map(({ names }) => names)),
  actor: 'actor_id',
  user_login: 'user_id',
  terraform_workspace_name: 'terraform_workspace_id',
  email: 'sub',
  preferred_username: 'sub',
};

export const rule: StateRule = {
  id: 'mutable-bound-claim',
  severity: 'info',
  about: 'A bound claim whose value can pass to somebody else.',
  check: ({ roles }, { kindOf }) =>
    roles.flatMap((role) =>
      Object.keys(role.boundClaims ?? {})
        .filter((claim) => Object.hasOwn(better, claim))
        .map((claim) => ({
          severity: isAllThere(role, claim, kindOf(role.method)) ? 'warning' : 'info',
          subject: roleSubject(role, 'boundClaims'),
          message: `The claim ${JSON.stringify(claim)} is a name: whoever takes it over after a rename or deletion can sign in.`,
          fix: `Bind ${JSON.stringify(better[claim])} instead, or as well.`,
        })),
    ),
};

/** Whether names alone tell whose pipelines sign in: whoever takes one over gets in from anywhere in the world. */
function isAllThere({ boundClaims = {}, boundSubject }: Role, claim: string, kind: ProviderKind | undefined) {
  const names = kind === undefined ? {} : (kindById(kind).shared?.names ?? {});
  if (boundSubject || !Object.hasOwn(names, claim)) return false;
  return !Object.values(names).some((id) => Object.hasOwn(boundClaims, id));
}
