import type { AccessDecision } from '../access/questions/change.ts';
import type { Change } from '../model/change.ts';
import type { Graph } from '../model/graph.ts';
import type { ProviderKind } from '../model/kinds/kinds.ts';
import type { Severity, Subject } from './finding.ts';
import type { RuleOptions } from './rule-options.ts';

/** One thing that a rule found. */
export interface Objection {
  subject: Subject;
  message: string;
  fix: string;
  /** Defaults to the rule's own. */
  severity?: Severity;
}

/** What a rule may know beside the graph. */
export interface RuleContext extends Pick<RuleOptions, 'promises' | 'unseen' | 'now' | 'complete'> {
  /** The service the graph is for; undefined where nobody said. */
  service?: RuleOptions['service'];
  /** Kind of the provider behind the method at this path; undefined where it cannot be told. */
  kindOf(method: string): ProviderKind | undefined;
  /** Seconds that the tokens live which workloads present to the method at this path, where that is declared. */
  tokenSecondsOf(method: string): number | undefined;
}

/** What a rule over a change may know beside it. */
export interface ChangeContext extends RuleContext {
  /** Who gains and who loses by the change. */
  access: AccessDecision;
  /** Who applies the change, where that is known. */
  deployer?: Deployer;
  /** Nanoseconds since 1970: rules of policies may expire. */
  now: bigint;
}

/** Who applies a change, as far as the service tells. */
export interface Deployer {
  /** Policies of the deployer's token. */
  policies: string[];
  /** The role that the deployer signed in with. */
  role?: { method: string; name: string };
}

interface RuleOf<Judged, Context> {
  /** Stable; names its file, and its section in docs/rules.md. */
  id: string;
  severity: Severity;
  /** What it looks at, in one sentence. */
  about: string;
  check(judged: Judged, context: Context): Objection[];
}

/** Judges a graph: declared, or read from a service or a plan. */
export type StateRule = RuleOf<Graph, RuleContext>;
/** Judges what a change does. */
export type ChangeRule = RuleOf<Change, ChangeContext>;
