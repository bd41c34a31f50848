import { acl } from './scenarios/acl.ts';
import { entities } from './scenarios/entities.ts';
import { groups } from './scenarios/groups.ts';
import { jwtLogin } from './scenarios/jwt-login.ts';
import { membership } from './scenarios/membership.ts';
import { methodConfig } from './scenarios/method-config.ts';
import { mounts } from './scenarios/mounts.ts';
import { namespaces } from './scenarios/namespaces.ts';
import { oidcLogin } from './scenarios/oidc-login.ts';
import { policies } from './scenarios/policies.ts';
import { renewal } from './scenarios/renewal.ts';
import { role } from './scenarios/role.ts';
import { system } from './scenarios/system.ts';
import { templates } from './scenarios/templates.ts';
import { tokens } from './scenarios/tokens.ts';
import { visibleMounts } from './scenarios/visible-mounts.ts';
import type { Scenario } from './step.ts';

/** What both servers are asked, in this order. */
export const scenarios: Scenario[] = [
  ...system,
  ...mounts,
  ...visibleMounts,
  ...methodConfig,
  ...role,
  ...jwtLogin,
  ...oidcLogin,
  ...tokens,
  ...policies,
  ...acl,
  ...templates,
  ...entities,
  ...groups,
  ...membership,
  ...renewal,
  ...namespaces,
];
