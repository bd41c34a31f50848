import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GatehouseError, objectIn } from '@gatehouse/core/values';
import type { DeploymentRequest, DeploymentResult, PolicyPackRequest, Step } from '../engine.ts';
import { plannedStep } from '../planned-steps.ts';
import type { Stack } from '../stack.ts';
import { runPulumi } from './pulumi-cli.ts';
import { stepsWithPlan, unusable, withFormerDeletes } from './update-plan.ts';

/** Pulumi's switch for commands and options that it calls experimental: update plans are. */
const experimental = { PULUMI_EXPERIMENTAL: 'true' };

/** How a run is held to a plan, with files that only this user can read. */
export interface Binding {
  args: string[];
  env: NodeJS.ProcessEnv;
  policyPacks?: PolicyPackRequest[];
  /** Called with what a run gave, once it ended. @throws GatehouseError `update_plan_unusable`, `update_plan_changed` */
  end(result: DeploymentResult): Promise<DeploymentResult>;
}

const unbound: Binding = { args: [], env: {}, end: async (result) => result };

/**
 * Binds a run of the CLI to the plan that was reviewed, or has a preview save one.
 *
 * @param hasPlans whether the CLI has update plans
 * @param run what is done with it, before the files are removed
 * @throws GatehouseError `deletes_unbound`, and what `Binding.end` throws
 */
export async function withBinding<T>(
  request: DeploymentRequest,
  hasPlans: () => Promise<boolean>,
  options: { allowsUnbound: boolean },
  run: (binding: Binding) => Promise<T>,
): Promise<T> {
  const { verb, dryRun, reviewed } = request;
  const isPlan = verb === 'preview' || (verb === 'up' && dryRun);
  const isBound = verb === 'up' && reviewed !== undefined;
  if (!isPlan && !isBound) return run(unbound);
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-plan-'));
  try {
    if (isPlan) {
      if (await hasPlans()) return await run(await saving(join(folder, 'plan.json'), request));
      return await run({
        ...unbound,
        async end(result) {
          if (verb === 'up') requireNoDeletes(result.steps, options);
          return result;
        },
      });
    }
    if (reviewed?.updatePlan !== undefined) {
      return await run(await keeping(join(folder, 'plan.json'), reviewed.updatePlan));
    }
    requireNoDeletes(reviewed?.steps ?? [], options);
    return await run({ ...unbound, policyPacks: await judged(folder, request) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether the CLI has update plans, from the help of its commands. @throws GatehouseError `pulumi_cli_missing` */
export async function hasUpdatePlans({ directory }: Stack, env: NodeJS.ProcessEnv): Promise<boolean> {
  const helpOf = async (command: string) => {
    const lines: string[] = [];
    const run = { args: [command, '--help'], directory, onLine: (line: string) => lines.push(line) };
    // Without it, the help leaves update plans out.
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
      const updatePlan = await textOf(path);
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
      const now = await textOf(path);
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

/** Empty if there is no such file. */
async function textOf(path: string): Promise<string> {
  return existsSync(path) ? await readFile(path, 'utf8') : '';
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const ownPack = fileURLToPath(new URL('../../../policy-pack', import.meta.url));

/** The policy packs of a run, with our own that holds it to the reviewed steps. */
async function judged(folder: string, { reviewed, policyPacks = [] }: DeploymentRequest) {
  const write = async (name: string, content: unknown) => {
    const path = join(folder, name);
    await writeFile(path, JSON.stringify(content), { mode: 0o600, flag: 'wx' });
    return path;
  };
  const path = await write('reviewed.json', reviewed?.steps.map(plannedStep));
  const setting = { 'step-unplanned': { enforcementLevel: 'mandatory', reviewed: path } };
  const isOwn = ({ folder }: PolicyPackRequest) =>
    existsSync(folder) && realpathSync(folder) === realpathSync(ownPack);
  const own = policyPacks.find(isOwn);
  // The CLI starts a pack once, and takes a configuration for each pack or for none.
  const rest = own === undefined ? { all: 'disabled' } : await readPolicyConfig(own.config);
  const ownConfig = await write('own.json', { ...rest, ...setting });
  const none = await write('none.json', {});
  return [
    ...policyPacks.filter((pack) => !isOwn(pack)).map(({ folder, config = none }) => ({ folder, config })),
    { folder: ownPack, config: ownConfig },
  ];
}

/** What our own pack was to be configured with; the CLI checks it. @throws GatehouseError `policy_config_invalid` */
async function readPolicyConfig(path: string | undefined): Promise<object> {
  if (path === undefined) return {};
  const text = await readFile(path, 'utf8').catch(() => undefined);
  const config = text?.trim() === '' ? {} : objectIn(text ?? '');
  if (config !== undefined) return config;
  const isMissing = text === undefined;
  throw new GatehouseError(isMissing ? 'policy_config_invalid.missing' : 'policy_config_invalid', {
    where: path,
  });
}

/** @throws GatehouseError `deletes_unbound` */
function requireNoDeletes(steps: readonly Step[], { allowsUnbound }: { allowsUnbound: boolean }): void {
  const deletes = steps.filter(
    ({ op, refreshed }) => !refreshed && (op === 'delete' || op === 'delete-replaced'),
  );
  if (allowsUnbound || deletes.length === 0) return;
  throw new GatehouseError('deletes_unbound', { given: deletes.map(({ urn }) => urn).join(', ') });
}
