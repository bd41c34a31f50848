import { createPublicKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fromBase64 } from '../../../src/graph/values/bytes.ts';
import { readCertificate, readPublicKey } from '../../../src/graph/values/certificate.ts';
import { certificatesIn } from '../../../src/graph/values/pem.ts';
import { isSignedBy } from '../../../src/graph/values/signed-by.ts';
import { certificatePem, keyPem, otherKeyPem } from '../../pems.ts';

const fixtures = readFileSync(new URL('./keys-and-certificates.pem', import.meta.url), 'utf8');
const blocks = [...fixtures.matchAll(/^(certificate|key) (\S+)\n(-----BEGIN[\s\S]*?-----END.*)$/gm)].map(
  ([, kind = '', name = '', pem = '']) => ({ kind, name, pem, der: derOf(pem) }),
);
const certificates = blocks.filter(({ kind }) => kind === 'certificate');
const explicit = blocks.find(({ name }) => name === 'ec-explicit')!;
const keys = blocks.filter((one) => one.kind === 'key' && one !== explicit);

function derOf(pem: string): Uint8Array {
  return fromBase64(pem.replace(/-----.*-----/g, '')) ?? new Uint8Array();
}

/** The type of key by Node.js, where it is one that servers read. */
function keyByNode(der: Uint8Array): string | undefined {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({
      key: Buffer.from(der),
      format: 'der',
      type: 'spki',
    });
    const curves: Record<string, string> = {
      secp224r1: 'P-224',
      prime256v1: 'P-256',
      secp384r1: 'P-384',
      secp521r1: 'P-521',
    };
    const curve = curves[asymmetricKeyDetails?.namedCurve ?? ''];
    if (asymmetricKeyType === 'rsa' || asymmetricKeyType === 'ed25519') return asymmetricKeyType;
    return asymmetricKeyType === 'ec' ? curve : undefined;
  } catch {
    return undefined;
  }
}

function keyByUs(der: Uint8Array): string | undefined {
  const key = readPublicKey(der);
  return key?.type === 'ec' ? key.curve : key?.type;
}

function isCertificateByNode(der: Uint8Array): boolean {
  try {
    new X509Certificate(Buffer.from(der));
    return true;
  } catch {
    return false;
  }
}

describe('a public key is read as Node.js reads it', () => {
  test.each([...keys, { name: 'pem', der: derOf(keyPem) }, { name: 'other', der: derOf(otherKeyPem) }])(
    '$name',
    ({ der }) => expect(keyByUs(der)).toBe(keyByNode(der)),
  );
});

test('a key whose curve is written out in numbers is none that servers read', () => {
  expect(keyByNode(explicit.der)).toBe('P-256');
  expect(readPublicKey(explicit.der)).toBeUndefined();
});

describe('a certificate is read as Node.js reads it', () => {
  test.each([...certificates, { name: 'authority', der: derOf(certificatePem) }])('$name', ({ der }) => {
    expect(isCertificateByNode(der)).toBe(true);
    expect(readCertificate(der)).toBeDefined();
  });

  test('what is cut off, and what is no certificate, is none', () => {
    const whole = certificates[0]!.der;
    for (let length = 0; length < whole.length; length += 7) {
      const part = whole.subarray(0, length);
      expect([length, readCertificate(part) !== undefined]).toEqual([length, isCertificateByNode(part)]);
    }
    for (const { der } of keys) expect(readCertificate(der)).toBeUndefined();
    for (const { der } of certificates) expect(readPublicKey(der)).toBeUndefined();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect([readCertificate(bytes), readPublicKey(bytes)]).toEqual([undefined, undefined]);
      }),
    );
  });
});

test('whether a certificate is signed by another is what Node.js says, or not known', () => {
  const unlike: string[] = [];
  const unknown = new Set<string>();
  for (const issued of certificates) {
    for (const issuer of certificates) {
      const ours = isSignedBy(readCertificate(issued.der)!, readCertificate(issuer.der)!);
      const { publicKey } = new X509Certificate(issuer.pem);
      const expected = new X509Certificate(issued.pem).verify(publicKey);
      if (ours === undefined) unknown.add(`${issued.name} by ${issuer.name}`);
      else if (ours !== expected) unlike.push(`${issued.name} by ${issuer.name}: ${ours}`);
    }
  }
  expect(unlike).toEqual([]);
  const isOfCommonKind = (pair: string) => !/md5|sha3|secp256k1|brainpool|prime192|ed448|pss-key/.test(pair);
  expect([...unknown].filter(isOfCommonKind)).toEqual([]);
});

test('a changed byte is answered as by Node.js, or with less certainty', () => {
  const worse: string[] = [];
  fc.assert(
    fc.property(
      fc.constantFrom(...certificates),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (one, at, change) => {
        const der = Uint8Array.from(one.der);
        const place = at % der.length;
        der[place] = (der[place] ?? 0) ^ change;
        const read = readCertificate(der);
        if (read === undefined || !isCertificateByNode(der)) return;
        const issuer = readCertificate(one.der)!;
        const { publicKey } = new X509Certificate(Buffer.from(one.der));
        const expected = new X509Certificate(Buffer.from(der)).verify(publicKey);
        if (isSignedBy(read, issuer) === false && expected) worse.push(`${one.name} at ${place}`);
        if (isSignedBy(read, issuer) === true && !expected) worse.push(`${one.name} at ${place}, accepted`);
      },
    ),
    { numRuns: 400, seed: 61 },
  );
  expect(worse).toEqual([]);
});

test('a text of several blocks has the certificates of all, or none', () => {
  const [first, second] = certificates;
  const text = `${first!.pem}\n${keyPem}\n${second!.pem}\n`;
  expect(certificatesIn(text)?.map(({ der }) => der)).toEqual([first!.der, second!.der]);
  expect(certificatesIn(`${text}${first!.pem.replace('MII', 'MIA')}`)).toBeUndefined();
  expect(certificatesIn(keyPem)).toBeUndefined();
});
