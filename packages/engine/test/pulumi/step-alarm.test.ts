import { describe, expect, test } from '@jest/globals';
import { policyType, resource, roleType, step, update } from '../../../cli/test/fake-engine.ts';
import type { DeploymentEvent, Step } from '../../src/engine.ts';
import { StepAlarm } from '../../src/pulumi/step-alarm.ts';

const event = (type: 'step-started' | 'step-done', given: Step): DeploymentEvent => ({ type, step: given });
const ttl = (to: string) => update(roleType, 'reader', { ttl: '1' }, { ttl: to }, { diffs: ['ttl'] });
const codes = (alarm: StepAlarm) => alarm.diagnostics(true).map(({ code }) => code);

describe('an alarm', () => {
  test.each<[string, Step]>([
    ['another resource', step('create', resource(policyType, 'more'))],
    ['another operation', step('delete', resource(roleType, 'reader', { inputs: { ttl: '1' } }))],
    ['another value', ttl('9')],
    [
      'another service',
      { ...ttl('2'), provider: 'urn:pulumi:dev::gatehouse::pulumi:providers:vault::other::1' },
    ],
  ])('is raised by %s, when it begins or when it ends', (_, foreign) => {
    for (const type of ['step-started', 'step-done'] as const) {
      const alarm = new StepAlarm([ttl('2')]);
      expect(alarm.see(event(type, foreign))).toBe(true);
      expect(codes(alarm)).toEqual(['step_unplanned']);
    }
  });

  test('is raised by any step where the reviewed plan has no changes', () => {
    const alarm = new StepAlarm([step('same', resource(roleType, 'reader', { inputs: { ttl: '1' } }))]);
    expect(alarm.see(event('step-started', ttl('2')))).toBe(true);
    expect(codes(alarm)).toEqual(['step_unplanned']);
  });

  test('is raised by a reviewed step that is made twice', () => {
    const alarm = new StepAlarm([ttl('2')]);
    expect([1, 2].map(() => alarm.see(event('step-started', ttl('2'))))).toEqual([false, true]);
  });

  test('is not raised by a component that ends a second time, with its outputs', () => {
    const component = step('create', resource('gatehouse:index:AuthMethod', 'staff', { custom: false }));
    const alarm = new StepAlarm([component]);
    for (const type of ['step-started', 'step-done', 'step-done'] as const) {
      expect(alarm.see(event(type, component))).toBe(false);
    }
    expect(codes(alarm)).toEqual([]);
  });

  test('is raised by a step that ends with other values than it began with', () => {
    const alarm = new StepAlarm([ttl('2')]);
    expect(alarm.see(event('step-started', ttl('2')))).toBe(false);
    expect(alarm.see(event('step-done', ttl('9')))).toBe(true);
  });

  test('says what was applied, and which properties differ, without their values', () => {
    const alarm = new StepAlarm([ttl('2'), step('create', resource(policyType, 'read'))]);
    alarm.see(event('step-done', step('create', resource(policyType, 'read'))));
    alarm.see(event('step-started', ttl('hush')));
    const [{ message } = { message: '' }] = alarm.diagnostics(false);
    expect(message).toContain(`update ${roleType} "reader" (ttl)`);
    expect(message).toContain(`Applied before it stopped: create ${policyType} "read".`);
    expect(message).not.toContain('hush');
  });

  test('is not raised by what stays, or is only read again', () => {
    const alarm = new StepAlarm([]);
    const found = { ...ttl('2'), refreshed: true as const };
    const refresh = step('refresh', resource(roleType, 'reader'));
    for (const one of [step('same', resource(roleType, 'reader')), found, refresh]) {
      expect(alarm.see(event('step-started', one))).toBe(false);
    }
    expect(codes(alarm)).toEqual([]);
  });

  test('is raised by a CLI that ends well and does not report reviewed steps', () => {
    expect(codes(new StepAlarm([ttl('2')]))).toEqual(['steps_untold']);
    expect(new StepAlarm([ttl('2')]).diagnostics(false)).toEqual([]);
  });
});
