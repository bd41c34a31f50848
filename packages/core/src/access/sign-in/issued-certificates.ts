import type { AcmeOrders, CredentialSource, PkiRole } from '../../graph/nodes/credential-source.ts';
import type { OtherRole } from '../../graph/nodes/other-role.ts';
import { type ByName, isSame, type Trust } from '../../graph/resources/field.ts';
import { isSameBytes } from '../../graph/values/bytes.ts';
import { textsOf } from '../../graph/values/loose-values.ts';
import { certificatesIn } from '../../graph/values/pem.ts';
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

/**
 * Whether a certificate of an engine signs in to a certificate role, or may: it trusts one of the engine's authorities, or none of
 * these is known; and some name that is signed is one that it lets in. What else it asks of a certificate is taken for met.
 */
export function mayAcceptCertificate(source: PkiRole | AcmeOrders, role: OtherRole): boolean {
  if (!mayTrustSource(source, role)) return false;
  if (source.kind === 'acmeOrders' || isAnyNameSigned(source)) return true;
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

function isAnyNameSigned({ signs, untold = [] }: PkiRole): boolean {
  const isAny = signs['allow_any_name'] === true || signs['allowed_domains_template'] === true;
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
  if (pattern.includes('*')) return domains.length + localhosts.length > 0;
  const signed = (domain: string) =>
    (pattern === domain && isOn('allow_bare_domains')) ||
    (pattern.endsWith(`.${domain}`) && isOn('allow_subdomains')) ||
    (domain.includes('*') && isOn('allow_glob_domains') && matchesGlob(domain, pattern)) ||
    // Names of people are signed like those of hosts.
    (pattern.endsWith(`@${domain}`) && (isOn('allow_bare_domains') || isOn('allow_subdomains')));
  return localhosts.includes(pattern) || domains.some(signed);
}

/** Whether a certificate role trusts an authority of an engine, or may; so it may what signs no certificates. */
export function mayTrustSource(source: CredentialSource, role: OtherRole): boolean {
  if (source.kind !== 'pkiRole' && source.kind !== 'acmeOrders') return true;
  return mayTrust(String(role.bounds['certificate'] ?? ''), source.authorities);
}

/** Whether what is trusted has signed one of the authorities, or is one of them; so it may where either is not known. */
function mayTrust(trusted: string, authorities: readonly string[] | undefined): boolean {
  const roots = certificatesIn(trusted);
  const issuers = authorities && certificatesIn(authorities.join('\n'));
  if (roots === undefined || issuers === undefined) return true;
  return roots.some((root) =>
    issuers.some((issuer) => isSameBytes(issuer.der, root.der) || isSignedBy(issuer, root) !== false),
  );
}
