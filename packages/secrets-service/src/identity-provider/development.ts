import type { ProviderKind } from '@gatehouse/core/graph';

/** An application registered at an issuer, here an auth method of the secrets service. */
export interface Client {
  clientId: string;
  clientSecret: string;
  /** Secrets that are taken as well, while it is being rotated; read at each request. Defaults to none. */
  otherSecrets?: readonly string[];
  /** Allowed redirect URIs, compared exactly; loopback addresses match with any port. */
  redirectUris: string[];
  /** The algorithm of its id tokens, one of those of the kind. Defaults to the first. */
  signingAlg?: 'HS256' | 'RS256';
}

/** Registered at every issuer that is given no clients. Its secret is public. The redirect URIs are the CLI's (B-2). */
export const developmentClient: Client = {
  clientId: 'gatehouse',
  clientSecret: 'gatehouse-development-only',
  redirectUris: ['http://localhost:8250/oidc/callback', 'http://127.0.0.1:8250/oidc/callback'],
};

/** A person who can sign in at the embedded identity provider. */
export interface Person {
  /** Their name at the sign-in page, and the `sub` of their tokens. */
  username: string;
  email: string;
  name: string;
  /** Names of their groups, in the claim that the provider kind uses for groups. */
  groups: string[];
  /** Claims that the tokens of one provider kind add or replace. */
  claims: Partial<Record<ProviderKind, Record<string, unknown>>>;
}

/** Who can sign in by default. The dev stack has groups of these names. */
export const developmentPeople: Person[] = [
  {
    username: 'alice',
    email: 'alice@example.com',
    name: 'Alice Example',
    groups: ['admins', 'developers'],
    claims: {},
  },
  { username: 'bob', email: 'bob@example.com', name: 'Bob Example', groups: ['developers'], claims: {} },
];
