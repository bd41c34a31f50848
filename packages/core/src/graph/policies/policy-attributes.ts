/** What a server takes for the value of an attribute. */
export type AttributeShape =
  | 'anything'
  | 'text'
  | 'texts'
  | 'lists by name'
  | 'duration'
  | 'instant'
  | 'number'
  | 'block';

/** What a policy may say of a path (openbao/openbao `internal/vault/policy/policy.go`). */
interface Attribute {
  shape: AttributeShape;
  /** Whether judgments read it. Where they do not, it only takes away (docs/inside/measured/policies.md#limits-of-a-rule). */
  judged: 'read' | 'takes';
  /** OpenBao refuses it. */
  isOfVault?: true;
}

export const attributes: Readonly<Record<string, Attribute>> = {
  comment: { shape: 'anything', judged: 'read' },
  policy: { shape: 'text', judged: 'read' },
  capabilities: { shape: 'texts', judged: 'read' },
  allowed_parameters: { shape: 'lists by name', judged: 'read' },
  denied_parameters: { shape: 'lists by name', judged: 'read' },
  required_parameters: { shape: 'texts', judged: 'read' },
  min_wrapping_ttl: { shape: 'duration', judged: 'read' },
  max_wrapping_ttl: { shape: 'duration', judged: 'read' },
  expiration: { shape: 'instant', judged: 'read' },
  mfa_methods: { shape: 'texts', judged: 'takes' },
  pagination_limit: { shape: 'number', judged: 'takes' },
  list_scan_response_keys_filter_path: { shape: 'text', judged: 'takes' },
  control_group: { shape: 'block', judged: 'takes' },
  subscribe_event_types: { shape: 'texts', judged: 'read', isOfVault: true },
};

/** The older words for sets of capabilities. */
export const olderWords: ReadonlyMap<string, readonly string[]> = new Map([
  ['deny', ['deny']],
  ['read', ['read', 'list']],
  ['write', ['create', 'read', 'update', 'delete', 'list']],
  ['sudo', ['create', 'read', 'update', 'delete', 'list', 'sudo']],
]);
