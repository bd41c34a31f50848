/**
 * What the embedded identity provider does as an issuer of a kind: what the product does whose administrator followed the
 * kind's page. What is left out is as OpenID Connect has it.
 */
export interface EmbeddedIssuer {
  /** Settings in its URL. */
  issuer?: Record<string, string>;
  /** Its base URL ends in a slash. Defaults to false. */
  endsInSlash?: true;
  /** Scopes in addition to `openid` → the claims that they give. */
  scopes?: Readonly<Record<string, readonly string[]>>;
  /** Other scopes that it takes. They give no claims. */
  otherScopes?: RegExp;
  /**
   * What it does with a sign-in that asks for a scope that it does not know: `refused` leads back to the client with
   * `invalid_scope`, `stopped` shows the error on a page of its own. Defaults to `ignored`.
   */
  unknownScope?: 'ignored' | 'refused' | 'stopped';
  /** Claims of every token, whatever the scope. Defaults to the groups claim. */
  claims?: readonly string[];
  /** The groups claim is left out for people in no group. Defaults to false: it is an empty list. */
  omitsEmptyGroups?: true;
  /** Algorithms that an application may have its id tokens signed with; the first is the default. Defaults to RS256. */
  signingAlgs?: readonly ['RS256', ...('HS256' | 'RS256')[]];
  /** Group → how its tokens name it. Defaults to the group's name. */
  groupIds?: Record<string, string>;
  /** Claims of a workload's token, by its subject. */
  workloadClaims?(subject: string, uid: string): Record<string, unknown>;
}
