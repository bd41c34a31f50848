import { describe, expect, test } from '@jest/globals';
import { withExample } from '../../../../../test/docs/rule-examples.ts';
import type { Graph } from '../../../src/graph/graph.ts';
import type { ProviderKind } from '../../../src/graph/kinds/kinds.ts';
import type { RuleOptions } from '../../../src/review/rules/rule-options.ts';
import { jwtMethod, jwtRole, oidcMethod, oidcRole } from './graph-fixture.ts';

/** A graph with the options that it is judged with. */
export type Judged = Partial<Graph> & { options?: RuleOptions };

/** What shows what a rule does, by name: what it objects to, with which severity, and what is like it and fine. */
export interface Case<Objected, Fine> {
  error?: Record<string, Objected>;
  warning?: Record<string, Objected>;
  info?: Record<string, Objected>;
  quiet: Record<string, Fine>;
}

/** A test of each case, and one that each of the rules has cases. */
export function testCases<Objected, Fine>(
  cases: Record<string, Case<Objected, Fine>>,
  rules: readonly { id: string }[],
  check: {
    objection: (rule: string, given: Objected, severity: string) => void;
    silence: (rule: string, given: Fine) => void;
  },
): void {
  describe.each(Object.entries(cases))('%s', (id, { quiet, ...fires }) => {
    const objected = Object.entries<Record<string, Objected>>(fires).flatMap(([severity, all]) =>
      Object.entries(all).map(([name, given]) => [name, severity, given] as const),
    );
    test.each(objected)('objects to %s: %s', (_, severity, given) => check.objection(id, given, severity));
    test.each(Object.entries(quiet))('says nothing of %s', (_, given) => check.silence(id, given));
  });

  test('each rule has a case that fires and one that does not', () => {
    const untested = rules.filter(({ id }) => !(id in cases) && !withExample.includes(id));
    expect(untested).toEqual([]);
    expect(Object.keys(cases).filter((id) => !rules.some((rule) => rule.id === id))).toEqual([]);
    for (const all of Object.values(cases)) {
      expect(Object.keys(all).length).toBeGreaterThan(1);
      for (const some of Object.values(all)) expect(some).not.toEqual({});
    }
  });
}

/** The method of people with one role. */
export const people = (role: object = {}, config: object = {}): Judged => ({
  methods: [oidcMethod(config)],
  roles: [oidcRole(role)],
});

/** The method of workloads with one role. */
export const workloads = (role: object = {}, config: object = {}): Judged => ({
  methods: [jwtMethod(config)],
  roles: [jwtRole(role)],
});

/** The same, where the providers of both methods are said to be of a kind. */
export const ofKind = (kind: ProviderKind, parts: Judged, settings: object = {}): Judged => ({
  ...parts,
  options: { providers: { staff: { kind }, ci: { kind, ...settings } } },
});
