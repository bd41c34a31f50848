/** A semantic version from `sys/seal-status`, for example `1.21.0+ent.hsm`. */
export interface ServiceVersion {
  text: string;
  major: number;
  minor: number;
  /** The part after `+`; empty if there is none. */
  metadata: string;
}

/** Undefined if the text is not a semantic version. */
export function parseServiceVersion(text: string): ServiceVersion | undefined {
  const match = /^v?(\d+)\.(\d+)(?:\.\d+)?(?:-[0-9A-Za-z.-]+)?(?:\+([0-9A-Za-z.-]+))?$/.exec(text);
  if (match === null) return undefined;
  return { text, major: Number(match[1]), minor: Number(match[2]), metadata: match[3] ?? '' };
}

/**
 * Whether the service has custom messages: an enterprise feature since 1.16
 * (hashicorp/terraform-provider-vault `vault/resource_config_ui_custom_message.go`).
 */
export function hasCustomMessages({ major, minor, metadata }: ServiceVersion): boolean {
  return metadata.includes('ent') && (major > 1 || (major === 1 && minor >= 16));
}

/** Whether the service has namespaces: HashiCorp's free edition has none, and OpenBao since 2.3. */
export function hasNamespaces({ major, minor, metadata }: ServiceVersion): boolean {
  return metadata.includes('ent') || major > 2 || (major === 2 && minor >= 3);
}

/** Whose software a secrets service is. */
export type Product = 'OpenBao' | 'Vault' | 'Gatehouse';

/** The product of a service by its answer at `sys/seal-status`; undefined where that has no version. */
export function productIn(status: Readonly<Record<string, unknown>>): Product | undefined {
  const version = parseServiceVersion(String(status['version'] ?? ''));
  if (version === undefined) return undefined;
  if (status['storage_type'] === 'gatehouse') return 'Gatehouse';
  // OpenBao begins at 2.0, has no edition, and since 2.6 `commit_date`.
  const isOpenBao = 'commit_date' in status || (version.major === 2 && !version.metadata.includes('ent'));
  return isOpenBao ? 'OpenBao' : 'Vault';
}

/** Whether a group has members of its own namespace alone: OpenBao 2.7.2 refuses others, Vault Enterprise takes them. */
export function keepsToNamespace(status: Readonly<Record<string, unknown>> = {}): boolean {
  const product = productIn(status);
  return product === 'OpenBao' || product === 'Gatehouse';
}
