import { describe, expect, test } from '@jest/globals';
import { parseEnvironment } from '../../src/environment/environment.ts';
import { emptyGraph, type Graph } from '../../src/graph/graph.ts';
import { type ReviewOptions, review } from '../../src/review/review.ts';
import { ruleOptions, ruleOptionsElsewhere } from '../../src/review/rules/rule-options.ts';

const now = BigInt(Date.UTC(2026, 10, 26)) * 1_000_000n;
const method = { path: 'ci', type: 'jwt' as const, config: { boundIssuer: 'https://ci.example.com' } };
const graph = (parts: Partial<Graph>): Graph => ({ ...emptyGraph(), ...parts });
const changeOf = (before: Graph, after: Graph) => ({ before, after, replaced: [], rotated: [], unknown: [] });
const service = { address: 'https://secrets.example.com:8200', namespace: 'platform' };

function optionsOf(exceptions: object[] = []): ReviewOptions {
  const environment = parseEnvironment({
    service,
    namespaces: [{ path: 'shop' }, { path: 'bank' }],
    exceptions,
  });
  return { now, ...ruleOptions(environment), namespaces: ruleOptionsElsewhere(environment) };
}

describe('a mount that goes to another namespace of an environment', () => {
  const changes = [
    { place: { namespace: 'platform/shop' }, change: changeOf(graph({ methods: [method] }), graph({})) },
    { place: { namespace: 'platform/bank' }, change: changeOf(graph({}), graph({ methods: [method] })) },
  ];
  const found = (options: ReviewOptions) =>
    review({ changes, notes: [] }, options).findings.filter(({ rule }) => rule === 'mount-lost');

  test('is an error that says where it goes', () => {
    expect(found(optionsOf())).toMatchObject([
      {
        severity: 'error',
        namespace: 'platform/shop',
        subject: { type: 'method', name: 'ci' },
        message: expect.stringContaining('goes to namespace platform/bank'),
      },
    ]);
  });

  test('is a warning once that is allowed', () => {
    expect(found({ ...optionsOf(), allowReplace: true }).map(({ severity }) => severity)).toEqual([
      'warning',
    ]);
  });

  test('is accepted by an exception of the namespace that it leaves', () => {
    const exception = {
      rule: 'mount-lost',
      subject: 'method ci',
      because: 'so',
      owner: 'me',
      until: '2026-12-31',
      namespace: 'shop',
    };
    expect(found(optionsOf([exception]))[0]).toMatchObject({ severity: 'info', exception: { owner: 'me' } });
    expect(found(optionsOf([{ ...exception, namespace: 'bank' }]))[0]?.severity).toBe('error');
  });

  test('is nothing of the kind in a plan of another program', () => {
    expect(found({ now })).toEqual([]);
  });
});

describe('an exception', () => {
  const role = { method: 'ci', name: 'web', roleType: 'jwt', userClaim: 'sub', policies: ['ops'] } as const;
  const everywhere = ['platform', 'platform/shop', 'platform/bank'].map((namespace) => ({
    place: { namespace },
    change: changeOf(graph({}), graph({ methods: [method], roles: [role] as never })),
  }));
  const exception = (namespace?: string) => ({
    rule,
    subject: 'role ci/web',
    because: 'so',
    owner: 'me',
    until: '2026-12-31',
    ...(namespace && { namespace }),
  });
  const [{ rule } = { rule: '' }] = review({ changes: everywhere, notes: [] }, optionsOf()).findings.filter(
    ({ subject }) => subject.type === 'role',
  );
  const accepted = (exceptions: object[]) =>
    review({ changes: everywhere, notes: [] }, optionsOf(exceptions)).findings.flatMap((one) =>
      one.rule === rule && one.exception ? one.namespace : [],
    );

  test('without a namespace counts in the environment’s own alone', () => {
    expect(accepted([exception()])).toEqual(['platform']);
  });

  test('of a namespace counts there alone', () => {
    expect(accepted([exception('bank')])).toEqual(['platform/bank']);
  });
});

test('what is gone is among what was reviewed', () => {
  const change = changeOf(graph({ methods: [method] }), graph({ policies: [{ name: 'p', text: '' }] }));
  const found = review({ changes: [{ place: {}, change }], notes: [] }, { now });
  expect(found.resources).toEqual({ reviewed: 2, changed: 2 });
});
