import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../../src/access/questions/change.ts';
import { alsoWords } from '../../../src/words/also-words.ts';
import { giverWords } from '../../../src/words/giver-words.ts';
import { reasonWords } from '../../../src/words/reason-words.ts';
import { certificatePem } from '../../pems.ts';
import { now } from '../../review/graphs.ts';
import { change } from '../../worlds.ts';

const pem = JSON.stringify(certificatePem);
const own = 'method self jwksUrl: https://vault.example/v1/identity/oidc/.well-known/keys';
const people = `complete
  complete others:people
  mount people userpass
  user people/ann ask
  policy a: kv/admin read`;
const ofTokens = `${own}\n ${people.replace('complete', 'complete\n complete roles:self')}
  policy ask: identity/oidc/token/w read`;
const adm = 'role self/adm a boundAudiences: [vault], boundClaims: {team: admin}';
const ofCertificates = `${people}\n mount cert cert\n policy ask: pki/issue/web update`;
const ofKept = `${people}\n policy ask: secret/shared/* read\n mount apps approle\n approle apps/app a`;

/** Who gains or loses by a credential, in words. */
function judged(text: string) {
  const { gains, losses, changes, uncertain, unseen } = decideAccess(change(text), now);
  const lines = changes.flatMap(({ principals: { kind, method, name }, also }) =>
    also
      .filter(({ about }) => about === 'credentials')
      .map(({ what }) => {
        const who = kind === 'anyone' ? giverWords({ kind }) : kind === 'role' ? `${method}/${name}` : name;
        return `${who} ${alsoWords(what)}`;
      }),
  );
  return { gains, losses, lines, open: [...uncertain, ...unseen].map(reasonWords) };
}

const reads = 'user ann of people (userpass) reads';
const byToken = `${reads} identity/oidc/token/w, which signs in as role self/adm: gains read kv/admin`;
const byCertificate =
  'user ann of people (userpass) requests pki/issue/web, which signs in as role admin of cert if that trusts its CA: gains read kv/admin';

/** The line of a loss, for that of a gain. */
const withoutGain = (line: string) =>
  line.replace(/ (reads|requests) /, ' no longer $1 ').replace(': gains', ': loses');

describe('a change that gives a credential', () => {
  const token = (before: string, after: string) => `~ identity-token w ${before} → ${after}`;
  const dev = `clientId: vault, template: '{"team":"dev"}'`;
  const admin = `clientId: vault, template: '{"team":"admin"}'`;
  const web = (before: string, after: string) => `~ pki-role pki/web ${before} → ${after}`;
  const shop = 'allowed_domains: [shop.example.com], allow_subdomains: true';
  const cert = 'cert cert/admin a allowed_common_names: [admin.example.com]';

  test.each([
    ['by claims of its own tokens', `${ofTokens}\n ${adm}\n ${token(dev, admin)}`, byToken],
    [
      'by their audience',
      `${ofTokens}\n ${adm}\n ${token(admin.replace('vault', 'other'), 'clientId: vault')}`,
      byToken,
    ],
    [
      'by a client that is drawn',
      `${ofTokens}\n ${adm}\n + identity-token w template: '{"team":"admin"}'`,
      byToken,
    ],
    [
      'by a template that is filled in',
      `${ofTokens}\n ${adm}\n ${token(dev, `template: '{"team": {{identity.entity.metadata.team}} }'`)}`,
      byToken,
    ],
    [
      'by a name in a certificate',
      `${ofCertificates}\n ${cert}\n ${web('allow_any_name: false', 'allow_any_name: true')}`,
      byCertificate,
    ],
    [
      'by a domain of certificates',
      `${ofCertificates}\n ${cert}\n ${web(shop, 'allowed_domains: [example.com]')}`,
      byCertificate,
    ],
    [
      'by a new role of certificates',
      `${ofCertificates}\n cert cert/admin a\n + pki-role pki/web ${shop}`,
      byCertificate,
    ],
    [
      'by claims that were filled in',
      `${ofTokens}\n ${adm}\n ${token(`clientId: vault, template: '{"team": {{identity.entity.metadata.team}} }'`, admin)}`,
      byToken,
    ],
    [
      'by a domain, where the role has a wildcard',
      `${ofCertificates}\n ${cert.replace('admin.', '"*.').replace(']', '"]')}\n ${web('allowed_domains: [x.org], allow_subdomains: true', 'allowed_domains: [example.com]')}`,
      byCertificate,
    ],
    [
      'by a unit, where the role asks for one',
      `${ofCertificates}\n ${cert}, allowed_organizational_units: [ops]\n ${web('allow_any_name: true, ou: [dev]', 'ou: [ops]')}`,
      byCertificate,
    ],
    [
      'by another name, where the role asks for more',
      `${ofCertificates}\n ${cert}, allowed_uri_sans: [urn:x]\n ${web('allow_any_name: true', 'allowed_uri_sans: [urn:x]')}`,
      byCertificate,
    ],
    [
      'by certificates that are for clients now',
      `${ofCertificates}\n ${cert}\n ${web('allow_any_name: true, client_flag: false', 'client_flag: true')}`,
      byCertificate,
    ],
    [
      'by an authority that is trusted now',
      `${ofCertificates}\n ${cert}, certificate: ${pem}\n pki-role pki/web allow_any_name: true\n ~ pki-engine pki authorities: [] → authorities: ${pem}`,
      byCertificate.replace(' if that trusts its CA', ''),
    ],
    [
      'by an authority that is known to be trusted now',
      `${ofCertificates}\n ${cert}, certificate: ${pem}\n pki-role pki/web allow_any_name: true\n ~ pki-engine pki authorities: none → authorities: ${pem}`,
      byCertificate.replace(' if that trusts its CA', ''),
    ],
    [
      'by a place that keeps it',
      `${ofKept}\n + kept secret/shared/creds apps/app`,
      `${reads} secret/shared/creds, which signs in as role app of apps (approle): gains read kv/admin`,
    ],
  ])('%s', (_, text, line) => {
    expect(judged(text)).toMatchObject({ gains: 'some', lines: [line] });
  });

  test.each([
    [
      'claims that the role does not let in',
      `${ofTokens}\n ${adm}\n ${token(dev, `template: '{"team":"ops"}'`)}`,
    ],
    ['claims that lack the user claim', `${ofTokens}\n ${adm}, userClaim: email\n ${token(dev, admin)}`],
    [
      'tokens of another issuer',
      `${ofTokens.replace('vault.example/v1/identity/oidc', 'id.example')}\n ${adm}\n ${token(dev, admin)}`,
    ],
    [
      'names that the role does not let in',
      `${ofCertificates}\n ${cert}\n ${web(shop, `allowed_domains: [shop.example.com, db.example.com]`)}`,
    ],
    [
      'a domain more, where the role lets in a name that was signed before',
      `${ofCertificates}\n ${cert}\n ${web('allowed_domains: [example.com], allow_subdomains: true', 'allowed_domains: [example.com, x.org]')}`,
    ],
    [
      'claims more, where the role let in all tokens before',
      `${ofTokens}\n ${adm}, userClaim: sub\n ${token(admin, `template: '{"team":"admin","x":"y"}'`)}`,
    ],
    ['a place that no one reads', `${ofKept}\n + kept secret/private/creds apps/app`],
    [
      'a place that its owner alone reads',
      `${ofKept.replace('apps/app a', 'apps/app a,ask').replace('ann ask', 'ann -')}\n + kept secret/shared/creds apps/app`,
    ],
  ])('%s: no one gains', (_, text) => {
    expect(judged(text)).toMatchObject({ gains: 'none', lines: [] });
  });

  test.each([
    [
      'fewer names in certificates',
      `${ofCertificates}\n ${cert}\n ${web('allow_any_name: true', 'allow_any_name: false')}`,
      'user ann of people (userpass) no longer requests pki/issue/web, which signs in as role admin of cert if that trusts its CA: loses read kv/admin',
    ],
    [
      'other claims of tokens',
      `${ofTokens}\n ${adm}\n ${token(admin, dev)}`,
      'user ann of people (userpass) no longer reads identity/oidc/token/w, which signs in as role self/adm: loses read kv/admin',
    ],
  ])('%s: a loss', (_, text, line) => {
    expect(judged(text)).toMatchObject({ gains: 'none', losses: 'some', lines: [line] });
  });

  test('orders over ACME are anyone’s, and lead to certificate roles', () => {
    const { gains, lines } = judged(`${ofCertificates}\n cert cert/admin a\n + acme pki`);
    const order = 'anyone without a token orders certificates at pki/acme/new-order';
    expect(gains).toBe('some');
    expect(lines).toEqual([
      order,
      `${order}, which signs in as role admin of cert if that trusts its CA: gains read kv/admin`,
    ]);
  });

  test('orders that lead to other names are anyone’s again', () => {
    const directory = (policy: string) => `default_directory_policy: ${policy}`;
    const { gains, lines } = judged(
      `${ofCertificates}\n cert cert/admin a\n ~ acme pki ${directory('"role:web"')} → ${directory('sign-verbatim')}`,
    );
    expect([gains, lines.length]).toEqual(['some', 4]);
  });

  test('a role that checks no common names signs any', () => {
    const change = web(shop, `${shop}, cn_validations: [disabled]`);
    expect(judged(`${ofCertificates}\n ${cert}\n ${change}`)).toMatchObject({
      gains: 'some',
      lines: [byCertificate],
    });
  });

  test('names in certificates that no one in sight may ask for are not known: an engine may ask for no token', () => {
    const noOne = ofCertificates.replace('ann ask', 'ann -');
    const { gains, open: reasons } = judged(
      `${noOne}\n ${cert}\n ${web('allow_any_name: false', 'allow_any_name: true')}`,
    );
    expect([gains, reasons]).toEqual([
      'unknown',
      ['who asks PKI role web of pki, and signs in as role admin of cert'],
    ]);
  });

  test.each([
    [
      'identity tokens',
      `${ofTokens}\n ${adm}\n identity-token w ${admin}`,
      'identity/oidc/token/w read',
      byToken,
    ],
    [
      'certificates of a role',
      `${ofCertificates}\n ${cert}\n pki-role pki/web allow_any_name: true`,
      'pki/issue/web update',
      byCertificate,
    ],
    [
      'certificates without a role',
      `${ofCertificates}\n ${cert}\n pki-engine pki authorities: any`,
      'pki/sign-verbatim update',
      byCertificate.replace('issue/web', 'sign-verbatim'),
    ],
    [
      'certificates of an authority of one’s own',
      `${ofCertificates}\n ${cert}\n pki-engine pki authorities: any`,
      'pki/issuer/main/sign-intermediate update',
      byCertificate.replace('issue/web', 'issuer/+/sign-intermediate'),
    ],
  ])('a request that is newly allowed says what it leads to, by %s', (_, text, rule, line) => {
    const without = text.replace(/policy ask: .*/, '');
    const { gains, lines } = judged(`${without}\n - policy ask: kv/other read\n + policy ask: ${rule}`);
    expect([gains, lines]).toEqual(['some', [line]]);
    const lost = judged(`${without}\n - policy ask: ${rule}\n + policy ask: kv/other read`);
    expect([lost.losses, lost.lines]).toEqual(['some', [withoutGain(line)]]);
  });

  test('a request that a token could make before, by another grant, is no gain', () => {
    const staff = `${ofTokens.replace('user people/ann ask', '')}
      complete roles:staff
      method staff
      role staff/reader ask groupsClaim: groups
      alias team staff team
      ${adm}
      identity-token w ${admin}`;
    expect(judged(`${staff}\n ~ group team - → ask`)).toMatchObject({ gains: 'none', lines: [] });
  });

  test('where its owner alone reads it in sight, others may', () => {
    const owner =
      'policy ask: secret/shared/* read\n approle apps/app ask\n + kept secret/shared/creds apps/app';
    expect(judged(owner).gains).toBe('unknown');
  });

  test('where no one in sight may ask for it, others may', () => {
    const partial = `policy a: kv/admin read\n approle apps/app a\n + kept secret/shared/creds apps/app`;
    const line = 'who asks secret_id at secret/shared/creds, and signs in as role app of apps (approle)';
    expect(judged(partial)).toMatchObject({ gains: 'unknown', open: expect.arrayContaining([line]) });
  });
});

describe('a sign-in as another person', () => {
  const named =
    'entity boss a\n entity-alias boss self boss\n role self/r - userClaim: name, boundAudiences: [vault]';
  const template = (name: string) => `clientId: vault, template: '{"name": ${name} }'`;
  const ownName = template('{{identity.entity.name}}');
  const trusting = `cert cert/admin - certificate: ${pem}\n pki-engine pki authorities: ${pem}`;
  const certificates = ofCertificates.replace('issue/web', 'issue/+');
  const boss = 'entity boss a\n entity-alias boss.example.com cert boss';
  const domain = (name: string) => `allowed_domains: [${name}.example.com], allow_bare_domains: true`;
  const both = 'allowed_domains: [x.example.com, boss.example.com], allow_bare_domains: true';
  const filled = 'policy own: kv/{{identity.entity.aliases.acc-cert.name}} read';
  const kept = ofKept.replace('approle apps/app a', 'approle apps/app own');
  const byMetadata = 'policy own: kv/{{identity.entity.aliases.acc-apps.metadata.team}} read';

  test.each([
    [
      'by another role of identity tokens',
      `${ofTokens.replace('token/w', 'token/+')}\n ${named}\n identity-token w ${ownName}\n + identity-token v ${template('"boss"')}`,
    ],
    [
      'by another claim of one that leads to the same role as others',
      `${ofTokens.replace('token/w', 'token/+')}\n ${named}\n identity-token w ${ownName}\n ~ identity-token v ${ownName} → ${template('"boss"')}`,
    ],
    [
      'by another PKI role',
      `${certificates}\n ${trusting}\n ${boss}\n pki-role web ${domain('x')}\n + pki-role boss ${domain('boss')}`,
    ],
    [
      'of the role that they sign in by themselves',
      `${certificates.replace('ann ask', 'ann -')}\n ${trusting.replace('admin -', 'admin ask')}\n ${boss}\n ~ pki-role web ${domain('x')} → ${both}`,
    ],
    [
      'whose name fills a policy in',
      `${certificates}\n ${trusting.replace('admin -', 'admin own')}\n ${filled}\n ~ pki-role web ${domain('x')} → ${both}`,
    ],
    [
      'by a secret id whose metadata may fill a policy in otherwise',
      `${kept}\n ${byMetadata}\n kept secret/shared/one apps/app\n + kept secret/shared/two apps/app address: second, of: second`,
    ],
  ])('is a gain %s', (_, text) => {
    expect(judged(text)).toMatchObject({ gains: 'some', lines: [expect.anything()] });
  });

  test('is a gain where what signed in before may not have', () => {
    const mayBe = `${certificates.replace('pki/', '+/')}\n cert cert/admin a certificate: ${pem}\n pki-role other/web allow_any_name: true`;
    const withAnother = `${mayBe}\n pki-engine pki authorities: ${pem}\n + pki-role pki/web allow_any_name: true`;
    expect(judged(`${withAnother}\n pki-engine other authorities: any`).gains).toBe('some');
    expect(judged(`${withAnother}\n pki-engine other authorities: ${pem}`).gains).toBe('none');
  });

  test.each([
    [
      'by another PKI role that signs the same names',
      `${certificates}\n ${trusting}\n ${boss}\n pki-role web ${both}\n + pki-role boss ${domain('boss')}`,
    ],
    [
      'by a PKI role where a token signs any name',
      `${certificates.replace('issue/+', '*')}\n ${trusting}\n ${boss}\n + pki-role boss ${domain('boss')}`,
    ],
    [
      'by another role of identity tokens where the subject says who it is',
      `${ofTokens.replace('token/w', 'token/+')}\n ${named.replace(' userClaim: name,', '')}\n identity-token w ${ownName}\n + identity-token v ${ownName}`,
    ],
    [
      'by another place of a secret id',
      `${ofKept}\n kept secret/shared/one apps/app\n + kept secret/shared/two apps/app`,
    ],
  ])('is none %s', (_, text) => {
    expect(judged(text)).toMatchObject({ gains: 'none', lines: [] });
  });
});

describe('chains', () => {
  const chain = `${people}
    mount apps approle
    policy ask: secret/one read
    policy two: secret/two read
    approle apps/one two
    approle apps/two a`;

  test('go on from token to token, and say each step', () => {
    const { gains, lines } = judged(`${chain}\n kept secret/two apps/two\n + kept secret/one apps/one`);
    const first = `${reads} secret/one, which signs in as role one of apps (approle)`;
    expect(gains).toBe('some');
    expect(lines).toEqual([
      `${first}: gains read secret/two`,
      `${first}, which reads secret/two, which signs in as role two of apps (approle): gains read kv/admin`,
    ]);
  });

  test('a step at their end is gained by all who come there', () => {
    const { lines } = judged(`${chain}\n kept secret/one apps/one\n + kept secret/two apps/two`);
    const last = 'reads secret/two, which signs in as role two of apps (approle): gains read kv/admin';
    expect(lines).toEqual([
      `role one of apps (approle) ${last}`,
      `${reads} secret/one, which signs in as role one of apps (approle), which ${last}`,
    ]);
  });

  test('that end in themselves end', () => {
    const circle = `${people}
      mount apps approle
      policy ask: secret/one read
      policy two: secret/two read
      approle apps/one two
      approle apps/two ask
      kept secret/two apps/two`;
    const { gains, lines } = judged(`${circle}\n + kept secret/one apps/one`);
    expect(gains).toBe('some');
    expect(lines).toHaveLength(3);
  });

  test('policies of two tokens are never united', () => {
    const split = `${people.replace('ann ask', 'ann half')}
      mount apps approle
      policy half: secret/+ read
      policy rest: secret/two deny
      approle apps/one rest
      approle apps/two a
      kept secret/one apps/one`;
    const { lines } = judged(`${split}\n + kept secret/two apps/two`);
    expect(lines).toEqual([
      `${reads} secret/two, which signs in as role two of apps (approle): gains read kv/admin`,
    ]);
  });
});
