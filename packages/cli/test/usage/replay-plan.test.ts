import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { readPlan } from '../../../core/src/review/plan/read-plan.ts';
import { entry, terraform } from '../../../core/test/review/plan/terraform.ts';
import { auditLine, job, renewalLine, signInLine } from '../../../core/test/usage/log-lines.ts';
import { now, serviceOf } from '../../../core/test/usage/replayed-log.ts';
import { type ReplayRequest, replayPlan } from '../../src/usage/replay-plan.ts';

const rules = (path: string, capability: string) => `path "${path}" { capabilities = ["${capability}"] }`;
const shop = (before: string | null, after: string | null, fields: object = {}) =>
  entry('vault_policy.shop', {
    actions: [before === null ? 'create' : after === null ? 'delete' : 'update'],
    before: before === null ? null : { name: 'shop', policy: before, ...fields },
    after: after === null ? null : { name: 'shop', policy: after, ...fields },
  });
const narrowed = shop(rules('secret/data/*', 'read'), rules('secret/data/*', 'list'));
const line = (path: string, fields: object = {}) => auditLine({ path, by: job, ...fields });
const folder = temporaryFolder({
  'audit.log': `${line('secret/data/a')}\n${line('secret/data/b', { at: 1, namespace: 'team', grantedIn: 'n' })}\n`,
});
const request = (given: Partial<ReplayRequest> = {}): ReplayRequest => ({
  logs: [join(folder, 'audit.log')],
  stdin: Readable.from([]),
  people: false,
  ...given,
});
const stored = serviceOf({ policies: [{ name: 'shop', text: rules('secret/data/*', 'read') }] });
const live = { namespace: '', graph: stored, ids: { mount: {}, group: {}, entity: {} }, missing: [] };

describe('a plan that is replayed', () => {
  test('refuses what it takes from a policy, as far as the plan alone tells', async () => {
    const summary = await replayPlan(readPlan(terraform([narrowed])), { now }, request());
    expect(summary).toMatchObject({
      requests: 1,
      refused: { requests: 1, principals: 1 },
      otherNamespaces: 1,
      onService: false,
      groups: [{ because: { kind: 'capability', capability: 'read' } }],
    });
  });

  test('names the role of tokens that are renewed, as on a run page', async () => {
    const renewed = temporaryFolder({
      'audit.log': [signInLine('ci', job), renewalLine(job, 1), line('secret/data/a', { at: 2 })].join('\n'),
    });
    const logs = [join(renewed, 'audit.log')];
    const summary = await replayPlan(readPlan(terraform([narrowed])), { now, live }, request({ logs }));
    expect(summary).toMatchObject({ refused: { requests: 1 }, unknown: { requests: 0 } });
    expect(summary.groups).toMatchObject([
      { by: 'role ci/web', because: { kind: 'capability', capability: 'read' } },
    ]);
  });

  test('is put on top of what the service has', async () => {
    const plan = readPlan(terraform([narrowed]));
    const summary = await replayPlan(plan, { now, live }, request());
    expect(summary).toMatchObject({ refused: { requests: 1 }, onService: true });
  });

  test('is replayed in its own namespace', async () => {
    const there = shop(rules('secret/data/*', 'read'), rules('secret/data/*', 'list'), { namespace: 'team' });
    const summary = await replayPlan(readPlan(terraform([there])), { now }, request());
    expect(summary).toMatchObject({ requests: 1, refused: { requests: 1 }, otherNamespaces: 1 });
  });

  test('is replayed in the namespace of its stack, where it has several', async () => {
    const there = shop(rules('secret/data/*', 'read'), null, { namespace: 'other' });
    const service = { address: 'https://vault.example.com', namespace: 'other/' };
    const options = { now, service: { ...service, dialect: 'vault' as const, features: { messages: true } } };
    const summary = await replayPlan(readPlan(terraform([narrowed, there])), options, request());
    expect(summary).toMatchObject({ requests: 0, otherNamespaces: 2 });
  });

  test('is refused where it has several namespaces and no stack', async () => {
    const there = shop(rules('secret/data/*', 'read'), null, { namespace: 'team' });
    const plan = readPlan(terraform([narrowed, there]));
    await expect(replayPlan(plan, { now }, request())).rejects.toMatchObject({ code: 'option_conflict' });
  });

  test('does not know what a policy allows that is known only after it', async () => {
    const hidden = entry('vault_policy.shop', {
      actions: ['update'],
      before: { name: 'shop', policy: rules('secret/data/*', 'read') },
      after: { name: 'shop' },
      after_unknown: { policy: true },
    });
    const summary = await replayPlan(readPlan(terraform([hidden])), { now }, request());
    expect(summary).toMatchObject({
      refused: { requests: 0 },
      unknown: { requests: 1 },
      groups: [{ because: { kind: 'unknown', missing: { kind: 'policy-text', policy: 'shop' } } }],
    });
  });

  test('names resources that the review does not look into', async () => {
    const other = entry('vault_unheard_of.apps', {
      actions: ['update'],
      before: { backend: 'apps' },
      after: { backend: 'apps', kubernetes_host: 'https://k8s.example.com' },
    });
    const summary = await replayPlan(readPlan(terraform([other])), { now }, request());
    expect(summary.missing).toEqual([{ kind: 'resources-not-read', type: 'vault_unheard_of', count: 1 }]);
  });

  test('refuses nothing where it changes nothing', async () => {
    const summary = await replayPlan(readPlan(terraform([])), { now, live }, request());
    expect(summary).toMatchObject({ requests: 1, refused: { requests: 0 }, unknown: { requests: 0 } });
  });

  test('asks for the hashes of what policies compare with, and for nothing else', async () => {
    const limited = (kinds: string) =>
      `path "secret/data/*" {\n capabilities = ["update"]\n allowed_parameters = { "kind" = [${kinds}] }\n}`;
    const plan = readPlan(terraform([shop(limited('"a", "b*"'), limited('"b"'))]));
    const asked: string[] = [];
    const hash = async (texts: ReadonlySet<string>) => {
      asked.push(...texts);
      return new Map([...texts].map((text) => [text, `hmac-sha256:${text}`]));
    };
    const data = { kind: 'hmac-sha256:a' };
    const log = `${line('secret/data/a', { operation: 'update', data })}\n`;
    const stdin = Readable.from([Buffer.from(log)]);
    const summary = await replayPlan(plan, { now }, request({ logs: ['-'], stdin, hash }));
    expect(asked).toEqual(['a', 'b']);
    expect(summary).toMatchObject({ refused: { requests: 1 }, unknown: { requests: 0 } });
  });
});
