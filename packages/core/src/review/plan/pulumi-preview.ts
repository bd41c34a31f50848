import { z } from 'zod';

/** A resource as Pulumi keeps it. */
export const pulumiState = z.looseObject({
  type: z.string(),
  /** False for components: they stand for nothing on a service. */
  custom: z.boolean().optional(),
  id: z.string().optional(),
  provider: z.string().optional(),
  inputs: z.record(z.string(), z.unknown()).default({}),
  outputs: z.record(z.string(), z.unknown()).default({}),
  propertyDependencies: z.record(z.string(), z.array(z.string()).nullable()).nullish(),
  retainOnDelete: z.boolean().optional(),
});
/** A resource's state in it. */
export type PulumiState = z.output<typeof pulumiState> & {
  /** Set as a preview is read: its inputs are its name alone. */
  isHidden?: true;
};

const step = z.looseObject({
  op: z.string(),
  urn: z.string(),
  provider: z.string().optional(),
  oldState: pulumiState.nullish(),
  newState: pulumiState.nullish(),
  diffReasons: z.array(z.string()).nullish(),
  detailedDiff: z.record(z.string(), z.unknown()).nullish(),
});
/** A step in it. */
export type PulumiStep = z.output<typeof step>;

/**
 * What is read of `pulumi preview --json` (pulumi/pulumi `pkg/backend/display/json.go`, `previewDigest`), and of
 * `gatehouse preview --json`, which is the same.
 */
export const pulumiPreview = z.looseObject({
  steps: z.array(step).default([]),
  diagnostics: z.array(z.looseObject({ severity: z.string().optional() })).nullish(),
  changeSummary: z.record(z.string(), z.number()).nullish(),
  maybeCorrupt: z.boolean().optional(),
});
/** What `pulumi preview --json` prints. */
export type PulumiPreview = z.output<typeof pulumiPreview>;
