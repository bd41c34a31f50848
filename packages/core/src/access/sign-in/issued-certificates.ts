import {
  type AcmeOrders,
  type CredentialSource,
  engineAt,
  type PkiEngine,
  type PkiRole,
} from '../../graph/nodes/credential-source.ts';
import type { OtherRole } from '../../graph/nodes/other-role.ts';
import { type ByName, isSame, type Trust } from '../../graph/resources/field.ts';
import { isSameBytes } from '../../graph/values/bytes.ts';
import { type Certificate, isSameKey } from '../../graph/values/certificate.ts';
import { isUnset } from '../../graph/values/json.ts';
import { textsOf } from '../../graph/values/loose-values.ts';
import { certificatesIn } from '../../graph/values/pem.ts';
import { addAll } from '../../graph/values/sequences.ts';
import { isSignedBy } from '../../graph/values/signed-by.ts';
import { matchesGlob } from '../../login/bound-claims.ts';
import { asksLess } from './bound-order.ts';

/**
 * How fields of a PKI role decide what it signs (the API documents of Vault and OpenBao); another value of any other field may sign
 * more.
 */
const fieldsBy: Partial<Record<Trust, readonly string[]>> = {
  'given if true': [
    'allow_any_name',
    'allow_bare_domains',
    'allow_subdomains',
    'allow_glob_domains',
    'allowed_domains_template',
    'allowed_uri_sans_template',
  ],
  'given unless false': [
    'allow_localhost',
    'allow_wildcard_certificates',
    'allow_ip_sans',
    'client_flag',
    'use_csr_common_name',
    'use_csr_sans',
  ],
  'asked unless false': ['enforce_hostnames', 'require_cn'],
  each: [
    'allowed_domains',
    'allowed_uri_sans',
    'allowed_other_sans',
    'allowed_serial_numbers',
    'allowed_user_ids',
  ],
};
const orders = new Map(
  (Object.entries(fieldsBy) as [Trust, readonly string[]][]).flatMap(([order, fields]) =>
    fields.map((field) => [field, order] as const),
  ),
);

/** Fields of a certificate role that names in a certificate have to fit; one of each list does. */
const nameLists = ['allowed_names', 'allowed_common_names', 'allowed_dns_sans'];

/** What signs certificates. */
export type CertificateSource = PkiRole | PkiEngine | AcmeOrders;

export function signsCertificates(source: CredentialSource): source is CertificateSource {
  return ['pkiRole', 'pkiEngine', 'acmeOrders'].includes(source.kind);
}

/**
 * Whether a certificate of an engine signs in to a certificate role, or may: it trusts the engine's authorities, or may; and some
 * name that is signed is one that it lets in. What else it asks of a certificate is taken for met.
 */
export function mayAcceptCertificate(source: CertificateSource, role: OtherRole, trust: Trusted): boolean {
  if (trust === 'no') return false;
  if (source.kind !== 'pkiRole' || isAnyNameSigned(source)) return true;
  return nameLists.every((list) => {
    const patterns = textsOf(role.bounds[list]);
    return patterns.length === 0 || patterns.some((pattern) => maySign(source.signs, pattern));
  });
}

/**
 * Whether a PKI role signs what it did not before.
 *
 * @param before undefined where it was not there
 */
export function signsMore(before: PkiRole | undefined, { signs, untold = [] }: PkiRole): boolean {
  if (before === undefined || untold.length > 0 || (before.untold ?? []).length > 0) return true;
  return Object.keys({ ...before.signs, ...signs }).some((field) => {
    const order = orders.get(field) ?? 'another';
    return !isSame(before.signs[field], signs[field]) && asksLess(order, before.signs[field], signs[field]);
  });
}

/**
 * Whether a certificate of a PKI role before surely signed in to a certificate role that it signs in to after: nothing but names
 * differs, and a name without a wildcard, or any name, was signed for each list that asks for one.
 */
export function surelySignedIn(before: PkiRole, after: PkiRole, { bounds }: OtherRole): boolean {
  const { signs, untold = [] } = before;
  const differing = Object.keys({ ...signs, ...after.signs }).filter(
    (field) => !isSame(signs[field], after.signs[field]),
  );
  const areNames = differing.every((field) => orders.has(field) && field !== 'client_flag');
  const asksElse = Object.entries(bounds).some(
    ([field, value]) =>
      /^(?:allowed|required)_/.test(field) && !nameLists.includes(field) && !isUnset(value, true),
  );
  const isSigned = (pattern: string) => !pattern.includes('*') && maySign(signs, pattern);
  const fits = nameLists.every((list) => {
    const patterns = textsOf(bounds[list]);
    return patterns.length === 0 || signs['allow_any_name'] === true || patterns.some(isSigned);
  });
  return untold.length === 0 && areNames && !asksElse && fits;
}

function isAnyNameSigned({ signs, untold = [] }: PkiRole): boolean {
  // The display name of a token begins with that of its method, and its owner may have chosen the rest.
  const anyNames = ['allow_any_name', 'allowed_domains_template', 'allow_token_displayname'];
  const isAny = anyNames.some((field) => signs[field] === true);
  // After the API documents, `disabled` lets any common name through.
  const isUnchecked = textsOf(signs['cn_validations']).includes('disabled');
  return untold.length > 0 || isAny || isUnchecked;
}

/** Whether a role signs a name that fits a pattern with `*`, or may. */
function maySign(signs: ByName, name: string): boolean {
  const pattern = name.toLowerCase();
  const isOn = (field: string, byDefault = false) => (signs[field] ?? byDefault) === true;
  const localhosts = isOn('allow_localhost', true) ? ['localhost', 'localdomain'] : [];
  const domains = textsOf(signs['allowed_domains']).map((domain) => domain.toLowerCase());
  // A certificate without a common name has the empty one.
  if (/^\**$/.test(pattern) && !isOn('require_cn', true)) return true;
  if (pattern.includes('*')) return domains.length + localhosts.length > 0;
  const isBelow = localhosts.some((host) => pattern.endsWith(`.${host}`));
  if (localhosts.includes(pattern) || (isBelow && isOn('allow_subdomains'))) return true;
  const signed = (domain: string) =>
    (pattern === domain && isOn('allow_bare_domains')) ||
    (pattern.endsWith(`.${domain}`) && isOn('allow_subdomains')) ||
    (domain.includes('*') && isOn('allow_glob_domains') && matchesGlob(domain, pattern)) ||
    // Names of people are signed like those of hosts.
    (pattern.endsWith(`@${domain}`) && (isOn('allow_bare_domains') || isOn('allow_subdomains')));
  return domains.some(signed);
}

/** Whether something is trusted; `unknown` where that cannot be told. */
export type Trusted = 'yes' | 'no' | 'unknown';

/**
 * Whether a certificate role trusts the authorities of the engine at a path, or what has signed one of them. It may where either is
 * not known, and where an authority in between is not here: owners of a certificate show those themselves.
 *
 * @param sources all of the service
 */
export function trustsEngine(
  { bounds }: OtherRole,
  mount: string,
  sources: readonly CredentialSource[] = [],
): Trusted {
  const { authorities, hasAll } = engineAt(sources, mount) ?? {};
  if (hasAll && authorities?.length === 0) return 'no';
  const roots = certificatesIn(String(bounds['certificate'] ?? ''));
  const issuers = certificatesIn(authorities?.join('\n') ?? '');
  if (roots === undefined || issuers === undefined) return 'unknown';
  const known = sources.flatMap((source) =>
    source.kind === 'pkiEngine' ? (certificatesIn(source.authorities?.join('\n') ?? '') ?? []) : [],
  );
  const answers = issuers.map((issuer) => isOfRoots(issuer, roots, known));
  return (['yes', 'unknown'] as const).find((answer) => answers.includes(answer)) ?? 'no';
}

/** Whether an authority is one of the roots, by its key, or has a certificate of theirs. */
function isOfRoots(
  authority: Certificate,
  roots: readonly Certificate[],
  known: readonly Certificate[],
): Trusted {
  const path = [authority];
  let isFollowed = true;
  for (const each of path) {
    const answers = roots.map((root) => isSameKey(root, each) || isSignedBy(each, root));
    if (answers.includes(true)) return 'yes';
    const named = known.filter(({ subject }) => isSameBytes(subject, each.issuer));
    const above = named.filter((other) => isSignedBy(each, other) === true);
    isFollowed &&= above.length > 0 && !answers.includes(undefined);
    const isNew = (other: Certificate) => !path.some(({ der }) => isSameBytes(der, other.der));
    addAll(path, above.filter(isNew));
  }
  return isFollowed ? 'no' : 'unknown';
}
