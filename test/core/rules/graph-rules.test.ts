import { describe, expect, test } from '@jest/globals';
import type { Graph } from '../../../core/model/graph.ts';
import { graphRules, judgeGraph, type RuleOptions } from '../../../core/rules/rules.ts';
import { withExample } from '../../docs/rule-examples.ts';
import { graphOf } from '../review/graphs.ts';
import { jwtMethod, jwtRole, oidcMethod, oidcRole } from './graph-fixture.ts';
import { graphRuleCases } from './graph-rule-cases.ts';
import { kindRuleCases } from './kind-rule-cases.ts';
import { people } from './rule-case.ts';
import { sharedIssuerCases } from './shared-issuer-cases.ts';

const cases = { ...graphRuleCases, ...sharedIssuerCases, ...kindRuleCases };
const service = { address: 'https://secrets.example.com:8200', dialect: 'vault' } as const;

const findings = (rule: string, parts: Partial<Graph>, options?: RuleOptions) =>
  judgeGraph(graphOf(parts), options).filter((finding) => finding.rule === rule);

describe.each(Object.keys(cases))('%s', (id) => {
  test.each(cases[id]?.fires ?? [])('objects to %s', (_, parts, severity, options = {}) => {
    expect(findings(id, parts, options)).toEqual([
      expect.objectContaining({ rule: id, severity, docs: `docs/rules.md#${id}` }),
    ]);
  });

  test.each(cases[id]?.quiet ?? [])('says nothing of %s', (_, parts, options = {}) => {
    expect(findings(id, parts, options)).toEqual([]);
  });
});

describe('the rules over a graph', () => {
  test('each have a case that fires and one that does not', () => {
    const untested = graphRules.filter(({ id }) => !(id in cases) && !withExample.includes(id));
    expect(untested).toEqual([]);
    expect(Object.keys(cases).filter((id) => !graphRules.some((rule) => rule.id === id))).toEqual([]);
    const bare = Object.entries(cases).filter(([, { fires, quiet }]) => fires.length * quiet.length === 0);
    expect(bare).toEqual([]);
  });

  test('say nothing of a method and role that are as they should be', () => {
    const both = { methods: [oidcMethod(), jwtMethod()], roles: [oidcRole(), jwtRole()] };
    expect(judgeGraph(graphOf(both), { service })).toEqual([]);
  });

  test('are left out by their ids', () => {
    const graph = graphOf(people({ userClaim: 'email' }));
    expect(judgeGraph(graph, { off: { 'mutable-user-claim': 'addresses are never given twice' } })).toEqual(
      [],
    );
  });

  test('find the worst first', () => {
    const graph = graphOf(people({ userClaim: 'email', allowedRedirectUris: [] }));
    expect(judgeGraph(graph).map(({ severity }) => severity)).toEqual(['error', 'warning']);
  });
});
