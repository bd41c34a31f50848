import { expectedOfKind } from '../../../../../test/docs/kind-section.ts';
import { kindById, type ProviderKind, providerKinds } from '../../../src/graph/kinds/kinds.ts';

/** A role of a kind for pipelines, a token of a job that it lets in, and changes to it that it does not. */
export interface PipelineCase {
  role: Record<string, unknown>;
  claims: Record<string, unknown>;
  refused: Record<string, unknown>[];
  /** The role in words. */
  whom: string;
}

/** The kinds for pipelines, which have issuers that anybody can have tokens of. */
export const pipelineKinds = providerKinds.filter((kind) => kindById(kind).shared?.hosts.length);

/** The case of each kind for pipelines. */
export const pipelineCases: Partial<Record<ProviderKind, PipelineCase>> = Object.fromEntries(
  pipelineKinds.map((kind) => [kind, caseOf(kind)]),
);

function caseOf(kind: ProviderKind): PipelineCase {
  const { job } = expectedOfKind(kind);
  if (job === undefined) throw new Error(`${kind} has no job`);
  const { role, token: claims, refused, letsIn } = job;
  return { role, claims, refused: refused.map(withoutNulls), whom: letsIn };
}

/** A claim that a change takes away is null in YAML, which has nothing else for it. */
function withoutNulls(change: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(change).map(([claim, value]) => [claim, value ?? undefined]));
}
