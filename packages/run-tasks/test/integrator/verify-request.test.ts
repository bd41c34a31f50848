import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sign } from '../../../core/src/run-task/signature.ts';
import { samplePayload } from '../../../core/test/run-task/sample-payload.ts';
import { verifyRequest } from '../../src/integrator/verify-request.ts';

const verify = (body: Uint8Array, keys = ['k']) =>
  verifyRequest(keys, { 'x-platform-task-signature': sign(body, 'k') }, body);

describe('a run task request', () => {
  test('is judged, whatever its bytes are, and no answer quotes them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (body) => {
        expect(verify(body)).toMatchObject({ status: expect.any(Number) });
      }),
    );
  });

  test('is judged, whatever its fields hold, and no answer has its token', () => {
    const names = Object.keys(samplePayload());
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.jsonValue(), (name, value) => {
        const token = 'the-token-of-this-request';
        const payload = samplePayload({ access_token: token, [name]: value });
        const verdict = verify(Buffer.from(JSON.stringify(payload)));
        if ('errors' in verdict) expect(JSON.stringify(verdict)).not.toContain(token);
        else expect('payload' in verdict && verdict.payload.stage).toBe(payload['stage']);
      }),
    );
  });

  test('that nobody could store, as it lies too deep, is refused', () => {
    const nested = (depth: number) =>
      verify(
        Buffer.from(
          JSON.stringify(samplePayload()).replace(/}$/, `,"x":${'['.repeat(depth)}${']'.repeat(depth)}}`),
        ),
      );
    expect(nested(50)).toHaveProperty('payload');
    expect(nested(200_000)).toMatchObject({ status: 422, errors: [{ source: { pointer: '' } }] });
  });

  test('may be signed with any of the keys, and with no other', () => {
    const body = Buffer.from(JSON.stringify(samplePayload()));
    expect(verify(body, ['old', 'k'])).toHaveProperty('payload');
    expect(verify(body, ['old', 'other'])).toMatchObject({ status: 401 });
    // Before its body is read.
    expect(verify(Buffer.from('{'), ['other'])).toMatchObject({ status: 401 });
  });

  test('has two signatures only if they are the same', () => {
    const body = Buffer.from(JSON.stringify(samplePayload()));
    const [good, bad] = [sign(body, 'k'), sign(body, 'other')];
    const both = (one: string, other: string, keys = ['k']) =>
      verifyRequest(keys, { 'x-platform-task-signature': one, 'x-tfc-task-signature': other }, body);
    expect(both(good, good)).toHaveProperty('payload');
    for (const [one, other] of [
      [good, bad],
      [bad, good],
      [good, ''],
      ['', good],
    ] as const) {
      expect(both(one, other)).toMatchObject({ status: 401 });
    }
    // Without a key anything is accepted, but nothing that contradicts itself.
    expect(both('', '', [])).toHaveProperty('payload');
    expect(both('', good, [])).toMatchObject({ status: 401 });
  });

  test.each<[string, unknown]>([
    ['the token alone', { access_token: 'test-token' }],
    ['a whole payload', samplePayload({ access_token: 'test-token' })],
    ['stage "test"', samplePayload({ stage: 'test' })],
    ['level "test", without a stage', { task_result_enforcement_level: 'test', access_token: 'x' }],
  ])('only tries the address out with %s, if its signature fits', (_, json) => {
    const body = Buffer.from(JSON.stringify(json));
    expect(verify(body)).toEqual({ isVerification: true });
    expect(verify(body, ['other'])).toMatchObject({ status: 401 });
  });

  test.each<[string, unknown, string]>([
    ['no object', [], ''],
    ['no stage', { payload_version: 1 }, '/stage'],
    ['an identifier with a NUL', samplePayload({ run_id: 'a\u0000' }), '/run_id'],
  ])('with %s is 422 and says where', (_, json, pointer) => {
    const verdict = verify(Buffer.from(JSON.stringify(json)));
    expect(verdict).toMatchObject({ status: 422 });
    const errors = 'errors' in verdict ? verdict.errors : [];
    expect(errors).toContainEqual(expect.objectContaining({ source: { pointer } }));
  });

  test('is refused where its signature comes twice', () => {
    const body = Buffer.from(JSON.stringify(samplePayload()));
    const twice = `${sign(body, 'k')}, ${sign(body, 'k')}`;
    expect(verifyRequest(['k'], { 'x-platform-task-signature': twice }, body)).toMatchObject({ status: 401 });
  });
});
