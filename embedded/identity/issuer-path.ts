import { identityPath } from '../../core/model/environment.ts';
import type { ProviderKind } from '../../core/model/kinds/kind.ts';

/** The parts of an issuer's path that its administrator chooses. */
export interface IssuerNames {
  /** The cloud directory's tenant. Defaults to `00000000-0000-4000-8000-000000000001`. */
  tenantId?: string;
  /** The open-source identity server's realm. Defaults to `main`. */
  realm?: string;
  /** The enterprise identity provider's authorization server. Defaults to `default`. */
  authorizationServer?: string;
}

export const developmentTenantId = '00000000-0000-4000-8000-000000000001';

/** Path of a kind's issuer: the authority and what the kind's discovery URL adds to it (interface.md B-2). */
export function issuerPath(kind: ProviderKind, names: IssuerNames): string {
  const { tenantId = developmentTenantId, realm = 'main', authorizationServer = 'default' } = names;
  const added: Partial<Record<ProviderKind, string>> = {
    cloud_directory: `/${tenantId}/v2.0`,
    access_management_suite: '/oauth2',
    open_source_identity_server: `/realms/${realm}`,
    enterprise_identity_provider: `/oauth2/${authorizationServer}`,
  };
  return `${identityPath(kind)}${added[kind] ?? ''}`;
}
