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
