import { PassThrough } from 'node:stream';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { writeText } from '../../packages/cli/src/terminal/wrap.ts';
import { valueText } from '../../packages/cli/src/up/value-text.ts';
import { accessHcl } from '../../packages/cli/src/who-can/reach-text.ts';
import { inertBlock, inertCode, inertText } from '../../packages/core/src/review/reports/inert-text.ts';
import { field } from '../../packages/host/src/pages/field.ts';
import { renderMarkdown } from '../../packages/host/src/pages/markdown.ts';
import { delivery, run, startPages, task } from '../../packages/run-tasks/test/pages/page-server.ts';
import { HttpBrowser } from '../../packages/secrets-service/test/ui/http-browser.ts';
import { started } from '../harness/started.ts';

const controls = /[\u202a-\u202e\u2066-\u2069]/;
/** Reads as `secret/admin` where its control counts; and markup. */
const name = 'secret/\u202enimda\u202c<img src=x onerror=alert(1)>"\' \u2066x\u2069';

describe('a name that reads like another', () => {
  let browser: HttpBrowser;
  const pages = started(startPages);
  beforeAll(async () => {
    pages().people.set('token', { id: 'x', name, mayAct: true, policies: [] });
    const one = [{ label: name, level: 'none' as const }];
    const tags = { [name]: one, Severity: one, Status: one };
    const outcomes = ['1', '2'].map((outcomeId) => ({
      outcomeId,
      description: name,
      body: name,
      url: `https://x/${name}`,
      tags,
    }));
    pages().runs.set(
      'run-1',
      run({
        stack: name,
        message: name,
        createdBy: name,
        gains: 'some',
        gained: [name],
        reason: name,
        applyLog: [name],
        acceptWith: { namespace: name, name },
        declaredTasks: [name],
        commit: name,
        tasks: [task({ name, message: name, trouble: name, url: `https://x/${name}`, outcomes })],
        decisions: [
          {
            kind: 'confirmed',
            task: null,
            by: name,
            decidedAt: '',
            entity: null,
            reason: name,
            planDigest: null,
          },
        ],
        changes: { counts: {}, resources: [{ kind: 'create', title: name, children: [] }], unlisted: 0 },
      }),
    );
    pages().deliveries.set(
      delivery().id,
      delivery({
        workspaceName: name,
        organizationName: name,
        endpoint: name,
        error: name,
        request: { run_message: name },
        result: { status: 'failed', message: name, outcomes },
      }),
    );
    browser = new HttpBrowser(pages().address);
    await browser.submit('/ui/sign-in', { token: 'token' });
  });

  test.each([
    '/ui/runs',
    `/ui/runs?stack=${encodeURIComponent(name)}`,
    '/ui/runs/run-1',
    `/ui/runs/run-1?severity=${encodeURIComponent(name)}`,
    '/ui/deliveries',
    `/ui/deliveries/${delivery().id}`,
  ])('is shown with its controls at %.20s, and is no markup', async (path) => {
    const { status, text } = await browser.visit(path);
    expect([status, text]).toEqual([200, expect.stringContaining('secret/U+202EnimdaU+202C&#60;img')]);
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|<img|onerror=alert\(1\)>/);
  });

  test.each(['a \u202e b', 'a &#x202E; b', 'a &#8238; b', '`\u202e`', '[\u202ex](https://x/\u202e)'])(
    'is shown with its controls in Markdown from outside: %j',
    (text) => {
      const { markup } = renderMarkdown(text);
      expect(markup).not.toMatch(controls);
      expect(markup).toMatch(/U\+202E/);
      expect(markup).not.toMatch(/&#(?:x202e|8238);/i);
    },
  );

  test.each([inertText, inertCode, inertBlock])('is shown with its controls in a comment: %p', (written) => {
    expect(written(name)).toContain('U+202E');
    expect(written(name)).not.toMatch(controls);
  });

  test('is shown with its controls in a terminal, also where a command prints it as it came', () => {
    const stream: any = new PassThrough();
    writeText(stream, {}, name);
    const written = String(stream.read());
    expect(written).toContain('secret/U+202Enimda');
    expect(written).not.toMatch(controls);
  });

  test('is escaped where it is quoted, so that a copy stays what it is', () => {
    expect(valueText('a\u202eb')).toBe('"a\\u202eb"');
    const row = { pattern: 'a\u202eb', capabilities: ['read'], policies: [], from: {}, limits: [] };
    const report: any = { principal: name, source: 'declared', rows: [row], unread: [], missing: [] };
    const text = accessHcl(report);
    expect(text).toContain('path "a\\u202eb" {');
    expect(text).not.toMatch(controls);
  });

  test('stays as it is in a field that a person edits', () => {
    expect(field({ name: 'a', label: 'a', value: 'a\u202eb' }).markup).toContain('a\u202eb');
  });
});
