import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { z } from 'zod';
import { root } from '../../../../../test/harness/environment-under-test.ts';
import { isIn } from '../../../../../test/harness/long-run.ts';
import { reviewText } from '../../../../cli/src/review/review-text.ts';
import { reviewResult } from '../../../../cli/src/serve/outcomes.ts';
import { styleFor } from '../../../../cli/src/terminal/style.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { jsonReport, reviewReport } from '../../../src/review/reports/json.ts';
import { markdownReport } from '../../../src/review/reports/markdown.ts';
import { sarifReport } from '../../../src/review/reports/sarif.ts';
import { type Review, review } from '../../../src/review/review.ts';
import { now } from '../graphs.ts';
import { entry, role, roleAt, terraform } from '../plan/terraform.ts';

const reviewOf = (text: string) => review(readPlan(text), { now });
const sample = (name: string) => reviewOf(readFileSync(`${root}/examples/plans/${name}.json`, 'utf8'));

const plainStyle = styleFor({}, {});
const positionOf = () => ({ file: 'Pulumi.dev.yaml', line: 3, column: 5 });

/** Every report there is, as text. */
const reports: Record<string, (found: Review) => string> = {
  terminal: (found) => reviewText(found, plainStyle, { columns: 1_000 }),
  markdown: markdownReport,
  json: (found) => JSON.stringify(jsonReport(found, 'error')),
  sarif: (found) => JSON.stringify(sarifReport(found, { version: '1.0.0', positionOf })),
  outcomes: (found) => JSON.stringify(reviewResult(found, 'error')),
};

/** The official schema, 2.1.0 rtm.5: of draft 7, with patterns that are no Unicode ones and formats that Ajv does not know. */
const sarifSchema = JSON.parse(
  readFileSync(`${root}/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json`, 'utf8'),
);
const { id, ...draft7 } = sarifSchema;
const isSarif = new Ajv({ strict: false, unicodeRegExp: false, validateFormats: false }).compile({
  ...draft7,
  $id: id,
  $schema: 'http://json-schema.org/draft-07/schema#',
});

const published = JSON.parse(readFileSync(`${root}/docs/review.schema.json`, 'utf8'));

/** Access changes in a line each: the kind, whose it is, and the policies. */
const changes = ({ access }: Review) =>
  access.map(({ kind, principals, policies: { gained, lost } }) =>
    [kind, principals.name, ...gained.map((one) => `+${one}`), ...lost.map((one) => `-${one}`)].join(' '),
  );

describe('the sample plan of Terraform', () => {
  const found = sample('terraform-plan');

  test('has the access changes that examples/plans/README.md states', () => {
    expect(changes(found)).toEqual([
      'opened deploy +default +login-admin',
      'opened /on-call +login-admin +secrets-read',
      'widened build +default +secrets-read',
      'changed build',
      'changed reader',
      'changed configuration of method kubernetes',
      'closed contractor -default -secrets-read',
    ]);
  });

  test('has no finding that comes from what is unknown but can be worked out', () => {
    expect(found.findings.filter(({ rule }) => rule === 'cannot-be-judged')).toEqual([]);
  });
});

describe('the sample preview of Pulumi', () => {
  const found = sample('pulumi-preview');

  test('has the access changes that examples/plans/README.md states', () => {
    expect(changes(found)).toEqual([
      'opened backup +default',
      'widened web +default +secrets-read',
      'changed operator',
      'narrowed web -default -secrets-read',
    ]);
  });

  test('has the lock-out, and what cannot be judged', () => {
    const lines = found.findings.map(({ rule, severity, subject }) => `${rule} ${severity} ${subject.name}`);
    expect(lines).toContain('lock-out error login-admin');
    expect(lines).toContain('cannot-be-judged error backup');
  });
});

describe.each(['terraform-plan', 'pulumi-preview'])('the reports of %s', (name) => {
  const found = sample(name);

  test.each(Object.keys(reports))('%s tells every finding and every access change', (format) => {
    const text = (reports[format]?.(found) ?? '').replace(/&#(\d+);/g, (_, code) =>
      String.fromCharCode(Number(code)),
    );
    for (const { rule } of found.findings) expect(text).toContain(rule);
    if (format === 'sarif') return;
    for (const { principals } of found.access) expect(text).toContain(principals.name);
  });

  test('json is what the published schema says', () => {
    const validate = new Ajv2020().compile(published);
    expect([validate(jsonReport(found, 'error')), validate.errors]).toEqual([true, null]);
  });

  test('no report holds the plan’s secret values', () => {
    for (const report of Object.values(reports))
      expect(report(found)).not.toMatch(/an-example-and-no-secret|another-example/);
  });
});

test('docs/review.schema.json is the schema of the report', () => {
  expect(published).toEqual(z.toJSONSchema(reviewReport));
});

describe('SARIF', () => {
  const sarif = (name: string, options = {}) =>
    sarifReport(sample(name), { version: '1.0.0', positionOf, ...options }) as any;
  const log = sarif('pulumi-preview');

  test.each(['terraform-plan', 'pulumi-preview'])('is valid by the official schema: %s', (name) => {
    isSarif(JSON.parse(JSON.stringify(sarif(name))));
    expect(isSarif.errors).toBeNull();
  });

  test('names the use of a template as a related location', () => {
    const used = { file: 'Pulumi.dev.yaml', line: 9, column: 7 };
    const report = sarif('pulumi-preview', { positionOf: () => ({ ...positionOf(), use: used }) });
    isSarif(JSON.parse(JSON.stringify(report)));
    expect(isSarif.errors).toBeNull();
    const [result] = report.runs[0].results;
    expect(result.locations[0].physicalLocation.region).toEqual({ startLine: 3, startColumn: 5 });
    expect(result.relatedLocations[0].physicalLocation.region).toEqual({ startLine: 9, startColumn: 7 });
    expect(log.runs[0].results[0]).not.toHaveProperty('relatedLocations');
  });

  test('is not valid by it with a level that there is none of', () => {
    const text = JSON.stringify(log).replaceAll('"level":"error"', '"level":"fatal"');
    expect(isSarif(JSON.parse(text))).toBe(false);
  });

  // The schema asks for none of these; code hosts do.
  test('has what the standard requires of a log', () => {
    expect(log.version).toBe('2.1.0');
    const [run] = log.runs;
    expect(run.tool.driver).toMatchObject({ name: 'gatehouse', version: '1.0.0' });
    for (const result of run.results) {
      expect(run.tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId);
      expect(['error', 'warning', 'note']).toContain(result.level);
      expect(typeof result.message.text).toBe('string');
      expect(Object.keys(result.partialFingerprints)).toHaveLength(1);
    }
  });

  test('points at the line where something is declared', () => {
    expect(log.runs[0].results[0].locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: 'Pulumi.dev.yaml' },
      region: { startLine: 3, startColumn: 5 },
    });
  });

  test('points at the plan where nothing is declared here', () => {
    const other = sarif('pulumi-preview', { positionOf: () => undefined, planFile: 'my plan.json' });
    const [{ physicalLocation }] = other.runs[0].results[0].locations;
    expect(physicalLocation.artifactLocation.uri).toBe('my%20plan.json');
  });
});

describe('the outcomes of a run task', () => {
  test('fail at the severity that is asked for, and pass below it', () => {
    const found = sample('terraform-plan');
    const warnings = found.findings.filter(({ severity }) => severity === 'warning');
    const status = (failsAt: 'warning' | 'error') =>
      reviewResult({ ...found, findings: warnings }, failsAt).status;
    expect([status('warning'), status('error')]).toEqual(['failed', 'passed']);
  });

  test('name the policy that does it, and say which rule decides', () => {
    const [access] = sample('terraform-plan').access.filter(({ kind }) => kind === 'changed');
    if (access === undefined) throw new Error('the sample has one');
    const rule = (path: string) => ({ path, capabilities: ['read'], policy: 'shop' });
    const path = { path: 's/*db*', gained: ['read'], lost: [], parametersChange: false, witness: 's' };
    const cause = { kind: 'rule-gone', policy: 'shop' } as const;
    const decides = { before: { ...rule(path.path), capabilities: ['deny'] }, after: rule('s/*') };
    const none = {
      policies: { gained: [], lost: [], kept: [] },
      groups: [],
      also: [],
      unread: [],
      uncertain: [],
    };
    const of = (name: string) => ({
      ...access,
      ...none,
      principals: { ...access.principals, name },
      paths: [{ ...path, decides, cause }],
    });
    const [first] = reviewResult(
      { ...sample('terraform-plan'), findings: [], access: [of('a'), of('b')] },
      'error',
    ).outcomes;
    expect(first?.description).toMatch(/^policy shop, role ci\/a, role ci\/b: s\/\*db\*: deny → read$/);
    expect(first?.body).toContain('- The denial for s/\\*db\\* is gone, so s/\\* decides there.');
  });

  test('keep to the published limits, however much there is', () => {
    const [access] = sample('terraform-plan').access;
    const found = sample('pulumi-preview');
    const [finding] = found.findings;
    if (access === undefined || finding === undefined) throw new Error('the samples have both');
    // What is long costs a second for each hundred.
    const many = Array.from({ length: 3000 }, (_, at) => ({
      ...finding,
      subject: { ...finding.subject, name: `${'x'.repeat(at % 50 === 0 ? 1500 : 15)}${at}` },
      message: 'y'.repeat(at % 50 === 0 ? 20_000 : 20),
    }));
    const { outcomes, message } = reviewResult({ ...found, findings: many, access: [access] }, 'error');
    expect(outcomes).toHaveLength(2000);
    expect(outcomes.at(-1)?.description).toBe('1002 more, which do not fit here');
    expect(message.length).toBeLessThanOrEqual(200);
    const tooLong = outcomes.filter(
      ({ outcomeId, description, body = '' }) =>
        outcomeId.length > 64 || description.length > 1000 || body.length > 10_000,
    );
    expect(tooLong).toEqual([]);
  });

  test('are errors, then access changes, then the rest, each with its Severity; what was checked has its Status', () => {
    const found = sample('terraform-plan');
    const tags = reviewResult(found, 'error').outcomes.map(({ outcomeId, tags }) => [
      outcomeId.split('-')[0],
      tags?.['Severity']?.[0]?.level,
      tags?.['Status']?.[0]?.label,
    ]);
    const kinds = tags.map(([kind]) => kind);
    const errors = found.findings.filter(({ severity }) => severity === 'error').length;
    expect(kinds.slice(0, errors)).toEqual(Array(errors).fill('finding'));
    expect(kinds.indexOf('access')).toBe(errors);
    expect(kinds.lastIndexOf('access')).toBeLessThan(kinds.indexOf('finding', errors));
    for (const [kind, severity, status] of tags.filter(([one]) => one !== 'summary')) {
      expect(severity).toMatch(/^(error|warning|info)$/);
      if (kind === 'finding') expect(status).toBe(severity === 'error' ? 'failed' : 'passed');
      else expect(status).toMatch(/^(passed|not judged)$/);
    }
  });

  test('say of an access change that was not judged that it was not', () => {
    const found = sample('terraform-plan');
    const access = found.access.map((one) => ({ ...one, gains: 'unknown' as const }));
    const { outcomes } = reviewResult({ ...found, access }, 'error');
    const first = outcomes.find(({ outcomeId }) => outcomeId.startsWith('access-'));
    expect(first?.tags?.['Status']).toEqual([{ label: 'not judged', level: 'warning' }]);
  });

  test('have a summary where the message is cut, which is one short line', () => {
    const unread = { kind: 'not-read' as const, what: 'x'.repeat(500) };
    const found = { ...sample('terraform-plan'), gains: 'unknown' as const, missing: [unread] };
    const { message, outcomes } = reviewResult(found, 'error');
    expect([message.length, message.includes('\n')]).toEqual([200, false]);
    expect(outcomes.at(-1)?.body).toContain('x'.repeat(500));
  });
});

test('Markdown stays below what a comment holds, and says what it left out', () => {
  const roles = Array.from({ length: 600 }, (_, at) =>
    entry(`vault_jwt_auth_backend_role.r${at}`, {
      after: { ...role, role_name: `r${at}`, bound_subject: `s${at}`, token_policies: [`p${at}`] },
    }),
  );
  const text = markdownReport(reviewOf(terraform(roles)));
  expect(text.length).toBeLessThan(65_000);
  expect(text).toContain('more, which do not fit here');
});

describe('text from a plan', () => {
  const hostile =
    '</code></details><script>x</script> @team [a](http://b) `c` |\n# d \u001b[31m \u202enimda\u2069';
  const named = { ...role, backend: hostile, role_name: hostile, token_policies: [hostile] };
  const found = reviewOf(terraform([entry(roleAt, { after: named })]));

  test('is only text in Markdown', () => {
    expect(markdownReport(found)).not.toMatch(/<script|@team|\]\(|^# d/im);
  });

  test('cannot steer a terminal', () => {
    expect(reviewText(found, plainStyle)).not.toContain('\u001b');
  });

  test('shows its bidirectional controls where people read it', () => {
    const outcomes = JSON.stringify(reviewResult(found, 'error'));
    for (const text of [markdownReport(found), reviewText(found, plainStyle), outcomes]) {
      expect(text).toContain('U+202Enimda');
      expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    }
  });
});

describe('a secret of a plan', () => {
  const secret = 'sEcReT-0123456789';
  const isNowhere = (found: Review) => {
    for (const report of Object.values(reports)) expect(report(found)).not.toContain(secret);
  };
  const types = {
    vault_jwt_auth_backend: [
      'oidc_client_secret',
      'provider_config',
      'description',
      'oidc_client_id',
      'bound_issuer',
      'default_role',
    ],
    vault_jwt_auth_backend_role: [
      'bound_subject',
      'bound_claims',
      'token_policies',
      'groups_claim',
      'claim_mappings',
    ],
    vault_identity_group: ['policies', 'metadata'],
    vault_policy: ['policy'],
    vault_config_ui_custom_message: ['message_base64', 'link'],
  };
  const base = {
    vault_jwt_auth_backend: { path: 'm', type: 'oidc' },
    vault_jwt_auth_backend_role: { backend: 'm', role_name: 'r', user_claim: 'sub', role_type: 'jwt' },
    vault_identity_group: { name: 'g', type: 'external' },
    vault_policy: { name: 'p' },
    vault_config_ui_custom_message: { title: 't', start_time: '2026-01-01T00:00:00Z' },
  };
  const shapes: ((value: string) => unknown)[] = [
    (text) => text,
    (text) => [text],
    (text) => ({ provider: text, key: text }),
  ];
  const place = fc.constantFrom(...(Object.keys(types) as (keyof typeof types)[])).chain((type) =>
    fc.record({
      type: fc.constant(type),
      field: fc.constantFrom(...types[type]),
      shape: fc.constantFrom(...shapes),
      sides: fc.constantFrom('before', 'after', 'both'),
    }),
  );

  test('is in no report, wherever it is marked as one in Terraform’s plan', () => {
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 4 }), (places) => {
        const changes = places.map(({ type, field, shape, sides }, at) => {
          const value = shape(secret);
          const own = { ...base[type], [field]: value };
          const marked = Array.isArray(value) ? [true] : { provider: true };
          const mark = { [field]: typeof value === 'string' ? true : marked };
          const other = { ...base[type], [field]: shape('public') };
          return entry(`${type}.x${at}`, {
            before: sides === 'after' ? other : own,
            after: sides === 'before' ? other : own,
            before_sensitive: sides === 'after' ? {} : mark,
            after_sensitive: sides === 'before' ? {} : mark,
          });
        });
        const found = reviewOf(terraform(changes, { variables: { v: { value: secret } } }));
        isNowhere(found);
      }),
      { numRuns: isIn('npm test') ? 40 : 200 },
    );
  });

  test('is in no report when Pulumi shows it where only secrets stand', () => {
    const type = 'vault:jwt/authBackend:AuthBackend';
    const urn = `urn:pulumi:dev::p::${type}::m`;
    const inputs = { path: 'm', oidcClientSecret: secret };
    const signature = { '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270' };
    const boundIssuer = { ...signature, plaintext: secret };
    const step = {
      op: 'update',
      urn,
      diffReasons: ['oidcClientSecret', 'boundIssuer'],
      oldState: { type, inputs, outputs: inputs },
      newState: { type, inputs: { ...inputs, boundIssuer } },
    };
    const found = reviewOf(JSON.stringify({ steps: [step] }));
    expect(found.findings.some(({ rule }) => rule === 'cannot-be-judged')).toBe(true);
    isNowhere(found);
  });

  test('is in no report when it is a workspace suite’s key', () => {
    const own = (key: string) => ({
      ...base.vault_jwt_auth_backend,
      provider_config: { provider: 'gsuite', gsuite_service_account: key, gsuite_admin_impersonate: 'a@b.c' },
    });
    const changed = entry('vault_jwt_auth_backend.x', { before: own('old'), after: own(secret) });
    isNowhere(reviewOf(terraform([changed])));
  });
});
