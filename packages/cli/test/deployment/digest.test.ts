// Follows pulumi/pulumi pkg/display/json.go (PreviewDigest, PreviewStep) and
// pkg/backend/display/json.go (ShowPreviewDigest, MassageSecrets).
import { describe, expect, test } from '@jest/globals';
import { Secret, Unknown } from '../../../engine/src/property-value.ts';
import { appliedDigest, digest } from '../../src/deployment/digest.ts';
import { policyType, resource, result, roleType, rootUrn, stackNamed, step, update } from '../fake-engine.ts';

const stack = stackNamed('dev', { 'gatehouse:service': '{}' });
stack.config.set('gatehouse:clientSecrets', { value: '{"staff":"hush"}', secret: true });

describe('digest', () => {
  const steps = [
    step(
      'same',
      resource('pulumi:pulumi:Stack', 'gatehouse-dev', { urn: rootUrn, custom: false, parent: undefined }),
    ),
    step('same', resource(policyType, 'unchanged')),
    update(
      roleType,
      'reader',
      { ttl: 1, key: new Secret('hush') },
      { ttl: Unknown.value, key: new Secret('hush2') },
      {
        provider: 'urn:provider::id',
        diffs: ['ttl'],
        detailedDiff: { ttl: { kind: 'update', inputDiff: true } },
      },
    ),
    step('create-replacement', resource(roleType, 'r')),
    step('replace', resource(roleType, 'r'), { replaceKeys: ['roleType'] }),
    step('delete-replaced', resource(roleType, 'r')),
  ];
  const diagnostics = [
    { severity: 'warning' as const, message: 'look', urn: rootUrn },
    { severity: 'debug' as const, message: 'noise' },
  ];
  const written = JSON.parse(JSON.stringify(digest(stack, result(steps, { diagnostics }))));

  test('has the fields of the digest of pulumi preview --json', () => {
    expect(Object.keys(written)).toEqual(['config', 'steps', 'diagnostics', 'duration', 'changeSummary']);
  });

  test('hides secret configuration', () => {
    expect(written.config).toEqual({ 'gatehouse:service': '{}', 'gatehouse:clientSecrets': '[secret]' });
  });

  test('lists the stack, what changes, and a replacement as one step', () => {
    expect(written.steps.map((entry: any) => [entry.op, entry.urn.split('::').at(-1)])).toEqual([
      ['same', 'gatehouse-dev'],
      ['update', 'reader'],
      ['replace', 'r'],
    ]);
  });

  test('writes a step with its states, secrets as "[secret]" and unknown values as their mark', () => {
    expect(written.steps[1]).toEqual({
      op: 'update',
      urn: steps[2]?.urn,
      provider: 'urn:provider::id',
      oldState: expect.objectContaining({ type: roleType, inputs: { ttl: 1, key: '[secret]' } }),
      newState: expect.objectContaining({
        inputs: { ttl: '04da6b54-80e4-46f7-96ec-b56ff0331ba9', key: '[secret]' },
      }),
      diffReasons: ['ttl'],
      detailedDiff: { ttl: { kind: 'update', inputDiff: true } },
    });
  });

  test('writes null where the plugin gave no detailed difference', () => {
    expect(written.steps[2]).toMatchObject({ replaceReasons: ['roleType'], detailedDiff: null });
  });

  test('leaves debug messages out', () => {
    expect(written.diagnostics).toEqual([{ urn: rootUrn, message: 'look', severity: 'warning' }]);
  });

  test('gives the duration in nanoseconds', () => {
    expect(written.duration).toBe(1_234_000_000);
  });

  test('counts every step', () => {
    expect(written.changeSummary).toMatchObject({ same: 2, update: 1, replace: 1, 'create-replacement': 1 });
  });

  test('holds no secret', () => {
    expect(JSON.stringify(written)).not.toContain('hush');
  });
});

describe('appliedDigest', () => {
  test('adds outputs, without secrets, and the result', () => {
    const applied = appliedDigest(
      stack,
      result([], { outputs: { a: 1, token: new Secret('hush') } }),
      'succeeded',
    );
    expect(JSON.parse(JSON.stringify(applied))).toMatchObject({
      outputs: { a: 1, token: '[secret]' },
      result: 'succeeded',
    });
  });
});
