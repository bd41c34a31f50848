import type { Outcome } from '../../../core/src/run-task/outcome.ts';
import type { WatchedChange } from '../../src/watch/watched-stack.ts';
import { created, delivery, run, task, watchedStack } from './page-server.ts';

// Runs, deliveries and watched stacks with what pages must bear.

const change = (kind: 'create' | 'update' | 'replace' | 'delete', title: string, differences?: string[]) => ({
  kind,
  title,
  children: [],
  ...(differences && { differences }),
});
export const outcomes: Outcome[] = [
  {
    outcomeId: 'everyone-admin',
    description: 'Everyone who signs in at staff would have secrets-admin',
    body: '# Who gains\n\n| Who | Gains |\n|---|---|\n| everyone at `staff` | `secrets-admin` |\n\n- a list\n\n[The rule](https://gatehouse.example/rules)',
    url: 'https://gatehouse.example/findings/everyone-admin',
    tags: {
      Severity: [{ label: 'High', level: 'error' }],
      Status: [{ label: 'Failed', level: 'error' }],
      'Access change': [{ label: 'gains', level: 'warning' }],
      Rule: [{ label: 'everyone-gains', level: 'none' }],
    },
  },
  {
    outcomeId: 'ttl',
    description: 'Tokens of the role reader would live for 32 days',
    tags: { severity: [{ label: 'Low', level: 'info' }], status: [{ label: 'Warned', level: 'warning' }] },
  },
  { outcomeId: 'plain', description: 'Three roles are as they were' },
];
export const stopped = run({
  id: 'run-3',
  status: 'stopped',
  message: 'Give everyone at staff the administrators’ policy',
  reason: 'Blocked at post_plan by review (failed).',
  endedAt: '2026-11-20T10:02:00.000Z',
  tasks: [
    task({ id: 'taskrs-1', stage: 'pre_plan', name: 'declared-state', enforcement: 'advisory' }),
    task({
      id: 'taskrs-2',
      status: 'failed',
      message: 'One finding of level error.',
      url: 'https://gatehouse.example/reviews/1',
      outcomes,
    }),
    task({
      id: 'taskrs-3',
      name: 'slow',
      enforcement: 'advisory',
      acceptedAt: null,
      attempts: 9,
      status: 'errored',
      message: 'No final status came in time.',
      trouble: 'The address answers 503.',
    }),
  ],
});
export const running = run({
  tasks: [task({ status: 'running', message: 'Reading the plan.', endedAt: null })],
});
export const ended = delivery({
  id: 'ended',
  status: 'given_up',
  error: 'The platform does not take the result: 404.',
  endedAt: '2026-11-20T10:09:00.000Z',
  result: { status: 'failed', message: 'One finding of level error.', outcomes },
});

const unusual = ['x'.repeat(200), 'قارئ الأسرار', 'team 🧑‍💻', 'a\u202eb', 'ü'.repeat(200)];
/** All of a first deployment is new: names that pages must bear, and 40 groups that gain. */
const firstRun = run({
  id: 'run-8',
  status: 'waiting_for_confirmation',
  message: unusual.join(' '),
  stack: 'prod',
  gains: 'some',
  gained: ['40 groups gain access.', ...Array.from({ length: 40 }, (_, at) => `group ${unusual[at % 5]}`)],
  changes: {
    counts: { create: 60 },
    unlisted: 0,
    resources: Array.from({ length: 60 }, (_, at) =>
      change('create', `${at % 2 ? 'role' : 'group'} ${unusual[at % 5]}`),
    ),
  },
});

const rows = Array.from({ length: 12 }, (_, at) => [
  `role ci/job-${at}: any project`,
  '  – → read secret/data/*',
]);
const at = (seconds: number) => new Date(Date.parse(created) + seconds * 1000).toISOString();
/** A run like a first deployment, that waits: 12 rows of access, 22 findings, 48 lines of log of an earlier try. */
export const longRun = run({
  ...firstRun,
  id: 'run-9',
  message: 'Jobs of every project read the secrets of the shop',
  summary: '60 to create: method ci, role ci/job-0, …',
  commit: '0f3c5a'.padEnd(40, '0'),
  gained: ['12 roles gain access. Tokens of role ci/job-1 last longer.', ...rows.flat()],
  applyLog: Array.from({ length: 48 }, (_, line) => `created role ci/job-${line}`),
  statusTimes: [
    { status: 'pre_plan', at: at(1) },
    { status: 'planning', at: at(1) },
    { status: 'post_plan', at: at(7) },
    { status: 'waiting_for_confirmation', at: at(9) },
  ],
  tasks: [
    task({
      message: '! 12 roles gain access. Tokens of role ci/job-1 last longer.',
      outcomes: [
        ...rows.map(([who = '', change = ''], row) => ({
          outcomeId: `access-${row}`,
          description: `role ci/job-${row}: – → read secret/data/*`,
          body: `- ${who}\n- ${change.trim().replace('*', '\\*')}`,
          tags: {
            Severity: [{ label: 'warning', level: 'warning' as const }],
            Access: [{ label: 'new', level: 'none' as const }],
          },
        })),
        ...Array.from({ length: 20 }, (_, row) => ({
          ...(outcomes[1] as Outcome),
          outcomeId: `finding-${row}`,
        })),
      ],
    }),
    task({
      id: 'taskrs-2',
      name: 'policy-check',
      stage: 'pre_plan',
      outcomes: outcomes.slice(0, 1),
      enforcement: 'advisory',
    }),
  ],
});

const since = Date.parse('2026-11-20T09:00:00Z');
const drifting = [
  '~  role cluster/web  ttl: 2h, declared 10m',
  `~  policy ${'p'.repeat(120)}  text: not as declared\n     - path "secret/data/*" {\n     + path "*" {`,
];
export const watchedStacks = [
  watchedStack('shop/prod'),
  watchedStack('shop/drifting', {
    outcome: 'drift',
    summary: '2 of 12 differ',
    driftAt: since,
    sinceAt: since,
    reviewId: 'run-6',
    access: {
      gains: 'some',
      life: 'same',
      gained: ['1 role gains access.', `role cluster/${'web'.repeat(40)}`, '  – → read secret/data/*'],
    },
    findings: drifting.map((text) => ({ text, since })),
    reviewedAt: since,
  }),
  watchedStack('shop/broken', {
    outcome: 'failed',
    summary: 'namespace_not_found',
    seenAt: undefined,
    sinceAt: since,
    problem: 'The secrets service has no such namespace.\n  given: team',
  }),
  watchedStack(`shop/${'a-long-name-of-a-stack'.repeat(4)}`, {
    listedAt: 0,
    comparedWith: 'not a git checkout',
  }),
];
export const watchedChange: WatchedChange = {
  changedAt: since,
  outcome: 'drift',
  summary: '2 of 12 differ',
  comparedWith: 'commit 1a2b3c4d5e6f',
  appeared: drifting,
  gone: ['-  role cluster/backup is missing'],
};

export const allRuns = [
  running,
  run({ id: 'run-2', status: 'applied', stack: 'prod', isSpeculative: true }),
  stopped,
  run({
    id: 'run-4',
    status: 'waiting_for_confirmation',
    planDigest: 'a'.repeat(64),
    commit: '0f3c5a'.padEnd(40, '0'),
    commitUrl: 'https://code.example.com/login/commit/0f3c5a',
    changes: {
      counts: { create: 2, update: 1, replace: 1, delete: 1, same: 12 },
      unlisted: 0,
      resources: [
        {
          kind: 'same',
          title: 'AuthMethod staff',
          children: [
            change('create', 'role staff-reader'),
            change('update', 'role staff-web', ['ttl: 10m → 15m', `policies: + "${'p'.repeat(200)}"`]),
            change('replace', 'method staff'),
          ],
        },
        change('create', 'policy a-policy-with-quite-a-long-name-for-readers'),
        change('delete', 'policy old'),
      ],
    },
    gains: 'some',
    lost: ['role staff/old: contract "active"'],
    gained: ['1 role gains access.', 'role staff/reader: people in admins', '  – → read secret/data/app'],
  }),
  firstRun,
  run({ id: 'run-6', status: 'applying', applyLog: ['created AuthBackend staff', 'deleted Policy old'] }),
  run({
    id: 'run-5',
    status: 'waiting_for_acceptance',
    acceptWith: { namespace: '', name: 'gatehouse-accept' },
    toAccept: ['taskrs-9'],
    tasks: [task({ id: 'taskrs-9', name: 'policy-check', status: 'failed' })],
    decisions: [
      {
        kind: 'retried',
        task: 'taskrs-9',
        by: 'staff-alice',
        entity: null,
        reason: null,
        planDigest: null,
        decidedAt: '2026-11-20T10:00:00.000Z',
      },
    ],
  }),
];
