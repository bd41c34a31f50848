import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatehouseError } from '@gatehouse/core/values';
import type { DeploymentRequest, DeploymentResult } from '../engine.ts';
import type { Stack } from '../stack.ts';
import { runPulumi } from './pulumi-cli.ts';
import { stepsWithPlan, unusable, withFormerDeletes } from './update-plan.ts';

/** Pulumi's switch for commands and options that it calls experimental: update plans are. */
const experimental = { PULUMI_EXPERIMENTAL: 'true' };

/** How a run is held to a plan, with a file that only this user can read. */
export interface Binding {
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Called with what a run gave, once it ended. @throws GatehouseError `update_plan_unusable`, `update_plan_changed` */
  end(result: DeploymentResult): Promise<DeploymentResult>;
}

const unbound: Binding = { args: [], env: {}, end: async (result) => result };

/**
 * Binds a run of the CLI to the plan that was reviewed, or has a preview save one.
 *
 * @param hasPlans whether the CLI has update plans
 * @param run what is done with it, before the file is removed
 * @throws GatehouseError `pulumi_cli_without_plans`, and what `Binding.end` throws
 */
export async function withBinding<T>(
  request: DeploymentRequest,
  hasPlans: () => Promise<boolean>,
  run: (binding: Binding) => Promise<T>,
): Promise<T> {
  const { verb, dryRun, reviewed } = request;
  const isPlan = verb === 'preview' || (verb === 'up' && dryRun);
  if (!isPlan && (verb !== 'up' || reviewed === undefined)) return run(unbound);
  const planToKeep = isPlan ? undefined : reviewed?.updatePlan;
  const hasPlan = isPlan ? await hasPlans() : planToKeep !== undefined;
  if (!hasPlan) throw new GatehouseError('pulumi_cli_without_plans');
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-plan-'));
  try {
    const path = join(folder, 'plan.json');
    return await run(await (planToKeep === undefined ? saving(path, request) : keeping(path, planToKeep)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether the CLI has update plans, from the help of its commands. @throws GatehouseError `pulumi_cli_missing` */
export async function hasUpdatePlans({ directory }: Stack, env: NodeJS.ProcessEnv): Promise<boolean> {
  const helpOf = async (command: string) => {
    const lines: string[] = [];
    const run = { args: [command, '--help'], directory, onLine: (line: string) => lines.push(line) };
    // The help names update plans only when they are switched on.
    await runPulumi({ ...run, env: { ...env, ...experimental } });
    return lines.join('\n');
  };
  const [preview, up] = await Promise.all([helpOf('preview'), helpOf('up')]);
  return /^\s+--save-plan\s/m.test(preview) && /^\s+--plan\s/m.test(up);
}

async function saving(path: string, { stack }: DeploymentRequest): Promise<Binding> {
  // The CLI keeps the mode of a file that is there.
  await writeFile(path, '', { mode: 0o600, flag: 'wx' });
  return {
    args: ['--save-plan', path],
    env: experimental,
    async end(result) {
      if (!result.succeeded) return result;
      const updatePlan = await readPlanFile(path);
      if (updatePlan === '') throw unusable('there is none');
      const steps = stepsWithPlan(updatePlan, result.steps, stack);
      return { ...result, steps, updatePlan: withFormerDeletes(updatePlan, result.steps) };
    },
  };
}

/** The plan is written anew for the run: while a person reads the review, there is no file to change. */
async function keeping(path: string, text: string): Promise<Binding> {
  await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  return {
    args: ['--plan', path],
    env: experimental,
    async end(result) {
      const now = await readPlanFile(path);
      if (digestOf(now) === digestOf(text)) return result;
      const { code, message } = new GatehouseError('update_plan_changed', {
        given: `SHA-256 ${digestOf(now)}`,
        allowed: `SHA-256 ${digestOf(text)}`,
      });
      const diagnostics = [...result.diagnostics, { severity: 'error' as const, code, message }];
      return { ...result, succeeded: false, diagnostics };
    },
  };
}

/** The text of a plan file; empty if there is none. */
async function readPlanFile(path: string): Promise<string> {
  return existsSync(path) ? await readFile(path, 'utf8') : '';
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
