import type { AccessDecision } from '../../access/questions/change.ts';
import type { Change } from '../../graph/change.ts';
import type { Graph } from '../../graph/graph.ts';
import type { ProviderKind } from '../../graph/kinds/kinds.ts';
import { methodAt, rolesOf } from '../../graph/parts-by-name.ts';
import type { AuthMethod, MethodConfig } from '../../graph/resources/auth-method.ts';
import type { Role } from '../../graph/resources/role.ts';
import { methodSubject, roleSubject } from '../../graph/subject.ts';
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

/** What a rule may know in addition to the graph. */
export interface RuleContext extends Omit<RuleOptions, 'disabled' | 'severities' | 'providers'> {
  /** Kind of the provider behind the method at this path; undefined where it is not known. */
  kindOf(method: string): ProviderKind | undefined;
  /** Seconds that the tokens live which workloads present to the method at this path, where that is declared. */
  tokenSecondsOf(method: string): number | undefined;
}

/** What a rule over a change may know in addition to it. */
export interface ChangeContext extends RuleContext {
  /** Who gains and who loses by the change. */
  access: AccessDecision;
  /** Who applies the change, where that is known. */
  deployer?: Deployer;
  /** Whether the change only puts back what is declared. */
  isRestoring: boolean;
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
  /** Stable; names its section in docs/rules.md. */
  id: string;
  severity: Severity;
  /** What it looks at, in one sentence. */
  about: string;
  check(judged: Judged, context: Context): Objection[];
}

/** Judges a graph: declared, or read from a service or a plan. */
export type GraphRule = RuleOf<Graph, RuleContext>;
/** Judges what a change does. */
export type ChangeRule = RuleOf<Change, ChangeContext>;

/** A rule that looks at one part at a time, and says the same of each that is wrong. */
export interface PartRule<Part> extends Omit<GraphRule, 'check'> {
  /** The kind of provider whose parts the rule looks at. Defaults to any. */
  kind?: ProviderKind;
  /** Whether it objects: what is truthy. */
  isWrong(part: Part, around: Around): unknown;
  /** Where the severity depends on the part. */
  severityOf?(part: Part, around: Around): Severity;
  message: string | ((part: Part, around: Around) => string);
  fix: string | ((part: Part, around: Around) => string);
}

/** What such a rule may look at in addition to the part. */
interface Around extends RuleContext {
  /** The auth method that the part belongs to; undefined where it is not known. */
  method: AuthMethod | undefined;
  /** Its configuration; empty where it is not known. */
  config: MethodConfig;
  /** All roles of the method. */
  roles: readonly Role[];
}

/** A part of a graph, as a rule looks at it. */
interface JudgedPart<Part> {
  part: Part;
  /** Path of the auth method that it belongs to. Absent for what stands by itself. */
  path?: string;
  /** What an objection is about. */
  subject: () => Subject;
}

/** @param partsOf what it looks at in a graph, one at a time */
export function partRule<Part>(
  { id, severity, about, kind, isWrong, severityOf, message, fix }: PartRule<Part>,
  partsOf: (graph: Graph) => JudgedPart<Part>[],
): GraphRule {
  return {
    id,
    severity,
    about,
    check(graph, context) {
      const aroundAt = new Map<string, Around>();
      return partsOf(graph).flatMap(({ part, path = '', subject }) => {
        if (kind !== undefined && context.kindOf(path) !== kind) return [];
        const around = aroundAt.get(path) ?? aroundOf(graph, path, context);
        aroundAt.set(path, around);
        if (!isWrong(part, around)) return [];
        const wordsOf = (text: typeof message) => (typeof text === 'string' ? text : text(part, around));
        return {
          subject: subject(),
          message: wordsOf(message),
          fix: wordsOf(fix),
          severity: severityOf?.(part, around) ?? severity,
        };
      });
    },
  };
}

function aroundOf({ methods, roles }: Graph, path: string, context: RuleContext): Around {
  const method = methodAt(methods, path);
  return { ...context, method, config: method?.config ?? {}, roles: rolesOf(roles, path) };
}

/** A rule over each role, objecting to one field. */
export function roleRule({ field, ...rule }: PartRule<Role> & { field: keyof Role }): GraphRule {
  return partRule(rule, ({ roles }) =>
    roles.map((part) => ({ part, path: part.method, subject: () => roleSubject(part, field) })),
  );
}

/** A rule over each auth method, objecting to one field of its configuration. */
export function methodRule({
  field,
  ...rule
}: PartRule<AuthMethod> & { field: keyof MethodConfig }): GraphRule {
  return partRule(rule, ({ methods }) =>
    methods.map((part) => ({ part, path: part.path, subject: () => methodSubject(part, field) })),
  );
}
