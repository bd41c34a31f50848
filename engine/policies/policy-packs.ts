import { GatehouseError } from '../../core/model/values/errors.ts';
import type { PropertyMap } from '../property-value.ts';
import type { PolicyPack, PolicyResource, Violation } from './policy-pack.ts';

/** Where violations are told. */
export interface PolicyReport {
  violation(violation: Violation): void;
  note(message: string, urn: string): void;
}

/** What a policy pack is asked. */
export type Judge = Pick<PolicyPack, 'remediate' | 'analyze' | 'analyzeStack' | 'close'>;

/** The policy packs of a deployment. */
export class PolicyPacks {
  readonly #packs: Judge[];
  readonly #report: PolicyReport;

  constructor(packs: Judge[], report: PolicyReport) {
    this.#packs = packs;
    this.#report = report;
  }

  /**
   * Corrects the inputs of a resource: what one policy made of them goes to the next one.
   *
   * @returns the inputs from then on
   */
  async remediate(resource: PolicyResource): Promise<PropertyMap> {
    let { properties } = resource;
    for (const pack of this.#packs) {
      for (const one of await pack.remediate({ ...resource, properties })) {
        const { policy, problem } = one;
        if (problem !== undefined) {
          this.#report.violation({ policy, level: 'advisory', message: problem, urn: resource.urn });
        } else if (one.properties !== undefined) {
          this.#report.note(`policy ${policy} corrected its inputs`, resource.urn);
          properties = one.properties;
        }
      }
    }
    return properties;
  }

  /**
   * Judges the inputs of a resource before its step, once they are corrected.
   *
   * @param dryRun a preview goes on after a violation, to tell all of them
   * @throws GatehouseError `policy_violated`
   */
  async analyze(resource: PolicyResource, dryRun: boolean): Promise<void> {
    const found = await Promise.all(this.#packs.map((pack) => pack.analyze(resource)));
    const told = found.flat().map((violation) => ({ ...violation, urn: resource.urn }));
    for (const violation of told) this.#report.violation(violation);
    const broken = told.filter(({ level }) => level === 'mandatory').map(({ policy }) => policy);
    if (dryRun || broken.length === 0) return;
    throw new GatehouseError({
      code: 'policy_violated',
      what: `the resource is not touched: it violates ${broken.join(', ')}`,
      fix: 'Correct the program, or set the policy to another level.',
    });
  }

  /** Judges the stack at the end. */
  async analyzeStack(resources: PolicyResource[]): Promise<void> {
    const found = await Promise.all(this.#packs.map((pack) => pack.analyzeStack(resources)));
    for (const violation of found.flat()) this.#report.violation(violation);
  }

  async close(): Promise<void> {
    await Promise.all(this.#packs.map((pack) => pack.close()));
  }
}
