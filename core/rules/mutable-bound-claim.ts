import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

/** Claim that can change hands → the one beside it that never does. */
const better: Record<string, string> = {
  repository: 'repository_id',
  repository_owner: 'repository_owner_id',
  actor: 'actor_id',
  project_path: 'project_id',
  namespace_path: 'namespace_id',
  user_login: 'user_id',
  terraform_workspace_name: 'terraform_workspace_id',
  terraform_organization_name: 'terraform_organization_id',
  email: 'sub',
  preferred_username: 'sub',
};

export const rule: StateRule = {
  id: 'mutable-bound-claim',
  severity: 'info',
  about: 'A bound claim whose value can pass to somebody else.',
  check: ({ roles }) =>
    roles.flatMap((role) =>
      Object.keys(role.boundClaims ?? {})
        .filter((claim) => Object.hasOwn(better, claim))
        .map((claim) => ({
          subject: roleSubject(role, 'boundClaims'),
          message: `The claim ${JSON.stringify(claim)} is a name: whoever takes it over after a rename or deletion can sign in.`,
          fix: `Bind ${JSON.stringify(better[claim])} instead, or as well.`,
        })),
    ),
};
