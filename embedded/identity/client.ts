/** An application registered at an issuer: in our case an auth method of the secrets service. */
export interface Client {
  clientId: string;
  clientSecret: string;
  /** Where sign-ins may lead back to, exactly; on loopback addresses with any port. */
  redirectUris: string[];
}

/** The redirect URIs of sign-ins on the command line (interface.md B-2): whatever port it waits on. */
export const cliRedirectUris = ['http://localhost:8250/oidc/callback', 'http://127.0.0.1:8250/oidc/callback'];

/** Registered at every issuer for which no other client is named. Its secret is published, and worth nothing. */
export const developmentClient: Client = {
  clientId: 'gatehouse',
  clientSecret: 'gatehouse-development-only',
  redirectUris: cliRedirectUris,
};
