import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { certificatesProblem, publicKeyProblem } from '../../../src/graph/values/pem.ts';
import { certificatePem, keyPem, otherKeyPem } from '../../pems.ts';

const privateKey = String(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
);

describe('a public key', () => {
  test.each([
    ['of an EC curve', keyPem],
    ['without a line end', keyPem.trim()],
    ['of a certificate', certificatePem],
    ['with Windows line ends', keyPem.replaceAll('\n', '\r\n')],
    ['behind other lines', `Key of the issuer\n${keyPem}`],
    ['with another label', keyPem.replaceAll('PUBLIC KEY', 'KEY')],
    ['with a header', keyPem.replace('-----\n', '-----\nKey: value\n\n')],
  ])('is taken %s', (_, text) => {
    expect(publicKeyProblem(text)).toBeUndefined();
  });

  test.each([
    ['a private key, which is to be rotated', privateKey, /private key.*rotate it/],
    ['a private key behind a public one', keyPem + privateKey, /private key.*rotate it/],
    ['two in one text', keyPem + otherKeyPem, /each key is an entry of its own/],
    ['line ends as letters', keyPem.trim().replaceAll('\n', '\\n'), /line ends are written as \\n/],
    ['no key', 'junk', /there is no key in it/],
    ['nothing', '', /there is no key in it/],
    ['a broken key', keyPem.replace('MFkw', 'MFkx'), /no RSA, EC or Ed25519 key/],
  ])('is refused: %s', (_, text, problem) => {
    const found = publicKeyProblem(text);
    expect(found).toMatch(problem);
    expect(found).not.toContain(text.slice(40, 60) || 'nothing');
  });
});

describe('certificates', () => {
  test.each([
    ['one', certificatePem],
    ['one among others', keyPem + certificatePem],
    ['one behind a broken one', certificatePem.replace('MII', 'MIA') + certificatePem],
  ])('are taken: %s', (_, text) => {
    expect(certificatesProblem(text)).toBeUndefined();
  });

  test.each([
    ['a private key', privateKey + certificatePem, /private key in it.*rotate it/],
    ['a public key', keyPem, /there is no certificate/],
    ['a broken one', certificatePem.replace('MII', 'MIA'), /there is no certificate/],
    ['none', 'CA', /there is no certificate/],
  ])('are refused: %s', (_, text, problem) => {
    expect(certificatesProblem(text)).toMatch(problem);
  });
});
