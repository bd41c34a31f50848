import type { DeploymentResult, Step } from '../../engine/engine.ts';
import type { PropertyMap } from '../../engine/property-value.ts';
import { type ResourceState, resourceToJson } from '../../engine/resource-state.ts';
import type { Stack } from '../../engine/stack.ts';
import { parseUrn } from '../../engine/urn.ts';
import { type ShownValue, shownProperties, withSecrets } from './shown-value.ts';

/**
 * A deployment as `pulumi preview --json` writes one (pulumi/pulumi `pkg/display/json.go`, `PreviewDigest`;
 * `pkg/backend/display/json.go`, `ShowPreviewDigest`). Secrets are "[secret]" in it, as there.
 */
export interface Digest {
  config: Record<string, string>;
  steps: DigestStep[];
  diagnostics: { urn?: string; message: string; severity: string }[];
  /** Nanoseconds. */
  duration: number;
  changeSummary: DeploymentResult['changes'];
}

export interface DigestStep {
  op: string;
  urn: string;
  provider?: string;
  oldState?: unknown;
  newState?: unknown;
  diffReasons?: string[];
  replaceReasons?: string[];
  detailedDiff: Step['detailedDiff'] | null;
}

/** Pulumi's digest, and what a command that applies adds to it. */
interface AppliedDigest extends Digest {
  outputs: { [name: string]: ShownValue };
  result: 'succeeded' | 'failed' | 'declined' | 'refused';
}

/** @param unchanged whether to list what stays the same, like Pulumi's `--show-sames`. Defaults to false. */
export function digest(
  stack: Stack,
  result: DeploymentResult,
  { unchanged = false }: { unchanged?: boolean } = {},
): Digest {
  return {
    config: Object.fromEntries(
      [...stack.config].map(([key, { value, secret }]) => [key, secret ? '[secret]' : value]),
    ),
    steps: result.steps.filter((step) => unchanged || isListed(step)).map(digestStep),
    diagnostics: result.diagnostics
      .filter(({ severity }) => severity !== 'debug')
      .map(({ urn, message, severity }) => ({ urn, message, severity })),
    duration: Math.round(result.durationMs * 1e6),
    changeSummary: result.changes,
  };
}

export function appliedDigest(
  stack: Stack,
  result: DeploymentResult,
  outcome: AppliedDigest['result'],
): AppliedDigest {
  return { ...digest(stack, result), outputs: shownProperties(result.outputs), result: outcome };
}

/** Pulumi lists a replacement as one step, and of what stays the same only the stack itself. */
function isListed({ op, urn }: Step): boolean {
  if (op === 'same') return parseUrn(urn).type === 'pulumi:pulumi:Stack';
  return op !== 'create-replacement' && op !== 'delete-replaced';
}

function digestStep(step: Step): DigestStep {
  return {
    op: step.op,
    urn: step.urn,
    provider: step.provider || undefined,
    oldState: step.oldState && maskedState(step.oldState),
    newState: step.newState && maskedState(step.newState),
    diffReasons: step.diffs?.length ? step.diffs : undefined,
    replaceReasons: step.replaceKeys?.length ? step.replaceKeys : undefined,
    detailedDiff: step.detailedDiff ?? null,
  };
}

function maskedState(state: ResourceState): unknown {
  const { inputs, outputs } = state;
  return resourceToJson({ ...state, inputs: maskedMap(inputs), outputs: maskedMap(outputs) }, noSecret);
}

function noSecret(): never {
  throw new Error('a secret was left in a digest');
}

function maskedMap(map: PropertyMap): PropertyMap {
  return withSecrets(map, () => '[secret]') as PropertyMap;
}
