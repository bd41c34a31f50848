import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type AnalyzedResource,
  analyzedPlan,
  type Fields,
  findingTitle,
  type Review,
  type ReviewOptions,
  readEnvironment,
  readStackExport,
  reportRows,
  review,
  rowLines,
  ruleOptions,
  ruleOptionsElsewhere,
  type Severity,
} from '@gatehouse/core/review';
import { GatehouseError, visible } from '@gatehouse/core/values';
import { accessPolicy, comparing, type Level, levelOf, policies, reviewedPolicy } from './policies.ts';
import { ReviewedSteps } from './reviewed-steps.ts';

/** What a policy objects to. Holds no secret. */
export interface Violation {
  policy: string;
  level: Exclude<Level, 'disabled'>;
  severity: Severity;
  message: string;
  /** The URN of the resource, if the violation is about exactly one. */
  urn?: string | undefined;
}

/** A team's configuration of a policy. */
export interface PolicySetting {
  level: Level;
  properties: Fields;
}

/** The stack whose resources the engine shows. */
export interface StackSettings {
  name: string;
  config: Record<string, string>;
}

/** Principals that a violation names; it counts the others. */
const mostNamed = 10;

/** The policy whose configuration names the state before the change, and that reports what was not checked without it. */
const unjudged = 'cannot-be-judged';

/**
 * A review as a policy pack. An engine shows each resource twice: its inputs before its step, and its outputs at the end
 * with all others. Both are needed, because inputs lack references and outputs lack defaults.
 */
export class PolicyPack {
  readonly #inputs = new Map<string, Fields>();
  #isJudged = false;
  readonly #env: NodeJS.ProcessEnv;
  #settings = new Map<string, PolicySetting>();
  #reviewed: ReviewedSteps | undefined;
  #stack: StackSettings | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** @throws GatehouseError what `ReviewedSteps.read` throws */
  configure(settings: Map<string, PolicySetting>): void {
    this.#settings = settings;
    this.#reviewed = ReviewedSteps.read(settings.get(reviewedPolicy.name)?.properties);
  }

  /** Violations of a resource before its step. @param inputs of the resource, secrets as "[secret]" */
  analyze(urn: string, inputs: () => Fields): Violation[] {
    const message = this.#reviewed?.foreign(urn, inputs());
    const { name, severity } = reviewedPolicy;
    const violation = message === undefined ? undefined : this.#violation(name, severity, [message], urn);
    return violation === undefined ? [] : [violation];
  }

  configureStack(stack: StackSettings): void {
    this.#stack = stack;
  }

  /** Remembers the inputs of every resource: a resource without remembered inputs is only read. */
  remember(urn: string, inputs: Fields): void {
    // The first resource after a judgment belongs to the next run.
    if (this.#isJudged) this.#inputs.clear();
    this.#isJudged = false;
    this.#inputs.set(urn, inputs);
  }

  /**
   * Violations of a stack.
   *
   * @throws GatehouseError `stack_export_unreadable`, `stack_export_other` if the configured state cannot be used
   */
  judge(resources: Omit<AnalyzedResource, 'inputs'>[]): Violation[] {
    const gone = this.#gone(new Set(resources.map(({ urn }) => urn)));
    const reviewPolicies = policies.filter((policy) => policy !== reviewedPolicy);
    if (reviewPolicies.every(({ name }) => this.#settings.get(name)?.level === 'disabled')) return gone;
    const analyzed = resources.map((resource) => ({
      ...resource,
      // A resource that is shown only at the end is only read. If no resource was shown before, all count as new.
      inputs: this.#inputs.get(resource.urn) ?? (this.#inputs.size === 0 ? resource.outputs : undefined),
    }));
    this.#isJudged = true;
    const before = this.#before();
    const { plan, uncompared } = analyzedPlan(analyzed, before ?? { resources: [], isInterrupted: false });
    const own = this.#ownRules();
    const reviewed = review(plan, {
      now: BigInt(Date.now()) * 1_000_000n,
      ...own.options,
      isBeforeUnknown: before === undefined,
    });
    return [
      ...gone,
      ...reviewed.findings.map((finding) =>
        this.#violation(
          finding.rule,
          finding.severity,
          [`${findingTitle(finding, reviewed.tool)}: ${finding.message}`, finding.fix, finding.docs],
          finding.address,
        ),
      ),
      ...this.#accessViolations(reviewed),
      ...this.#unknown(before === undefined, uncompared, own.problem),
    ].filter((violation) => violation !== undefined);
  }

  /** Resources that are deleted although the reviewed plan keeps them. An engine asks no policy about deletions. */
  #gone(urns: ReadonlySet<string>): Violation[] {
    const { name, severity } = reviewedPolicy;
    const message = 'It is not in the program, and the plan that was reviewed leaves it.';
    return (this.#reviewed?.missing(urns) ?? []).flatMap(
      (urn) => this.#violation(name, severity, [message], urn) ?? [],
    );
  }

  #before() {
    const path = this.#settings.get(unjudged)?.properties['before'];
    if (path === undefined) return undefined;
    const allowed = 'an absolute path, or one from the folder of the policy pack';
    if (typeof path !== 'string') throw new GatehouseError('stack_export_unreadable.path', { allowed });
    let text: string;
    try {
      text = readFileSync(resolve(path), 'utf8');
    } catch {
      throw new GatehouseError('stack_export_unreadable.file', { given: path, allowed });
    }
    return readStackExport(text);
  }

  /** The rule settings of one of Gatehouse's own stacks, as `gatehouse review -s` applies them. */
  #ownRules(): { options: Omit<ReviewOptions, 'now'>; problem?: string } {
    const { config = {}, name = '' } = this.#stack ?? {};
    if (!Object.keys(config).some((key) => key.startsWith('gatehouse:'))) return { options: {} };
    try {
      const environment = readEnvironment({
        config,
        stack: name,
        variables: this.#env,
        readFile: (path) => readFileSync(join(this.#env['PWD'] ?? '', path), 'utf8'),
      });
      // Without a base revision, exceptions that the change itself adds do not count. A rule that the stack disables stays
      // off, and the review says so.
      const judged = { ...environment, rules: { ...environment.rules, disabled: {} } };
      const namespaces = ruleOptionsElsewhere(judged, 'unknown');
      return {
        options: { ...ruleOptions(judged, 'unknown'), disabled: environment.rules.disabled, namespaces },
      };
    } catch (error) {
      return {
        options: {},
        problem: error instanceof GatehouseError ? error.message : 'its environment file cannot be read',
      };
    }
  }

  #accessViolations(review: Review): (Violation | undefined)[] {
    return reportRows(review).rows.map((row) => {
      const leftOut =
        row.who.length > mostNamed ? [{ name: `${row.who.length - mostNamed} more`, details: [] }] : [];
      const lines = rowLines({ ...row, who: [...row.who.slice(0, mostNamed), ...leftOut] });
      return this.#violation(accessPolicy.name, accessPolicy.severity, lines);
    });
  }

  #unknown(isBeforeUnknown: boolean, uncompared: number, problem: string | undefined) {
    return [
      isBeforeUnknown &&
        this.#violation(unjudged, 'warning', [
          `Not checked, because the state before the change is unknown: ${comparing.join(', ')}.`,
          'Write the state to a file with pulumi stack export, and name it in the configuration of this policy: "before".',
        ]),
      uncompared > 0 &&
        this.#violation('secret-rotated', 'info', [
          `Not checked: whether client secrets change. Encrypted in the state before: ${uncompared}.`,
        ]),
      problem !== undefined &&
        this.#violation(unjudged, 'error', [
          `What this stack says of its promises, its service and its rules cannot be read: ${problem}`,
        ]),
    ].filter((violation) => typeof violation === 'object');
  }

  #violation(policy: string, severity: Severity, lines: string[], urn?: string): Violation | undefined {
    const worst = policies.find(({ name }) => name === policy)?.severity;
    const level = this.#settings.get(policy)?.level ?? levelOf(worst ?? 'error');
    if (level === 'disabled') return undefined;
    // A warning stops nothing, even from a rule that can also raise errors.
    const isMilder = severity !== worst && levelOf(severity) === 'advisory';
    const message = lines.map((line) => visible(line).replace(/\p{C}+/gu, ' ')).join('\n');
    return { policy, severity, level: isMilder ? 'advisory' : level, message, urn };
  }
}
