import { expect, test } from '@jest/globals';
import { certificate } from '../../../../../test/harness/certificate.ts';
import { makeCertificateChain } from '../../../../../test/harness/certificate-chain.ts';
import {
  mayAcceptCertificate,
  signsMore,
  trustsEngine,
} from '../../../src/access/sign-in/issued-certificates.ts';
import type { CredentialSource, PkiRole } from '../../../src/graph/nodes/credential-source.ts';
import { otherRole } from '../../../src/graph/nodes/other-role.ts';
import type { ByName } from '../../../src/graph/resources/field.ts';
import { certificatePem } from '../../pems.ts';

const pkiRole = (signs: ByName, rest: Partial<PkiRole> = {}): PkiRole => ({
  kind: 'pkiRole',
  mount: 'pki',
  name: 'web',
  signs,
  ...rest,
});
const certRole = (fields: ByName) =>
  otherRole({ type: 'cert', method: 'cert', noun: 'role', name: 'admin' }, fields);
const named = (...names: string[]) => certRole({ allowed_common_names: names });
const other = certificate?.cert ?? '';
const shop = { allowed_domains: ['shop.example.com'] };

test.each<[what: string, signs: ByName, role: ByName, fits: boolean]>([
  ['any name', { allow_any_name: true }, { allowed_common_names: ['a.b'] }, true],
  [
    'a domain itself, where that is allowed',
    { ...shop, allow_bare_domains: true },
    { allowed_common_names: ['shop.example.com'] },
    true,
  ],
  [
    'a domain itself, where it is not',
    { ...shop, allow_subdomains: true },
    { allowed_common_names: ['shop.example.com'] },
    false,
  ],
  [
    'a name below a domain',
    { ...shop, allow_subdomains: true },
    { allowed_names: ['Web.Shop.example.com'] },
    true,
  ],
  [
    'a name that ends like a domain',
    { ...shop, allow_subdomains: true },
    { allowed_names: ['evilshop.example.com'] },
    false,
  ],
  [
    'a pattern',
    { allowed_domains: ['*.example.com'], allow_glob_domains: true },
    { allowed_dns_sans: ['a.example.com'] },
    true,
  ],
  [
    'a pattern that the role lets in',
    { ...shop, allow_subdomains: true },
    { allowed_common_names: ['*.example.com'] },
    true,
  ],
  ['this host', {}, { allowed_common_names: ['localhost'] }, true],
  [
    'this host, where it is not allowed',
    { allow_localhost: false },
    { allowed_common_names: ['localhost'] },
    false,
  ],
  ['a name below this host', { allow_subdomains: true }, { allowed_common_names: ['admin.localhost'] }, true],
  ['a name below this host, alone', {}, { allowed_common_names: ['admin.localhost'] }, false],
  [
    'the display name of a token',
    { allow_token_displayname: true },
    { allowed_common_names: ['userpass-ann'] },
    true,
  ],
  ['no common name', { allow_localhost: false, require_cn: false }, { allowed_common_names: ['*'] }, true],
  ['no name', { allow_localhost: false }, { allowed_common_names: ['*'] }, false],
  [
    'one list, and not the other',
    { ...shop, allow_bare_domains: true },
    { allowed_common_names: ['shop.example.com'], allowed_dns_sans: ['x.y'] },
    false,
  ],
])('a certificate with %s', (_, signs, role, fits) => {
  expect(mayAcceptCertificate(pkiRole(signs), certRole(role), 'unknown')).toBe(fits);
});

/** An engine with these authorities. */
const engine = (mount: string, ...authorities: string[]): CredentialSource => ({
  kind: 'pkiEngine',
  mount,
  authorities,
});

test('an authority that is trusted signs in, another one does not, and one that is not known may', () => {
  const trusting = certRole({ certificate: certificatePem });
  const trust = (...authorities: string[]) => trustsEngine(trusting, 'pki', [engine('pki', ...authorities)]);
  expect(trust(certificatePem)).toBe('yes');
  expect(trust(other)).toBe('no');
  expect(trust(other, certificatePem)).toBe('yes');
  expect(trust('no certificate')).toBe('unknown');
  expect(trustsEngine(trusting, 'pki', [engine('other', certificatePem)])).toBe('unknown');
  const any = pkiRole({ allow_any_name: true });
  expect(mayAcceptCertificate(any, trusting, 'unknown')).toBe(true);
  expect(mayAcceptCertificate(any, trusting, 'no')).toBe(false);
  expect(mayAcceptCertificate({ kind: 'acmeOrders', mount: 'pki', signs: {} }, trusting, 'unknown')).toBe(
    true,
  );
});

test('an authority below one that is trusted signs in, also where another engine has what is between', () => {
  const { root, intermediate, leaf, stranger } = makeCertificateChain();
  const trust = (trusted: string, ...sources: CredentialSource[]) =>
    trustsEngine(certRole({ certificate: trusted }), 'pki', sources);
  expect(trust(root, engine('pki', intermediate))).toBe('yes');
  expect(trust(root, engine('pki', leaf), engine('above', intermediate))).toBe('yes');
  // What is between may be shown by the owner of the certificate.
  expect(trust(root, engine('pki', leaf))).toBe('unknown');
  expect(trust(other, engine('pki', intermediate), engine('above', root))).toBe('no');
  expect(trust(stranger, engine('pki', intermediate), engine('above', root))).toBe('no');
});

test.each<[what: string, before: ByName, after: ByName, more: boolean]>([
  ['a domain more', shop, { allowed_domains: ['shop.example.com', 'x.y'] }, true],
  ['a domain less', { allowed_domains: ['shop.example.com', 'x.y'] }, shop, false],
  ['any name', {}, { allow_any_name: true }, true],
  ['no name of this host', {}, { allow_localhost: false }, false],
  ['names that are not hosts', {}, { enforce_hostnames: false }, true],
  ['a field that no table has', {}, { not_yet_known: 'x' }, true],
])('%s: whether a role signs more', (_, before, after, more) => {
  expect(signsMore(pkiRole(before), pkiRole(after))).toBe(more);
});

test('what is known only after the change may sign more', () => {
  expect(signsMore(pkiRole(shop), pkiRole(shop, { untold: ['allowed_domains'] }))).toBe(true);
  expect(signsMore(undefined, pkiRole(shop))).toBe(true);
  expect(mayAcceptCertificate(pkiRole({}, { untold: ['allowed_domains'] }), named('x.y'), 'yes')).toBe(true);
});
