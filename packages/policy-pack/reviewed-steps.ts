import { readFileSync } from 'node:fs';
import { reviewSettings } from '@gatehouse/core/environment';
import { type Fields, type PulumiStep, pulumiPreview } from '@gatehouse/core/review';
import { digestsOfSteps, requireReview } from '@gatehouse/core/statement';
import { GatehouseError, isObject } from '@gatehouse/core/values';
import { isAsPlanned, isDefaultPlugin, packageOf, parseUrn } from '@gatehouse/engine';
import { z } from 'zod';

/** The steps that signers reviewed: nothing else is created or updated. An engine asks no policy about deletions. */
export class ReviewedSteps {
  readonly #steps: Map<string, PulumiStep[]>;

  private constructor(steps: PulumiStep[]) {
    this.#steps = Map.groupBy(steps, ({ urn }) => urn);
  }

  /**
   * @returns undefined if the policy is not configured
   * @throws GatehouseError `reviewed_steps_unreadable`, `review_missing`
   */
  static read(properties: Fields = {}): ReviewedSteps | undefined {
    const { reviewed: path, statements, reviews } = properties;
    if ((path ?? statements ?? reviews) === undefined) return undefined;
    try {
      const json: unknown = JSON.parse(readFileSync(z.string().parse(path), 'utf8'));
      const { steps } = pulumiPreview.parse({ steps: json });
      requireSigned(steps, statements, reviews);
      return new ReviewedSteps(steps);
    } catch (cause) {
      if (cause instanceof GatehouseError) throw cause;
      throw new GatehouseError('reviewed_steps_unreadable', { given: String(path), cause });
    }
  }

  /**
   * Resources that the reviewed plan keeps or creates, and that the program lacks: the engine deletes them, and asks no
   * policy about deletions.
   *
   * @param urns of the program
   */
  missing(urns: ReadonlySet<string>): string[] {
    const kept = [...this.#steps].filter(([, steps]) => steps.some(({ newState }) => newState?.custom));
    return kept.flatMap(([urn]) => (urns.has(urn) || packageOf(parseUrn(urn).type) !== 'vault' ? [] : [urn]));
  }

  /**
   * Says what was not reviewed about a resource; undefined if all was.
   *
   * @param inputs of the program, secrets as "[secret]"
   */
  foreign(urn: string, inputs: Record<string, unknown>): string | undefined {
    const steps = this.#steps.get(urn);
    // Engines may add default providers that no plan shows.
    if (steps === undefined && isDefaultPlugin(urn) && packageOf(parseUrn(urn).type) !== 'vault')
      return undefined;
    const planned = (steps ?? []).flatMap(({ newState }) => newState ?? []);
    if (planned.length === 0) return 'It is not in the plan that was reviewed.';
    // A component has no counterpart on a service.
    if (planned.some(({ custom }) => custom !== true)) return undefined;
    const current = withoutInternal(inputs);
    const differing = planned.map((state) => {
      const reviewed = withoutInternal(state.inputs ?? {});
      return Object.keys({ ...reviewed, ...current }).filter(
        (name) => !isAsPlanned(reviewed[name], current[name]),
      );
    });
    if (differing.some((names) => names.length === 0)) return undefined;
    return `Other values than in the plan that was reviewed: ${differing[0]?.join(', ')}.`;
  }
}

/** @param statements names of files @param reviews as in `gatehouse:reviews` */
function requireSigned(steps: readonly PulumiStep[], statements: unknown, reviews: unknown): void {
  const { digest, declared } = digestsOfSteps(steps);
  const files = z.array(z.string()).default([]).parse(statements);
  const texts = files.map((name) => ({ name, text: readFileSync(name, 'utf8') }));
  requireReview({ digest, declared }, texts, { policy: reviewSettings.parse(reviews) }, new Date());
}

/** Inputs without the notes of engines and plugins: `__…` of the resource itself, and `__defaults` at any depth. */
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
  return Object.fromEntries(kept.map(([name, entry]) => [name, withoutDefaults(entry)]));
}
