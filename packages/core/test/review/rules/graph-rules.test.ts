import { describe, expect, test } from '@jest/globals';
import { graphRules, judgeGraph } from '../../../src/review/rules/rules.ts';
import { graphOf } from '../graphs.ts';
import { jwtMethod, jwtRole, oidcMethod, oidcRole } from './graph-fixture.ts';
import { graphRuleCases } from './graph-rule-cases.ts';
import { kindRuleCases } from './kind-rule-cases.ts';
import { type Judged, people, testCases } from './rule-case.ts';
import { sharedIssuerCases } from './shared-issuer-cases.ts';

const service = { address: 'https://secrets.example.com:8200', dialect: 'vault' } as const;

const findings = (rule: string, { options, ...parts }: Judged) =>
  judgeGraph(graphOf(parts), options).filter((finding) => finding.rule === rule);

testCases({ ...graphRuleCases, ...sharedIssuerCases, ...kindRuleCases }, graphRules, {
  objection: (id, given, severity) =>
    expect(findings(id, given)).toEqual([
      expect.objectContaining({ rule: id, severity, docs: `docs/rules.md#${id}` }),
    ]),
  silence: (id, given) => expect(findings(id, given)).toEqual([]),
});

describe('the rules over a graph', () => {
  test('say nothing of a method and role that are as they should be', () => {
    const both = { methods: [oidcMethod(), jwtMethod()], roles: [oidcRole(), jwtRole()] };
    expect(judgeGraph(graphOf(both), { service })).toEqual([]);
  });

  test('are left out by their ids', () => {
    const graph = graphOf(people({ userClaim: 'email' }));
    expect(
      judgeGraph(graph, { disabled: { 'mutable-user-claim': 'addresses are never given twice' } }),
    ).toEqual([]);
  });

  test('find the worst first', () => {
    const graph = graphOf(people({ userClaim: 'email', allowedRedirectUris: [] }));
    expect(judgeGraph(graph).map(({ severity }) => severity)).toEqual(['error', 'error', 'warning']);
  });
});
