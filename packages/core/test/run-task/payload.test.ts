import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hasPlan, Stage } from '../../src/graph/values/stage.ts';
import { acceptsOutcomes, isVerification, parsePayload, sentPayload } from '../../src/run-task/payload.ts';
import { samplePayload, without } from './sample-payload.ts';

function read(change: Record<string, unknown> = {}) {
  const result = parsePayload(samplePayload(change));
  if ('errors' in result) throw new Error(JSON.stringify(result.errors));
  return result.payload;
}

function errors(json: unknown) {
  const result = parsePayload(json);
  return 'errors' in result ? result.errors : [];
}

const nullable = [
  'configuration_version_download_url',
  'vcs_branch',
  'vcs_commit_url',
  'vcs_pull_request_url',
  'vcs_repo_url',
];

describe('a payload that is sent', () => {
  test.each(Object.keys(samplePayload()))('has %s', (field) => {
    expect(sentPayload.safeParse(without(samplePayload(), field)).success).toBe(false);
  });

  test('may spell capabilities as the table of docs/inside/specification.md does, too', () => {
    expect(sentPayload.safeParse(samplePayload({ capabilitites: { outcomes: true } })).success).toBe(true);
  });

  test('has the fields of docs/inside/specification.md A1 and no others', () => {
    expect(sentPayload.safeParse(samplePayload({ more: 1 })).success).toBe(false);
  });

  test.each(nullable)('may have null for %s', (field) => {
    expect(sentPayload.safeParse(samplePayload({ [field]: null })).success).toBe(true);
  });

  test.each(
    Object.keys(samplePayload()).filter(
      (field) => !nullable.includes(field) && field !== 'vcs_pull_request_url',
    ),
  )('has no null for %s', (field) => {
    expect(sentPayload.safeParse(samplePayload({ [field]: null })).success).toBe(false);
  });

  test.each(Object.values(Stage))('at %s has the address of the plan where there is one, only', (stage) => {
    const withPlan = sentPayload.safeParse(samplePayload({ stage })).success;
    const withoutPlan = sentPayload.safeParse(without(samplePayload({ stage }), 'plan_json_api_url')).success;
    expect([withPlan, withoutPlan]).toEqual([hasPlan(stage), !hasPlan(stage)]);
  });

  test.each(['2026-12-01T12:00:00Z', '2026-12-01T13:00:00.000+01:00', 'yesterday'])(
    'does not say %s for run_created_at',
    (run_created_at) => {
      expect(sentPayload.safeParse(samplePayload({ run_created_at })).success).toBe(false);
    },
  );
});

describe('a payload that is received', () => {
  test('is read as it came, unknown fields kept', () => {
    expect(read({ project_id: 'prj-1' })).toMatchObject(samplePayload({ project_id: 'prj-1' }));
  });

  test.each([
    'organization_name',
    'run_message',
    'workspace_name',
    'run_created_at',
    'vcs_branch',
    'is_speculative',
    'capabilities',
  ])('may lack %s', (field) => {
    expect(errors(without(samplePayload(), field))).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['payload_version', 2],
    ['payload_version', '1'],
    ['stage', 'after_plan'],
    ['access_token', ''],
    ['task_result_callback_url', undefined],
    ['task_result_id', 7],
    ['plan_json_api_url', null],
  ])('with %s = %p is refused by that name', (field, value) => {
    const found = errors(samplePayload({ [field]: value }));
    expect(found.map(({ source }) => source)).toEqual([{ pointer: `/${field}` }]);
  });

  test('at pre_plan needs no address of a plan', () => {
    expect(errors(samplePayload({ stage: 'pre_plan', plan_json_api_url: undefined }))).toEqual([]);
  });

  test('that is refused never tells its access token', () => {
    const secret = 'a-token-that-nobody-may-see';
    for (const field of Object.keys(samplePayload())) {
      const json = samplePayload({ access_token: secret, [field]: { secret } });
      expect(JSON.stringify(errors(json))).not.toContain(secret);
    }
  });

  test('is never a crash, whatever came', () => {
    fc.assert(
      fc.property(fc.anything(), (json) => {
        expect(parsePayload(json)).toBeDefined();
      }),
    );
  });

  test.each<[string, Record<string, unknown>, boolean]>([
    ['capabilities.outcomes true', { capabilities: { outcomes: true } }, true],
    ['capabilities.outcomes false', { capabilities: { outcomes: false } }, false],
    [
      'the spelling of the reference table',
      { capabilities: undefined, capabilitites: { outcomes: true } },
      true,
    ],
    ['no capabilities', { capabilities: undefined }, false],
    ['no word of outcomes', { capabilities: {} }, false],
    ['a word in one spelling only', { capabilities: {}, capabilitites: { outcomes: true } }, true],
  ])('with %s: outcomes are taken: %p', (_, change, expected) => {
    expect(acceptsOutcomes(read(change))).toBe(expected);
  });

  test.each<[string, unknown, boolean]>([
    ['a whole payload with the token "test-token"', samplePayload({ access_token: 'test-token' }), true],
    ['the token "test-token" alone', { access_token: 'test-token' }, true],
    ['stage "test"', samplePayload({ stage: 'test' }), true],
    [
      'no stage, and level "test"',
      without(samplePayload({ task_result_enforcement_level: 'test' }), 'stage'),
      true,
    ],
    ['another token', samplePayload(), false],
    ['no object', ['test-token'], false],
    ['nothing', null, false],
  ])('with %s only tries the address out: %#', (_, json, expected) => {
    expect(isVerification(json)).toBe(expected);
  });
});
