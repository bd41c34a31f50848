import { expect, it } from '@jest/globals';
import type { Promised } from '../../src/graph/promise-settings.ts';
import { readPlan } from '../../src/review/plan/read-plan.ts';
import { review } from '../../src/review/review.ts';
import { entries, graph } from '../worlds.ts';
import { change, comparison, now } from './graphs.ts';
import { terraform } from './plan/terraform.ts';

const path = 'secret/data/prod/*';
const promises: Promised[] = [
  { only: ['role backup'], can: ['update'], on: path, because: 'it alone restores.' },
  { always: ['role backup'], can: ['update'], on: path, because: 'backups run every night' },
];
const ofService = (policies: string) =>
  graph(`
    method ci jwksUrl: https://ci.example.com/keys
    role backup prod
    role build build
    policy prod: ${path} update
    ${policies}`);
const kept = ofService('policy build: secret/data/build/* read');
const broken = ofService('policy build: secret/* update');
const reviewed = (before: object, after: object, disabled = {}) => {
  const found = review(comparison(change(before, after)), { now, promises, disabled });
  return {
    broken: found.findings.filter(({ rule }) => rule === 'promise-broken').map(({ subject }) => subject.name),
    found,
  };
};
const [only, always] = ['only', 'always'].map((kind) => `${kind} role backup: update on ${path}`);

it('a promise that a change breaks is an error with a witness', () => {
  const { found } = reviewed(kept, broken);
  expect(found.findings).toContainEqual({
    rule: 'promise-broken',
    severity: 'error',
    docs: 'docs/rules.md#promise-broken',
    subject: { type: 'promise', name: only },
    message:
      'The promise is broken: role ci/build can update "secret/data/prod/x", by policy build ("secret/*"). Example: a sign-in with role build and claims {"aud":"secrets","sub":"x"}. Promised because: it alone restores.',
    fix: expect.stringMatching(/\S/),
  });
});

it('one that was broken before is still an error, and never one of those that stand', () => {
  const { broken: names, found } = reviewed(broken, broken);
  expect(names).toEqual([only]);
  expect(found.older.length).toBe(reviewed(kept, kept).found.older.length);
});

it('one that was broken before is older where the change only puts back what is declared', () => {
  const options = { now, promises, isRestoring: true };
  const byHand = review(comparison(change(broken, broken)), options);
  expect(byHand.findings.map(({ rule }) => rule)).not.toContain('promise-broken');
  expect(byHand.older).toContainEqual(expect.objectContaining({ rule: 'promise-broken' }));
  const byTheChange = review(comparison(change(kept, broken)), options);
  expect(byTheChange.findings.map(({ rule }) => rule)).toContain('promise-broken');
});

it('one that is kept says nothing, and one that a change fixes neither', () => {
  expect(reviewed(kept, kept).broken).toEqual([]);
  expect(reviewed(broken, kept).broken).toEqual([]);
});

it('one that somebody must be able to is broken where the way closes', () => {
  const closed = { ...kept, roles: kept.roles.slice(1) };
  expect(reviewed(kept, closed).broken).toEqual([always]);
});

it('one that cannot be judged is an error too', () => {
  const { rule, severity, message } =
    reviewed(kept, ofService('')).found.findings.find((one) => one.rule === 'promise-broken') ?? {};
  expect([rule, severity]).toEqual(['promise-broken', 'error']);
  expect(message).toMatch(/could not be checked. Unknown: what policy build of role ci\/build allows/);
});

it('is turned off as any rule', () => {
  expect(reviewed(kept, broken, { 'promise-broken': 'while we move' }).broken).toEqual([]);
});

it('is judged in the namespace of the environment, where a plan has it', () => {
  const role = 'bound_audiences: [x], token_no_default_policy: true';
  const plan = entries(`
    + policy.prod namespace: team, name: prod, policy: 'path "${path}" { capabilities = ["update"] }'
    + role@team backup prod namespace: team, ${role}
    + role@other backup - namespace: other, ${role}`);
  const found = (namespace?: string) =>
    review(readPlan(terraform(plan)), {
      now,
      promises,
      service: { address: 'https://x.example', dialect: 'vault', ...(namespace && { namespace }) },
    }).findings.flatMap(({ rule, subject, namespace: at }) =>
      rule === 'promise-broken' ? [[subject.name, at]] : [],
    );
  expect(found('team')).toEqual([]);
  expect(found('team/')).toEqual([]);
  expect(found('other')).toEqual([[always, 'other']]);
  expect(found()).toEqual([[always, 'other']]);
});
