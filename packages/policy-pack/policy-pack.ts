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
  /** The URN of the resource that it is about, where that is one alone. */
  urn?: string | undefined;
}

/** How a team sets a policy. */
export interface PolicySetting {
  level: Level;
  properties: Fields;
}

/** The stack whose resources are shown. */
export interface StackSettings {
  name: string;
  config: Record<string, string>;
}

/** Ways in that are named one by one under what they have in common. */
const mostNamed = 10;

/** The policy whose configuration names the state before, and that says what cannot be judged without it. */
const unjudged = 'cannot-be-judged';

/**
 * A review as a policy pack. An engine shows each resource before its step with what the program asks for, and all of them
 * at the end with what comes of it: both are needed, for inputs have no references and outputs no defaults.
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

  /** What is wrong with a resource before its step. @param inputs of it, secrets as "[secret]" */
  analyze(urn: string, inputs: () => Fields): Violation[] {
    const message = this.#reviewed?.foreign(urn, inputs());
    const { name, severity } = reviewedPolicy;
    const violation = message === undefined ? undefined : this.#violation(name, severity, [message], urn);
    return violation === undefined ? [] : [violation];
  }

  configureStack(stack: StackSettings): void {
    this.#stack = stack;
  }

  /** Remembers what the program asks for: of every resource, for those without inputs are only read. */
  remember(urn: string, inputs: Fields): void {
    // The first resource after a judgment is that of another run.
    if (this.#isJudged) this.#inputs.clear();
    this.#isJudged = false;
    this.#inputs.set(urn, inputs);
  }

  /**
   * What is wrong with a stack.
   *
   * @throws GatehouseError `stack_export_unreadable`, `stack_export_other`: what is configured cannot be used
   */
  judge(resources: Omit<AnalyzedResource, 'inputs'>[]): Violation[] {
    const gone = this.#gone(new Set(resources.map(({ urn }) => urn)));
    const asked = policies.filter((policy) => policy !== reviewedPolicy);
    if (asked.every(({ name }) => this.#settings.get(name)?.level === 'disabled')) return gone;
    const whole = resources.map((resource) => ({
      ...resource,
      // Resources that are shown only at the end are only read. Where nothing was shown before, that cannot be told: all of it is new.
      inputs: this.#inputs.get(resource.urn) ?? (this.#inputs.size === 0 ? resource.outputs : undefined),
    }));
    this.#isJudged = true;
    const before = this.#before();
    const { plan, uncompared } = analyzedPlan(whole, before ?? { resources: [], isInterrupted: false });
    const own = this.#ownRules();
    const found = review(plan, {
      now: BigInt(Date.now()) * 1_000_000n,
      ...own.options,
      isBeforeUnknown: before === undefined,
    });
    return [
      ...gone,
      ...found.findings.map((finding) =>
        this.#violation(
          finding.rule,
          finding.severity,
          [`${findingTitle(finding)}: ${finding.message}`, finding.fix, finding.docs],
          finding.address,
        ),
      ),
      ...this.#accessViolations(found),
      ...this.#unknown(before === undefined, uncompared, own.problem),
    ].filter((one) => one !== undefined);
  }

  /** What is deleted though it was reviewed as staying: an engine asks no policy about that. */
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

  /** What a stack of Gatehouse's own says of its rules, as `gatehouse review -s` takes it. */
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
      // It sees no base revision: what a change accepts is not accepted here. A disabled rule stays off, and a review says so.
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
    ].filter((one) => typeof one === 'object');
  }

  #violation(policy: string, severity: Severity, lines: string[], urn?: string): Violation | undefined {
    const known = policies.find(({ name }) => name === policy);
    const rest = levelOf(known?.severity ?? 'error');
    const level = this.#settings.get(policy)?.level ?? rest;
    if (level === 'disabled') return undefined;
    // A warning stops nothing, even from a rule that can also raise errors.
    const isMilder = severity !== known?.severity && levelOf(severity) === 'advisory';
    const message = lines.map((line) => visible(line).replace(/\p{C}+/gu, ' ')).join('\n');
    return { policy, severity, level: isMilder ? 'advisory' : level, message, urn };
  }
}
