import {
  type DeploymentResult,
  type PropertyMap,
  parseUrn,
  type ResourceState,
  resourceToJson,
  type Stack,
  type Step,
} from '@gatehouse/engine';
import { shownProperties, withSecrets } from './shown-value.ts';

export type Digest = ReturnType<typeof digest>;

/**
 * A deployment as `pulumi preview --json` writes one (pulumi/pulumi `pkg/display/json.go`, `PreviewDigest`;
 * `pkg/backend/display/json.go`, `ShowPreviewDigest`). Secrets are "[secret]" in it, as there.
 *
 * @param unchanged whether to list what stays the same, like Pulumi's `--show-sames`. Defaults to false.
 */
export function digest(
  stack: Stack,
  result: DeploymentResult,
  { unchanged = false }: { unchanged?: boolean } = {},
) {
  const config = [...stack.config].map(([key, { value, secret }]): [string, string] => [
    key,
    secret ? '[secret]' : value,
  ]);
  return {
    config: Object.fromEntries(config),
    steps: result.steps.filter((step) => unchanged || isListed(step)).map(digestStep),
    diagnostics: result.diagnostics
      .filter(({ severity }) => severity !== 'debug')
      .map(({ urn, message, severity }) => ({ urn, message, severity })),
    // In nanoseconds.
    duration: Math.round(result.durationMs * 1e6),
    changeSummary: result.changes,
  };
}

/** The digest, and what a command that applies adds to it. */
export function appliedDigest(stack: Stack, deployment: DeploymentResult, result: string) {
  return { ...digest(stack, deployment), outputs: shownProperties(deployment.outputs), result };
}

/** Pulumi lists a replacement as one step, and of what stays the same only the stack itself. */
function isListed({ op, urn }: Step): boolean {
  if (op === 'same') return parseUrn(urn).type === 'pulumi:pulumi:Stack';
  return op !== 'create-replacement' && op !== 'delete-replaced';
}

function digestStep(step: Step) {
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
