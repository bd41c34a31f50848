import type { ByName } from '../resources/field.ts';
import { partName, plainName } from '../values/visible.ts';

/** Something of the service that hands out what others sign in with: who may ask it signs in as they do. A closed set of kinds. */
export type CredentialSource = IdentityTokenRole | PkiRole | PkiEngine | AcmeOrders | KeptCredential;

/** A role of the service's own identity tokens. */
export interface IdentityTokenRole {
  kind: 'identityTokenRole';
  name: string;
  /** The audience of its tokens. Absent where it is known only after the change. */
  clientId?: string;
  /** What its tokens say in addition to the standard claims: JSON with templates. Absent where it is known only after the change. */
  template?: string;
  /** The key that signs them, by its name: it signs for some audiences only. Absent where it is known only after the change. */
  key?: string;
  /** Its key signs for other audiences only, so that it gives no tokens. Defaults to false. */
  isUnsigned?: true;
}

/** A role of a PKI engine. */
export interface PkiRole {
  kind: 'pkiRole';
  /** Path of the engine. */
  mount: string;
  name: string;
  /** Which names and uses it signs, by names on the wire. */
  signs: ByName;
  /** Fields of it that are known only after the change. Defaults to none. */
  untold?: readonly string[];
}

/** A PKI engine with its authorities. Who may ask it to sign without a role, or by a program, gets a certificate of any name. */
export interface PkiEngine {
  kind: 'pkiEngine';
  /** Path of the engine. */
  mount: string;
  /** Certificates of its authorities, and of those above them, as PEM. Absent where none is known. */
  authorities?: readonly string[];
  /** It has no other authorities, and gives certificates without a token by `AcmeOrders` alone: the service was read. Defaults to false. */
  hasAll?: true;
}

/** A PKI engine that takes orders over ACME: no token is asked for. */
export interface AcmeOrders {
  kind: 'acmeOrders';
  /** Path of the engine. */
  mount: string;
  /** What it signs: which roles, issuers and names, by names on the wire. Only compared. */
  signs: ByName;
  /** Its certificates are for servers alone, so that no one signs in with them. Defaults to false. */
  isForServers?: true;
}

/** A place that keeps what someone signs in with. */
export interface KeptCredential {
  kind: 'keptCredential';
  /** The path that it is read at: `secret/data/shared/creds`. */
  path: string;
  /** The field of the credential where it was made: `secret_id`. */
  field: string;
  /** The node that one signs in by with it, by its key (`keyOfNode`). */
  signsInBy: string;
  /** Addresses of the resources that keep it, and that make it. */
  address: string;
  of: string;
}

/** A request that gets the credential. */
export interface CredentialRequest {
  /** A path, or a pattern with `+` for a segment. */
  path: string;
  capability: 'read' | 'update';
}

/** Equal for two sources that are one on the service. */
export function keyOfSource(source: CredentialSource): string {
  switch (source.kind) {
    case 'identityTokenRole':
      return JSON.stringify([source.kind, source.name]);
    case 'pkiRole':
      return JSON.stringify([source.kind, source.mount, source.name]);
    case 'pkiEngine':
    case 'acmeOrders':
      return JSON.stringify([source.kind, source.mount]);
    case 'keptCredential':
      return JSON.stringify([source.kind, source.path, source.signsInBy]);
  }
}

/** Sources by their keys; of several that are one on the service, the last. */
export function sourcesByKey(sources: readonly CredentialSource[] = []): Map<string, CredentialSource> {
  return new Map(sources.map((source) => [keyOfSource(source), source]));
}

/** Where an engine signs without a role: an authority of one's own signs any name. And by a program, which may let any name through. */
const signingPaths = `sign-verbatim sign-verbatim/+ issuer/+/sign-verbatim issuer/+/sign-verbatim/+
  root/sign-intermediate issuer/+/sign-intermediate root/sign-self-issued issuer/+/sign-self-issued
  cel/issue/+ cel/sign/+`.split(/\s+/);

/** The requests by which a token gets a credential; none where no token is asked for. */
export function requestsOf(source: CredentialSource): CredentialRequest[] {
  switch (source.kind) {
    case 'identityTokenRole':
      return [{ path: `identity/oidc/token/${source.name}`, capability: 'read' }];
    case 'pkiRole': {
      const { mount, name } = source;
      const below = ['issue', 'sign', 'issuer/+/issue', 'issuer/+/sign'];
      return below.map((path) => ({ path: `${mount}/${path}/${name}`, capability: 'update' }));
    }
    case 'pkiEngine':
      return signingPaths.map((path) => ({ path: `${source.mount}/${path}`, capability: 'update' }));
    case 'acmeOrders':
      return [];
    case 'keptCredential':
      return [{ path: source.path, capability: 'read' }];
  }
}

/** What a source is, in words: `identity token role w`, `PKI role web of pki`. */
export function sourceWords(source: CredentialSource): string {
  switch (source.kind) {
    case 'identityTokenRole':
      return partName('identity token role', source.name);
    case 'pkiRole':
      return `${partName('PKI role', source.name)} of ${plainName(source.mount)}`;
    case 'pkiEngine':
      return `PKI engine ${plainName(source.mount)}`;
    case 'acmeOrders':
      return `ACME of ${plainName(source.mount)}`;
    case 'keptCredential':
      return `${source.field} at ${source.path}`;
  }
}

/** What is known of the engine at a path. */
export function engineAt(
  sources: readonly CredentialSource[] | undefined,
  mount: string,
): PkiEngine | undefined {
  return sources?.find(
    (source): source is PkiEngine => source.kind === 'pkiEngine' && source.mount === mount,
  );
}
