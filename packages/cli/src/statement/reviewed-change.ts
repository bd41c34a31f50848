import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Service } from '@gatehouse/core/environment';
import { sortedJson, trimmed } from '@gatehouse/core/graph';
import type { PulumiStep } from '@gatehouse/core/review';
import type { ReviewedChange } from '@gatehouse/core/statement';
import { GatehouseError } from '@gatehouse/core/values';
import { type DeploymentResult, plannedPreview, type Stack } from '@gatehouse/engine';

/** The stack of a statement: its name, and where it writes. */
export function stackIn(
  { project, name }: Pick<Stack, 'project' | 'name'>,
  { address, namespace = '' }: Pick<Service, 'address' | 'namespace'>,
): NonNullable<ReviewedChange['stack']> {
  return { project, name, service: address, namespace: trimmed(namespace) };
}

/**
 * What an engine planned, by the digests of its steps, of the state before and of what is declared. A state that came back to
 * what it was is another one by its times, which Pulumi's CLI leaves out. The values of secrets count nowhere: plans have none.
 */
export function changeOfPlan(
  stack: NonNullable<ReviewedChange['stack']>,
  deployment: DeploymentResult,
): ReviewedChange {
  const steps = plannedPreview(deployment).steps.filter(({ op }) => op !== 'refresh');
  const changes = steps
    .filter(({ op }) => op !== 'same')
    .map(({ op, urn, provider, oldState, newState }) => ({
      ...{ op, urn, provider, before: oldState?.inputs, after: newState?.inputs },
    }));
  const states = (side: 'oldState' | 'newState', of: (state: State) => unknown) =>
    digestOf(steps.flatMap(({ urn, [side]: state }) => (state ? [[urn, of(state)]] : [])));
  return {
    name: `${stack.project}/${stack.name}`,
    stack,
    digest: digestOf(changes),
    state: states('oldState', ({ id, modified, inputs, outputs }) => ({ id, modified, inputs, outputs })),
    declared: states('newState', ({ inputs }) => inputs),
  };
}

type State = NonNullable<PulumiStep['newState']>;

/** An engine takes the steps of a plan in any order. */
function digestOf(steps: readonly unknown[]): string {
  return sha256(JSON.stringify(steps.map(sortedJson).sort()));
}

/**
 * Digest of a file that Terraform or OpenTofu applies, or of a snapshot.
 *
 * @param file what it is, for errors
 * @throws GatehouseError `file_unreadable`
 */
export async function fileDigest(path: string, file: string): Promise<string> {
  try {
    return sha256(await readFile(path));
  } catch (cause) {
    throw new GatehouseError('file_unreadable', { given: path, cause, values: { file } });
  }
}

function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
