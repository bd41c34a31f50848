import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { dsse } from '@sigstore/core';
import { reviewSettings } from '../../src/environment/review-settings.ts';
import { payloadType, type ReviewStatement } from '../../src/statement/predicate.ts';
import { signerOf } from '../../src/statement/sign-statement.ts';
import type { ReviewedChange } from '../../src/statement/statement.ts';

/** A key pair, and the same as PEM. */
export interface TestKey {
  pem: string;
  publicPem: string;
}

const pemOf = (key: KeyObject, type: 'pkcs8' | 'spki') => key.export({ type, format: 'pem' }).toString();

export function testKey(type: 'ed25519' | 'ec' = 'ed25519'): TestKey {
  const { privateKey, publicKey } =
    type === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
  return { pem: pemOf(privateKey, 'pkcs8'), publicPem: pemOf(publicKey, 'spki') };
}

export const keys = { alice: testKey(), bob: testKey('ec'), mallory: testKey() };
export const now = new Date('2026-11-28T12:00:00Z');

export const policy = (fields: object = {}) =>
  reviewSettings.parse({
    signers: [
      { name: 'alice', key: keys.alice.publicPem, from: '2026-11-01', until: '2026-12-31' },
      { name: 'bob', key: keys.bob.publicPem, until: '2026-12-31' },
    ],
    ...fields,
  });

const digit = (text: string) => text.repeat(64);

export const change: Omit<ReviewedChange, 'name'> = {
  digest: digit('a'),
  stack: { project: 'sign-in', name: 'prod', service: 'https://secrets.example.com:8200', namespace: 'pay' },
  state: digit('b'),
  declared: digit('c'),
};

/** A statement of that change, with some other fields. */
export function statement(predicate: object = {}, digest = change.digest): ReviewStatement {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'sign-in/prod', digest: { sha256: digest } }],
    predicateType: 'https://gatehouse.example/review/v1',
    predicate: {
      verifier: { id: 'https://gatehouse.example/gatehouse', version: '0.1.0' },
      timeCreated: '2026-11-28T11:30:00.000Z',
      stack: change.stack,
      tool: 'gatehouse',
      base: { gitCommit: '0123abc' },
      declared: { sha256: digit('c') },
      state: { sha256: digit('b') },
      judgedOn: { source: 'service', notes: [], missing: [] },
      verdict: 'passed',
      gains: 'some',
      losses: 'none',
      life: 'same',
      administration: false,
      access: [
        {
          who: ['role ci/web'],
          gains: 'some',
          losses: 'none',
          life: 'same',
          why: ['gains: web'],
          words: [{ before: '–', after: 'read secret/data/web/*' }],
        },
      ],
      findings: [],
      exceptions: [],
      ...predicate,
    },
  };
}

/** It, signed. */
export async function signed(given: unknown = statement(), key = keys.alice): Promise<string> {
  return signerOf(key.pem).sign(given as ReviewStatement);
}

/** A payload as it is written, signed. */
export async function signedText(payload: string, key = keys.alice): Promise<string> {
  const bundle = JSON.parse(await signed(statement(), key));
  const bytes = Buffer.from(payload);
  const sig = sign(null, dsse.preAuthEncoding(payloadType, bytes), key.pem);
  const signatures = [{ sig: sig.toString('base64') }];
  return JSON.stringify({
    ...bundle,
    dsseEnvelope: { ...bundle.dsseEnvelope, payload: bytes.toString('base64'), signatures },
  });
}
