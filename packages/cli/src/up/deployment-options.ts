import { resolve } from 'node:path';
import type { Review } from '@gatehouse/core/review';
import { GatehouseError } from '@gatehouse/core/values';
import type { ApprovedRequest, OperationResult } from '../deployment/deployment.ts';
import type { EngineOptions, ReadingOptions, ReplayOptions, SeveralOptions } from '../terminal/command.ts';
import { ExitCode, isInteractive, type Terminal } from '../terminal/terminal.ts';

export interface DeploymentOptions extends SeveralOptions, EngineOptions, ReadingOptions, ReplayOptions {
  target?: string[];
  exclude?: string[];
  continueOnError?: boolean;
  refresh?: boolean;
  import?: string;
  policyPack?: string[];
  policyPackConfig?: string[];
  base?: string;
  preflight?: boolean;
  takeOver?: string[];
  requireReview?: string[];
  allowReplace?: boolean;
  maxFailures?: number;
  yes?: boolean;
}

/** How a command ends that applies, or would. */
export const exitCodes: Record<OperationResult['outcome'], ExitCode> = {
  succeeded: ExitCode.ok,
  failed: ExitCode.error,
  declined: ExitCode.no,
  refused: ExitCode.no,
};

export const refusal =
  'The review of this change found errors, so nothing was changed. Fix them, or accept them for a time: docs/exceptions.md.';

export function approvalOf(
  { yes, json }: DeploymentOptions,
  terminal: Terminal,
): ApprovedRequest['approval'] {
  if (yes) return 'given';
  return isInteractive(terminal) && !json ? 'ask' : 'none';
}

export function policyPacksOf(
  { policyPack: folders = [], policyPackConfig: configs = [] }: DeploymentOptions,
  { cwd }: Terminal,
): ApprovedRequest['policyPacks'] {
  if (configs.length > 0 && configs.length !== folders.length) {
    throw new GatehouseError('option_conflict.pack_configs', {
      given: `${folders.length} of one, ${configs.length} of the other`,
    });
  }
  return folders.map((folder, index) => ({
    folder: resolve(cwd, folder),
    ...(configs[index] !== undefined && { config: resolve(cwd, configs[index]) }),
  }));
}

/** For `--json`: what Pulumi prints, what was applied, and the review. */
export async function deploymentJson(
  stack: ApprovedRequest['stack'],
  { verb, deployment, outcome }: OperationResult,
  review: Review | undefined,
): Promise<object> {
  const [{ appliedDigest, digest }, { jsonReport }] = await Promise.all([
    import('../deployment/digest.ts'),
    import('@gatehouse/core/review'),
  ]);
  const printed = verb === 'preview' ? digest(stack, deployment) : appliedDigest(stack, deployment, outcome);
  return { ...printed, ...(review && { review: jsonReport(review, 'error') }) };
}
