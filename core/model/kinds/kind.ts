import { z } from 'zod';
import { type MethodConfig, type MethodType, tune } from '../resources/auth-method.ts';
import { groupSettings } from '../resources/external-group.ts';
import type { RoleFields } from '../resources/role.ts';
import { roleSettings } from '../resources/role.ts';

/** The eight kinds of identity provider (interface.md B-2). */
export const ProviderKind = {
  cloudDirectory: 'cloud_directory',
  hostedIdentityPlatform: 'hosted_identity_platform',
  accessManagementSuite: 'access_management_suite',
  sourceHosting: 'source_hosting',
  workspaceSuite: 'workspace_suite',
  openSourceIdentityServer: 'open_source_identity_server',
  enterpriseIdentityProvider: 'enterprise_identity_provider',
  containerOrchestrator: 'container_orchestrator',
} as const;
export type ProviderKind = (typeof ProviderKind)[keyof typeof ProviderKind];

/** What every provider has, whatever its kind. */
export const providerShape = {
  /** Name of the provider in this environment; also the path of its auth method unless `path` says otherwise. */
  name: z.string().regex(/^[a-z0-9][\w-]*$/i, 'a provider name has letters, digits, `_` and `-` only'),
  /** Mount path of the auth method. Defaults to the provider's name. */
  path: z
    .string()
    .regex(/^[^/\s]+(\/[^/\s]+)*$/, 'a path has no blank and no slash at its ends')
    .optional(),
  description: z.string().optional(),
  /** Role used when a sign-in names none. */
  defaultRole: z.string().toLowerCase().optional(),
  tune: tune.optional(),
  /** External groups of this provider. Defaults to none. */
  groups: z.array(groupSettings).default([]),
};

/** What every provider has that people sign in through. */
export const oidcShape = {
  ...providerShape,
  /** Client (application) id that the provider issued. */
  clientId: z.string().min(1),
  oidcResponseMode: z.enum(['query', 'form_post']).optional(),
  /** Roles of the method. Defaults to none. */
  roles: z.array(roleSettings({})).default([]),
};

/** An issuer or the place of its discovery document, to the letter: a slash at the end counts. */
export const issuerUrl = z
  .url({ protocol: /^https?$/, error: 'an http or https URL is needed' })
  .refine((url) => !url.includes('/.well-known/'), 'give the URL without its /.well-known/… suffix');

/** Base URL of a provider, without a slash at its end. */
export const authority = issuerUrl.transform((url) => url.replace(/\/+$/, ''));

/**
 * One provider kind: what its administrator has in hand (`settings`), and what that means for the auth method
 * and its roles. The functions are pure. Every default of a kind stands in its file and nowhere else.
 */
export interface Kind<Settings extends ProviderSettings = ProviderSettings> {
  kind: ProviderKind;
  methodType: MethodType;
  settings: z.ZodType<Settings>;
  /** Configuration of the auth method. */
  config(settings: Settings): MethodConfig;
  /** The defaults of a role; what the role itself says goes before them. */
  role(settings: Settings, role: Settings['roles'][number]): RoleFields & { userClaim: string };
}

/** The settings that all kinds share, as the kind-independent code sees them. */
export interface ProviderSettings {
  kind: ProviderKind;
  name: string;
  path?: string;
  description?: string;
  defaultRole?: string;
  tune?: z.output<typeof tune>;
  oidcResponseMode?: 'query' | 'form_post';
  groups: z.output<typeof groupSettings>[];
  roles: (RoleFields & { name: string })[];
}

/** The groups claim is asked for only where groups are declared: a token without it could not sign in. */
export function groupsClaimFor(settings: ProviderSettings, claim: string): { groupsClaim?: string } {
  return settings.groups.length > 0 ? { groupsClaim: claim } : {};
}
