import type { Graph } from '../../../core/model/graph.ts';
import type { RuleOptions } from '../../../core/rules/rules.ts';
import { jwtMethod, jwtRole, oidcMethod, oidcRole } from './graph-fixture.ts';

/** What shows what a rule over a graph does. */
export interface Case {
  /** What the rule objects to, and with which severity. */
  fires: [name: string, parts: Partial<Graph>, severity: string, options?: RuleOptions][];
  /** What is like it and fine. */
  quiet: [name: string, parts: Partial<Graph>, options?: RuleOptions][];
}

/** The method of people with one role. */
export const people = (role: object = {}, config: object = {}) => ({
  methods: [oidcMethod(config)],
  roles: [oidcRole(role)],
});

/** The method of workloads with one role. */
export const workloads = (role: object = {}, config: object = {}) => ({
  methods: [jwtMethod(config)],
  roles: [jwtRole(role)],
});

/** Options that say of which kind the providers of both are. */
export const kind = (
  kind: NonNullable<RuleOptions['providers']>[string]['kind'],
  more: object = {},
): RuleOptions => ({
  providers: { staff: { kind }, ci: { kind, ...more } },
});
