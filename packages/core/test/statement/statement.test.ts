import { describe, expect, test } from '@jest/globals';
import { largePlan } from '../../../bench/large.ts';
import { parseEnvironment } from '../../src/environment/environment.ts';
import { readPlan } from '../../src/review/plan/read-plan.ts';
import { type ReviewOptions, review } from '../../src/review/review.ts';
import { ruleOptions, ruleOptionsElsewhere } from '../../src/review/rules/rule-options.ts';
import { reviewStatement } from '../../src/statement/predicate.ts';
import { statementOf } from '../../src/statement/statement.ts';
import { now } from './reviewed.ts';

const circumstances = { version: '0', now, judgedOn: { source: 'plan' } } as const;

/** What a statement says of a plan of Terraform. */
function predicateOf(plan: object, namespace?: string, rules: Partial<ReviewOptions> = {}) {
  const options: ReviewOptions = { now: BigInt(now.getTime()) * 1_000_000n, ...rules };
  const stack = { project: 'p', name: 'prod', service: 'https://a.example.com', namespace: namespace ?? '' };
  const judged = review(readPlan(JSON.stringify(plan)), options);
  const change = { name: 'tfplan', digest: '0'.repeat(64), ...(namespace !== undefined && { stack }) };
  return reviewStatement.parse(statementOf(change, judged, circumstances)).predicate;
}

const stated = (plan: object, namespace?: string) => predicateOf(plan, namespace).access;

/** A plan that widens a policy which roles have: of `ci`, in a namespace. */
function widened(roles: string[], paths: number, namespace?: string) {
  const text = (capability: string) =>
    Array.from({ length: paths }, (_, at) => `path "secret/data/${at}/*" { capabilities = [${capability}] }`);
  const of = (type: string, before: object, after = before) => ({
    address: `${type}.${JSON.stringify(before).length}${Math.random()}`,
    mode: 'managed',
    type,
    change: {
      actions: before === after ? ['no-op'] : ['update'],
      before: { namespace, ...before },
      after: { namespace, ...after },
      after_unknown: {},
      before_sensitive: {},
      after_sensitive: {},
    },
  });
  const policy = (capability: string) => ({ name: 'shop', policy: text(capability).join('\n') });
  return {
    format_version: '1.2',
    terraform_version: '1.9.8',
    resource_changes: [
      of('vault_jwt_auth_backend', {
        path: 'ci',
        type: 'jwt',
        accessor: 'a',
        oidc_discovery_url: 'https://ci.example.com',
      }),
      of('vault_policy', policy('"read"'), policy('"read", "update"')),
      ...roles.map((name) =>
        of('vault_jwt_auth_backend_role', {
          backend: 'ci',
          role_name: name,
          role_type: 'jwt',
          user_claim: 'sub',
          token_policies: ['shop'],
          bound_audiences: ['x'],
          bound_claims: { name },
        }),
      ),
    ],
  };
}

const exception = {
  rule: 'policy-widened',
  subject: 'policy shop',
  namespace: 'pay',
  because: 'a demo',
  owner: 'ops@example.com',
  until: '2026-12-31',
};

describe('what a statement says of access', () => {
  test('has what was and what is, once for all to whom it happens', () => {
    const [only, ...rest] = stated(widened(['build', 'web'], 1));
    expect(rest).toEqual([]);
    expect(only).toEqual({
      who: ['role ci/build', 'role ci/web'],
      gains: 'some',
      losses: 'none',
      life: 'same',
      why: [],
      words: [{ before: 'secret/data/0/*: read', after: 'read, update' }],
    });
  });

  test('names what is in a child namespace with it, and what is in the stack’s own without', () => {
    const whoIn = (own: string) => stated(widened(['web'], 1, 'team/pay'), own)[0]?.who;
    expect(whoIn('team')).toEqual(['role pay/ci/web']);
    expect(whoIn('team/pay')).toEqual(['role ci/web']);
    expect(whoIn('')).toEqual(['role team/pay/ci/web']);
  });

  test('names findings and exceptions of a child namespace with it, too', () => {
    const environment = parseEnvironment({
      service: { address: 'https://a.example.com', namespace: 'team' },
      namespaces: [{ path: 'pay', exists: true }],
      exceptions: [exception],
    });
    const elsewhere = { namespaces: ruleOptionsElsewhere(environment) };
    const { findings, exceptions } = predicateOf(widened(['web'], 1, 'team/pay'), 'team', elsewhere);
    expect(findings).toMatchObject([{ subject: 'policy pay/shop', severity: 'info' }]);
    expect(exceptions).toMatchObject([{ subject: { type: 'policy', name: 'shop', namespace: 'pay' } }]);
  });

  test('names an exception as settings do, where the plan has the namespace alone', () => {
    const { namespace: _, ...own } = exception;
    const environment = parseEnvironment({
      service: { address: 'https://a.example.com' },
      exceptions: [own],
    });
    const { exceptions } = predicateOf(widened(['web'], 1, 'team'), '', ruleOptions(environment));
    expect(exceptions).toMatchObject([{ subject: { type: 'policy', name: 'shop' } }]);
    expect(exceptions[0]?.subject).not.toHaveProperty('namespace');
  });

  test('is bounded, with how much is left out', () => {
    const [only] = stated(widened(['web'], 500));
    expect(only?.words).toHaveLength(8);
    expect(only?.leftOut).toBe(492);
  });

  test('makes the statement of a large plan at most half as large again as who and whether do', () => {
    const { access, ...rest } = predicateOf(largePlan(1000));
    const short = access.flatMap(({ who, gains, losses, life }) =>
      who.map((one) => ({ who: one, gains, losses, life })),
    );
    const size = (value: unknown) => JSON.stringify(value).length;
    expect(access.every(({ words, why, leftOut = 0 }) => words.length + why.length + leftOut > 0)).toBe(true);
    expect(size({ ...rest, access })).toBeLessThan(size({ ...rest, access: short }) * 1.5);
  });
});
