import { describe, expect, test } from '@jest/globals';
import type { RunView } from '../../../core/src/run-task/run.ts';
import { textIn } from '../../../secrets-service/test/ui/http-browser.ts';
import { created, pagesPerTest, run, task } from './page-server.ts';

const { pages, browser } = pagesPerTest({ token: 'a-readers-token' });

const shown = async (change: Partial<RunView>) => {
  pages().runs.set('run-1', run(change));
  return (await browser().visit('/ui/runs/run-1')).text;
};

describe('the plan of a run', () => {
  const role = (kind: 'create' | 'delete', name: string) => ({ kind, title: `Role ${name}`, children: [] });
  const resources = [
    { kind: 'same' as const, title: 'Method staff', children: [role('create', 'web')] },
    role('delete', '<b>old</b>'),
  ];

  const counts = { delete: 1, same: 3, create: 12, replace: 2 };
  test.each([
    [
      'its counts, worst last, and what stays',
      { counts },
      'Plan 12 to create, 2 to replace, 1 to delete, 3 unchanged',
    ],
    [
      'how many resources are not listed',
      { counts: { create: 502 }, unlisted: 500 },
      '500 more are not listed.',
    ],
    ['that nothing changes', { counts: { same: 4 } }, 'Plan No resource changes, 4 unchanged'],
  ])('says %s', async (_, changes, words) => {
    const text = await shown({ changes: { resources: [], unlisted: 0, ...changes } });
    expect(textIn(text)).toContain(words);
  });

  test('is a list, each resource under its parent, as text', async () => {
    const text = await shown({ changes: { counts: { create: 1, delete: 1 }, resources, unlisted: 0 } });
    expect(textIn(text)).toMatch(/Method staff *create Role web *delete Role <b>old<\/b>/);
    expect(text).toMatch(/staff<\/span><ul class="changes">/);
    expect(text).not.toMatch(/<b>old|id="created-/);
  });

  test('has the property differences of each resource, as text', async () => {
    const differences = ['ttl: 10m → 15m', 'clientSecret: [secret] → [secret]', '  + path "<b>"'];
    const update = { kind: 'update' as const, title: 'role web', differences, children: [] };
    const text = await shown({ changes: { counts: { update: 1 }, resources: [update], unlisted: 0 } });
    expect(textIn(text)).toContain('ttl: 10m → 15m clientSecret: [secret] → [secret] + path "<b>"');
    expect(text).not.toContain('"<b>');
  });

  test('has the files that were planned with their digests, and what it was planned without', async () => {
    const files = Array.from({ length: 501 }, (_, index) => ({
      path: `<b>${index}`,
      digest: 'c0ffee',
      mode: '100644',
    }));
    const limits = ['Planned with placeholders.'];
    const text = await shown({ changes: { counts: {}, resources: [], unlisted: 0, files, limits } });
    expect(textIn(text)).toContain('Planned with placeholders.');
    expect(textIn(text)).toContain('Files planned: 501, each with its SHA-256');
    expect(textIn(text)).toContain('c0ffee <b>499 and 1 more');
    expect(text).not.toContain('<b>499');
  });

  test('folds what a first run creates by kind, and nothing else', async () => {
    const created = Array.from({ length: 9 }, (_, index) => role('create', `r${index}`));
    const all = [
      { kind: 'create' as const, title: 'method staff', children: created },
      role('delete', 'old'),
    ];
    const text = await shown({ changes: { counts: { create: 10, delete: 1 }, resources: all, unlisted: 0 } });
    const [, plan = ''] = /id="plan"(.*?)id="run-tasks"/s.exec(text) ?? [];
    const [, ...folded] = [...plan.matchAll(/<summary>(.*?)<\/summary>/g)].map(([, one]) =>
      textIn(one ?? ''),
    );
    expect(folded.map((one) => one.trim())).toEqual(['create 1 × method', 'create 9 × Role']);
    expect(textIn(plan.split('<details')[0] ?? '')).toContain('delete Role old');
    for (const { title } of created) expect(plan).toContain(`>${title}<`);
  });

  test('is not there before it is made', async () => {
    expect(await shown({})).not.toContain('id="plan"');
  });
});

test('the namespace of the stack’s service is in the header of the run and of its stack, where it has one', async () => {
  const header = (text: string) => textIn(/<header class="masthead">(.*?)<\/header>/s.exec(text)?.[1] ?? '');
  const ofRun = await shown({ namespace: 'team/shop' });
  const [ofStack, ofAll] = [await browser().visit('/ui/runs?stack=dev'), await browser().visit('/ui/runs')];
  const texts = [ofRun, ofStack.text, ofAll.text, await shown({})];
  expect(texts.map((text) => header(text).includes('Namespace team/shop'))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('the log of an apply is folded, oldest first, as text', async () => {
  const text = await shown({ status: 'applying', applyLog: ['created Role web', 'deleted Role <b>'] });
  expect(textIn(text)).toMatch(/Log of the apply 2 lines *created Role web *deleted Role <b>/);
  expect(await shown({})).not.toContain('id="apply-log"');
});

test.each<[string, Partial<RunView>, boolean]>([
  ['was discarded', { status: 'discarded' }, true],
  [
    'was stopped after its apply began',
    { status: 'stopped', statusTimes: [{ status: 'applying', at: created }] },
    false,
  ],
  ['failed', { status: 'errored' }, false],
])('a run that %s says that nothing was applied only if that is known', async (_, change, isSaid) => {
  const text = textIn(await shown({ ...change, endedAt: created }));
  expect(text.includes('Nothing was applied.')).toBe(isSaid);
});

describe('where a run comes from', () => {
  const commit = '0f3c5a'.padEnd(40, '0');

  test('is a link to its commit', async () => {
    const commitUrl = `https://code.example.com/login/commit/${commit}`;
    expect(await shown({ commit, commitUrl })).toContain(
      `<a href="${commitUrl}" rel="noopener noreferrer nofollow">0f3c5a0000</a>`,
    );
  });

  test.each([null, 'javascript:alert(1)', 'file:///etc/passwd', 'ssh://code.example.com/login'])(
    'is the commit without a link where its page is %s',
    async (commitUrl) => {
      const text = await shown({ commit, commitUrl });
      expect(textIn(text)).toContain('Commit0f3c5a0000');
      expect(text).not.toContain('rel="noopener');
      expect(text).not.toMatch(/javascript:|file:|ssh:/);
    },
  );

  test('says that the files are not those of the commit', async () => {
    expect(textIn(await shown({ commit, hasUncommittedChanges: true }))).toContain(
      'Commit0f3c5a0000, with uncommitted changes',
    );
    expect(textIn(await shown({ commit }))).not.toContain('uncommitted');
  });

  test('is left out where git knows none', async () => {
    expect(textIn(await shown({}))).not.toContain('Commit');
  });

  test('is a stack whose page has its runs alone', async () => {
    pages().runs.set('run-2', run({ id: 'run-2', stack: 'a/b' }));
    expect(await shown({ stack: 'a&b' })).toContain('<a href="/ui/runs?stack=a%26b">a&#38;b</a>');
    const { text } = await browser().visit('/ui/runs?stack=a%26b');
    expect(textIn(text)).toMatch(/Stack a&b.* Its runs, newest first\. All stacks/);
    expect([text.includes('run-1'), text.includes('run-2')]).toEqual([true, false]);
  });
});

describe('the run tasks of a run', () => {
  test.each([
    ['are not sent yet', { declaredTasks: ['review'] }, 'No run task was sent yet.'],
    [
      'were not sent',
      { declaredTasks: ['review'], status: 'errored', endedAt: created },
      'No run task was sent.',
    ],
    ['are none', { status: 'applying' }, 'The stack declares no run tasks.'],
    ['were none', { status: 'applied', endedAt: created }, 'The stack declares no run tasks.'],
  ])('%s', async (_, change, words) => {
    expect(textIn(await shown(change as Partial<RunView>))).toContain(words);
  });
});

describe('a run before its turn', () => {
  const ahead = { id: 'run-0', status: 'waiting_for_confirmation' } as const;

  test('names the run that it waits behind, and how to end that', async () => {
    const text = await shown({ status: 'pending', ahead });
    expect(textIn(text)).toContain(
      'Runs of dev take turns: this one waits behind run-0 (waiting for confirmation). It goes on after a decision; gatehouse run discard run-0 ends it.',
    );
    expect(text).toContain('href="/ui/runs/run-0"');
  });

  test('says nothing of deciding where the run ahead goes on by itself', async () => {
    const text = textIn(await shown({ status: 'pending', ahead: { id: 'run-0', status: 'applying' } }));
    expect(text).toContain('this one waits behind run-0 (applying).');
    expect(text).not.toContain('discard');
  });

  test('is what a run that waits says of later ones', async () => {
    const text = textIn(await shown({ status: 'waiting_for_confirmation' }));
    expect(text).toContain('Later runs of dev begin once it is decided.');
  });
});

test('a run that is blocked says by what, its errors alone, above all that is folded', async () => {
  const outcome = (outcomeId: string, description: string, level: 'error' | 'warning') => ({
    outcomeId,
    description,
    tags: { Severity: [{ label: level, level }] },
  });
  const outcomes = [outcome('1', 'Tokens last 8h', 'warning'), outcome('2', 'Everyone could write', 'error')];
  const failed = task({ status: 'failed', message: '1 error.', outcomes });
  const text = textIn(
    await shown({ status: 'stopped', reason: 'It ended.', endedAt: created, tasks: [failed] }),
  );
  expect(text).toMatch(
    /Worst finding *error Everyone could write *Blocked by review review: 1 error\..*Pre-plan.*Severity.*Tokens last/,
  );
  const advisory = await shown({ status: 'stopped', tasks: [{ ...failed, enforcement: 'advisory' }] });
  expect(advisory).not.toContain('Blocked by');
});

test.each([
  [
    { acceptWith: { namespace: '', name: 'may-accept' } },
    'Anyone with the policy may-accept can accept it; anyone with the policy gatehouse-deploy can retry it',
  ],
  [{ acceptWith: null }, 'The stack names no policy that accepts it.'],
])('a run that waits for acceptance says who may: %j', async (change, words) => {
  expect(textIn(await shown({ status: 'waiting_for_acceptance', ...change }))).toContain(words);
});

describe('the list of runs', () => {
  const listed = async (change: Partial<RunView>, query = '') => {
    pages().runs.set('run-1', run(change));
    return textIn((await browser().visit(`/ui/runs${query}`)).text);
  };

  test.each([
    [{ message: 'By a person', commitMessage: 'By a commit' }, 'By a person'],
    [{ message: '', commitMessage: 'By a commit', summary: '1 to update' }, 'By a commit'],
    [{ message: '', summary: '1 to update: role web' }, '1 to update: role web'],
    [{ message: '' }, 'Run of dev'],
  ])('titles a run with %j by %s', async (change, title) => {
    expect(await listed(change)).toContain(`Age ${title}run-1`);
  });

  test('says who gains, and how many more', async () => {
    const gained = ['4 gain.', 'role a: everyone', '  gains path: x', 'role b', 'group c', 'role d'];
    expect(await listed({ gains: 'some', gained })).toMatch(/someone gains *role a, role b, 2 more/);
    const none: Partial<RunView> = { gains: 'none', life: 'same', gate: 'same', gained: ['No one.'] };
    expect(await listed(none)).toMatch(/no one gains *dev/);
    expect(await listed({ ...none, life: 'longer' })).toMatch(/tokens last longer *dev/);
    expect(await listed({ ...none, gate: 'weaker' })).toMatch(/asked for less *dev/);
    expect(await listed({})).toContain('not reviewed');
  });

  test('asks for what its form says, and keeps it there', async () => {
    const { text } = await browser().visit('/ui/runs?search=a%22b%00&status=failed&stack=dev');
    expect(pages().state.asked).toEqual({
      search: 'a"b',
      stack: 'dev',
      statuses: ['stopped', 'errored'],
      limit: 100,
    });
    expect(text).toContain('value="a&#34;b"');
    expect(text).toContain('value="failed" selected');
    await browser().visit('/ui/runs?status=constructor');
    expect(pages().state.asked).toEqual({ limit: 100 });
  });

  test('says that none matches', async () => {
    expect(textIn((await browser().visit('/ui/runs?stack=none')).text)).toContain('No run matches. All runs');
  });
});
