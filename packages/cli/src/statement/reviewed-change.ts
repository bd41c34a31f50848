import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ServiceSettings } from '@gatehouse/core/environment';
import { trimmed } from '@gatehouse/core/graph';
import type { PulumiStep } from '@gatehouse/core/review';
import { digestsOfSteps, type ReviewedChange } from '@gatehouse/core/statement';
import { GatehouseError } from '@gatehouse/core/values';
import { type DeploymentResult, plannedStep, type Stack } from '@gatehouse/engine';

/** The stack of a statement: its name, and where it writes. */
export function stackIn(
  { project, name }: Pick<Stack, 'project' | 'name'>,
  { address, namespace = '' }: Pick<ServiceSettings, 'address' | 'namespace'>,
): NonNullable<ReviewedChange['stack']> {
  return { project, name, service: address, namespace: trimmed(namespace) };
}

/** What an engine planned, without what it only read. */
export function stepsOf({ steps }: DeploymentResult): PulumiStep[] {
  return steps.filter(({ refreshed }) => !refreshed).map(plannedStep);
}

export function changeOfSteps(
  stack: NonNullable<ReviewedChange['stack']>,
  steps: readonly PulumiStep[],
): ReviewedChange {
  return { name: `${stack.project}/${stack.name}`, stack, ...digestsOfSteps(steps) };
}

/**
 * Digest of a file that Terraform or OpenTofu applies, or of a snapshot.
 *
 * @param file what it is, for errors
 * @throws GatehouseError `file_unreadable`
 */
export async function fileDigest(path: string, file: string): Promise<string> {
  try {
    return createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
  } catch (cause) {
    throw new GatehouseError('file_unreadable', { given: path, cause, values: { file } });
  }
}
