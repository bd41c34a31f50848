import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { policyType, resource, roleType, step, update, urnOf } from '../../cli/test/fake-engine.ts';
import type { PulumiStep } from '../../core/src/review/plan/pulumi-preview.ts';
import { digestsOfSteps } from '../../core/src/statement/steps-digests.ts';
import { keys, signed, statement } from '../../core/test/statement/reviewed.ts';
import type { Step } from '../../engine/src/engine.ts';
import { plannedStep } from '../../engine/src/planned-steps.ts';
import { Secret, Unknown } from '../../engine/src/property-value.ts';
import { ReviewedSteps } from '../reviewed-steps.ts';

const folder = temporaryFolder();

const reviews = { signers: [{ name: 'alice', key: keys.alice.publicPem, until: '2999-12-31' }] };

/** A statement about steps, in a file. */
async function sign(steps: PulumiStep[], key = keys.alice): Promise<string[]> {
  const { digest, declared } = digestsOfSteps(steps);
  const timeCreated = new Date().toISOString();
  const stated = statement({ declared: { sha256: declared }, state: undefined, timeCreated }, digest);
  const path = join(folder, 'review.sigstore.json');
  writeFileSync(path, await signed(stated, key));
  return [path];
}

async function reviewedSteps(...steps: Step[]): Promise<ReviewedSteps> {
  const reviewed = join(folder, 'reviewed.json');
  const planned = steps.map(plannedStep);
  writeFileSync(reviewed, JSON.stringify(planned));
  return ReviewedSteps.read({ reviewed, reviews, statements: await sign(planned) }) as ReviewedSteps;
}
const reader = urnOf(roleType, 'reader');
const readerStep = update(roleType, 'reader', { ttl: 1 }, { ttl: 2, policies: ['read'], __defaults: ['x'] });

describe('of what is reviewed', () => {
  test.each<[string, Record<string, unknown>, string | undefined]>([
    ['the same values pass', { ttl: 2, policies: ['read'] }, undefined],
    ['another value does not', { ttl: 3, policies: ['read'] }, 'ttl'],
    ['a further value does not', { ttl: 2, policies: ['read'], all: true }, 'all'],
    ['a value that is gone does not', { ttl: 2 }, 'policies'],
    ['a longer list does not', { ttl: 2, policies: ['read', 'login-admin'] }, 'policies'],
    ['the values before do not', { ttl: 1 }, 'ttl, policies'],
    ['what the engine notes does not count', { ttl: 2, policies: ['read'], __internal: {} }, undefined],
  ])('%s', async (_, inputs, differing) => {
    const expected = differing && `Other values than in the plan that was reviewed: ${differing}.`;
    expect((await reviewedSteps(readerStep)).foreign(reader, inputs)).toBe(expected);
  });

  test('a name that begins with __ counts within a value', async () => {
    const claims = (value: Record<string, string>) => ({ boundClaims: { ...value, __defaults: [] } });
    const steps = await reviewedSteps(update(roleType, 'reader', {}, claims({ __tenant: 'a' })));
    expect(steps.foreign(reader, claims({ __tenant: 'a' }))).toBeUndefined();
    expect(steps.foreign(reader, claims({}))).toContain('boundClaims');
  });

  test('a value that was unknown may be any, a secret must stay one', async () => {
    const inputs = { accessor: Unknown.value, key: new Secret('hush') };
    const steps = await reviewedSteps(step('create', resource(policyType, 'p', { inputs })));
    const urn = urnOf(policyType, 'p');
    expect(steps.foreign(urn, { accessor: 'auth_1', key: '[secret]' })).toBeUndefined();
    expect(steps.foreign(urn, { accessor: 'auth_1', key: 'shown' })).toContain('key');
  });

  test('each step of a replacement may have its values', async () => {
    const replaced = ['create-replacement', 'replace'] as const;
    const steps = await reviewedSteps(...replaced.map((op) => ({ ...readerStep, op })));
    expect(steps.foreign(reader, { ttl: 2, policies: ['read'] })).toBeUndefined();
  });

  test('a component may have any values: it makes nothing', async () => {
    const component = resource('gatehouse:index:AuthMethod', 'staff', { custom: false, inputs: { a: 1 } });
    expect((await reviewedSteps(step('create', component))).foreign(component.urn, { a: 2 })).toBeUndefined();
  });
});

describe('what is not reviewed', () => {
  const none = () => reviewedSteps();
  test.each([
    ['a resource', reader],
    ['a component', urnOf('gatehouse:index:AuthMethod', 'more')],
    ['a plugin of the program', urnOf('pulumi:providers:vault', 'service')],
    [
      'the plugin of the secrets service that an engine brings along',
      urnOf('pulumi:providers:vault', 'default_7_8_0'),
    ],
  ])('does not pass: %s', async (_, urn) => {
    expect((await none()).foreign(urn, {})).toBe('It is not in the plan that was reviewed.');
  });

  test('does not pass: what was to be deleted', async () => {
    const deleted = await reviewedSteps(step('delete', resource(roleType, 'reader', { inputs: { ttl: 1 } })));
    expect(deleted.foreign(reader, { ttl: 1 })).toBe('It is not in the plan that was reviewed.');
  });

  test('passes: another plugin that an engine brings along', async () => {
    expect((await none()).foreign(urnOf('pulumi:providers:random', 'default'), {})).toBeUndefined();
  });
});

test.each([
  ['no file', '/nowhere/reviewed.json'],
  ['no text', 7],
  ['no steps', join(folder, 'broken.json')],
])('%s: nothing counts as reviewed', (_, path) => {
  writeFileSync(join(folder, 'broken.json'), '{"steps": []}');
  expect(() => ReviewedSteps.read({ reviewed: path })).toThrow('nothing counts as reviewed');
});

describe('of what signers reviewed', () => {
  const reviewed = join(folder, 'signed.json');
  const steps = [readerStep, step('same', resource(policyType, 'p', { inputs: {} }))].map(plannedStep);
  beforeEach(() => writeFileSync(reviewed, JSON.stringify(steps)));

  test('nothing else is made, and nothing of it is deleted', async () => {
    const found = ReviewedSteps.read({ reviewed, reviews, statements: await sign(steps) });
    expect(found?.foreign(reader, { ttl: 3, policies: ['read'] })).toContain('Other values');
    expect(found?.missing(new Set([reader]))).toEqual([urnOf(policyType, 'p')]);
  });

  test.each<[string, () => Promise<Record<string, unknown>>]>([
    ['there is no statement', async () => ({ reviewed, reviews })],
    ['it is about other steps', async () => ({ reviewed, reviews, statements: await sign(steps.slice(1)) })],
    [
      'it leaves out what stays',
      async () => ({ reviewed, reviews, statements: await sign(steps.slice(0, 1)) }),
    ],
    ['its key is of no signer', async () => ({ reviewed, reviews, statements: await sign(steps, keys.bob) })],
  ])('it is refused if %s', async (_name, properties) => {
    const given = await properties();
    expect(() => ReviewedSteps.read(given)).toThrow('no signed review that counts');
  });

  test('it is refused without the steps, or without the signers', async () => {
    const statements = await sign(steps);
    expect(() => ReviewedSteps.read({ reviews, statements })).toThrow('nothing counts as reviewed');
    expect(() => ReviewedSteps.read({ reviewed, statements })).toThrow('nothing counts as reviewed');
  });
});
