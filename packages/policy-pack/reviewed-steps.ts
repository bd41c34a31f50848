import { readFileSync } from 'node:fs';
import { reviewSettings } from '@gatehouse/core/environment';
import { type Fields, type PulumiStep, pulumiPreview } from '@gatehouse/core/review';
import { digestsOfSteps, requireReview } from '@gatehouse/core/statement';
import { GatehouseError, isObject } from '@gatehouse/core/values';
import { isAsPlanned, isDefaultPlugin, packageOf, parseUrn } from '@gatehouse/engine';
import { z } from 'zod';

/**
 * The steps that signers reviewed: nothing else is created or updated. Policies are not asked about deletions.
 */
export class ReviewedSteps {
  readonly #steps: Map<string, PulumiStep[]>;

  private constructor(steps: PulumiStep[]) {
    this.#steps = Map.groupBy(steps, ({ urn }) => urn);
  }

  /**
   * @returns undefined where a policy is not configured
   * @throws GatehouseError `reviewed_steps_unreadable`, `review_missing`
   */
  static read(properties: Fields = {}): ReviewedSteps | undefined {
    const { reviewed: path, statements, reviews } = properties;
    if ((path ?? statements ?? reviews) === undefined) return undefined;
    try {
      const given: unknown = JSON.parse(readFileSync(z.string().parse(path), 'utf8'));
      const { steps } = pulumiPreview.parse({ steps: given });
      requireSigned(steps, statements, reviews);
      return new ReviewedSteps(steps);
    } catch (cause) {
      if (cause instanceof GatehouseError) throw cause;
      throw new GatehouseError('reviewed_steps_unreadable', { given: String(path), cause });
    }
  }

  /**
   * What signers reviewed as staying or coming, and is not in the program: the engine deletes it, and asks no policy about that.
   *
   * @param urns of the program
   */
  missing(urns: ReadonlySet<string>): string[] {
    const kept = [...this.#steps].filter(([, steps]) => steps.some(({ newState }) => newState?.custom));
    return kept.flatMap(([urn]) => (urns.has(urn) || packageOf(parseUrn(urn).type) !== 'vault' ? [] : [urn]));
  }

  /**
   * What of a resource was not reviewed. Undefined if all was.
   *
   * @param inputs what the program asks for, secrets as "[secret]"
   */
  foreign(urn: string, inputs: Record<string, unknown>): string | undefined {
    const steps = this.#steps.get(urn);
    // Engines may bring these along without showing them.
    if (steps === undefined && isDefaultPlugin(urn) && packageOf(parseUrn(urn).type) !== 'vault')
      return undefined;
    const planned = (steps ?? []).flatMap(({ newState }) => newState ?? []);
    if (planned.length === 0) return 'It is not in the plan that was reviewed.';
    // A component stands for nothing on a service.
    if (planned.some(({ custom }) => custom !== true)) return undefined;
    const given = withoutInternal(inputs);
    const differing = planned.map((state) => {
      const reviewed = withoutInternal(state.inputs ?? {});
      return Object.keys({ ...reviewed, ...given }).filter(
        (name) => !isAsPlanned(reviewed[name], given[name]),
      );
    });
    if (differing.some((names) => names.length === 0)) return undefined;
    return `Other values than in the plan that was reviewed: ${differing[0]?.join(', ')}.`;
  }
}

/** @param statements files @param reviews as `gatehouse:reviews` has them */
function requireSigned(steps: readonly PulumiStep[], statements: unknown, reviews: unknown): void {
  const { digest, declared } = digestsOfSteps(steps);
  const files = z.array(z.string()).default([]).parse(statements);
  const texts = files.map((name) => ({ name, text: readFileSync(name, 'utf8') }));
  requireReview({ digest, declared }, texts, { policy: reviewSettings.parse(reviews) }, new Date());
}

/** Without what engines and plugins note for themselves: `__…` of a resource, and `__defaults` of anything in it. */
function withoutInternal(inputs: Record<string, unknown>): Record<string, unknown> {
  return keptEntries(inputs, (name) => !name.startsWith('__'));
}

function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  return isObject(value) ? keptEntries(value, (name) => name !== '__defaults') : value;
}

function keptEntries(
  value: Record<string, unknown>,
  isKept: (name: string) => boolean,
): Record<string, unknown> {
  const kept = Object.entries(value).filter(([name]) => isKept(name));
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutDefaults(one)]));
}
