import { z } from 'zod';
import { GatehouseError } from '../../graph/values/errors.ts';
import { jsonIn } from '../../graph/values/json.ts';
import { requireShallow } from '../../graph/values/nesting.ts';
import { pulumiState } from './pulumi-preview.ts';
import { largestPlan } from './read-plan.ts';

const resource = pulumiState.extend({
  urn: z.string(),
  /** A copy that is still to be deleted. */
  delete: z.boolean().optional(),
  /** Only read: it is managed elsewhere. */
  external: z.boolean().optional(),
});
export type ExportedResource = z.output<typeof resource>;

/** What is read of `pulumi stack export`, and of `gatehouse state export` (pulumi/pulumi `sdk/go/common/apitype/core.go`). */
const stackExport = z.looseObject({
  version: z.literal(3),
  deployment: z
    .looseObject({
      resources: z.array(resource).nullish(),
      pending_operations: z.array(z.unknown()).nullish(),
    })
    .nullish(),
});

/** The state of a stack: what was there before a change. */
export interface StackExport {
  resources: ExportedResource[];
  /** Whether the deployment that wrote it was interrupted. */
  isInterrupted: boolean;
}

/**
 * Reads an exported stack.
 *
 * @throws GatehouseError `stack_export_unreadable`, `nested_too_deep`; none holds nothing of the content
 */
export function readStackExport(text: string): StackExport {
  const json = text.length > largestPlan ? undefined : jsonIn(text);
  requireShallow(json, 'the exported stack');
  const parsed = stackExport.safeParse(json);
  if (!parsed.success) {
    throw new GatehouseError('stack_export_unreadable', {
      allowed: 'JSON of version 3, as pulumi stack export and gatehouse state export write it',
    });
  }
  const { resources, pending_operations: pending } = parsed.data.deployment ?? {};
  return { resources: resources ?? [], isInterrupted: (pending ?? []).length > 0 };
}
