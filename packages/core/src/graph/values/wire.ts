/**
 * The one table of wire names. docs/inside/specification.md uses neutral words where real servers use product names;
 * docs/inside/measured/sign-in.md#names-on-the-wire pairs them. Only this file knows both spellings and converts
 * camelCase (YAML and TypeScript) to snake_case (the wire) and back. Fields with another wire name have it in their
 * table (`packages/core/src/graph/resources`).
 */
export const Dialect = {
  /** The identifiers of docs/inside/specification.md. */
  neutral: 'neutral',
  /** What Vault and OpenBao understand. */
  vault: 'vault',
} as const;
export type Dialect = (typeof Dialect)[keyof typeof Dialect];

interface WireNames {
  tokenHeader: string;
  requestHeader: string;
  namespaceHeader: string;
  /** Second path segment of the service's UI: `/ui/<uiSegment>/auth/…`. */
  uiSegment: string;
  cloudDirectory: string;
  workspaceSuite: string;
  suiteServiceAccount: string;
  suiteAdminImpersonate: string;
}

/** How each dialect spells headers, segments of the UI and kinds of provider. */
export const names: Record<Dialect, WireNames> = {
  neutral: {
    tokenHeader: 'X-Secrets-Token',
    requestHeader: 'X-Secrets-Request',
    namespaceHeader: 'X-Secrets-Namespace',
    uiSegment: 'secrets',
    cloudDirectory: 'cloud_directory',
    workspaceSuite: 'workspace_suite',
    suiteServiceAccount: 'suite_service_account',
    suiteAdminImpersonate: 'suite_admin_impersonate',
  },
  vault: {
    tokenHeader: 'X-Vault-Token',
    requestHeader: 'X-Vault-Request',
    namespaceHeader: 'X-Vault-Namespace',
    uiSegment: 'vault',
    cloudDirectory: 'azure',
    workspaceSuite: 'gsuite',
    suiteServiceAccount: 'gsuite_service_account',
    suiteAdminImpersonate: 'gsuite_admin_impersonate',
  },
};

/** `oidcDiscoveryUrl` → `oidc_discovery_url`. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `oidc_discovery_url` → `oidcDiscoveryUrl`. */
export function toCamelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
