/** What a condition looks at. */
export type Respect = { of: 'claim'; claim: string } | { of: 'method'; method: string } | { of: RespectName };

/**
 * - `certificate-name`: the name in the provider’s certificate. - `token-address`: where a token works from.
 * - `password-age`: the time since the person entered a password. - `group-source`: where names of groups come from.
 */
export type RespectName =
  | 'audience'
  | 'several-audiences'
  | 'issuer'
  | 'client'
  | 'sign-in'
  | 'source-address'
  | 'token-address'
  | 'requested-scope'
  | 'redirect-uri'
  | 'callback-mode'
  | 'confirmation'
  | 'policies'
  | 'password-age'
  | 'expirationLeeway'
  | 'notBeforeLeeway'
  | 'clockSkewLeeway'
  | 'signing-keys'
  | 'signing-algorithm'
  | 'certificate-name'
  | 'provider-config'
  | 'group-source'
  | 'group-depth';

/** Equal for conditions that look at the same. */
export function respectKey(respect: Respect): string {
  if (respect.of === 'claim') return `claim ${respect.claim}`;
  return respect.of === 'method' ? `method ${respect.method}` : respect.of;
}

/** One of the things that a condition takes, by its names. */
export type MemberName =
  /** In quotes, or as it is. */
  | { text: string }
  | { plain: string }
  /** Keys that are published at an address, by a CA certificate of this fingerprint; and a key of its own. */
  | { keysOf: string; ca?: string }
  | { publicKey: string }
  /** The directory that an administrator may read. */
  | { directoryOf: string }
  | { is: MemberWord };
export type MemberWord =
  | 'by-token'
  | 'by-browser'
  | 'asked'
  | 'left-out'
  | 'same-address'
  | 'other-address'
  | 'own'
  | 'token'
  | 'cloud-directory';
