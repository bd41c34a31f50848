import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { up } from '../../packages/cli/src/deployment/deployment.ts';
import type { DeploymentResult } from '../../packages/engine/src/engine.ts';
import { PulumiEngine } from '../../packages/engine/src/pulumi/pulumi-engine.ts';
import { update, updatePlan } from '../../packages/engine/test/pulumi/engine-events.ts';
import { installPulumiCliDouble } from '../../packages/engine/test/pulumi/pulumi-cli-double.ts';
import { stackOf } from '../../packages/engine/test/stack-of.ts';
import { longTest } from '../harness/long-run.ts';
import { until } from '../harness/until.ts';

/*
 * Attacks between the review of a plan and its `up` with the Pulumi CLI, which is a double here: no real one does what these
 * do. How the real one refuses what its plan does not allow: packages/engine/test/pulumi/update-plans.long.weekly.test.ts.
 */
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatehouse-attack-'));
  await writeFile(join(directory, 'Pulumi.dev.yaml'), 'policies: [secrets-read]\n');
});

type Answer = Parameters<typeof installPulumiCliDouble>[0];

/** An `up` that is reviewed, by a CLI that answers so. */
async function reviewedUp(answer: Answer, options: { env?: object } = {}) {
  const cli = await installPulumiCliDouble(answer);
  const engine = new PulumiEngine({ env: { ...cli.env, ...options.env } });
  const plans: DeploymentResult[] = [];
  const review = async (plan: DeploymentResult) => plans.push(plan) > 0;
  const stack = stackOf({ directory, project: 'gatehouse' });
  const result = await up({ stack, refresh: false, targets: [], approval: 'given' }, engine, {
    onEvent: () => {},
    confirm: async () => true,
    review,
  });
  const errors = result.deployment.diagnostics.filter(({ severity }) => severity === 'error');
  return { ...result, errors, codes: errors.map(({ code }) => code), calls: await cli.calls(), cli, plans };
}

const commands = (calls: { argv: string[] }[]) => calls.map(({ argv }) => argv[0]);

/** A change that was previewed, saved and kept to. */
const plan = JSON.stringify(updatePlan());
const kept: Answer = { stdout: { preview: update(true), up: update(false) }, updatePlan: plan };
/** The reviewed update, with a policy that no one reviewed. */
const reviewed = update(true);
const foreign = update(false).replaceAll(
  '"tokenTtl":7200',
  '"tokenTtl":7200,"tokenPolicies":["login-admin"]',
);

describe('a CLI with update plans', () => {
  test('applies the plan that it saved, which only this user can read, and which is removed', async () => {
    const noteModes = `
      const path = option(command === 'up' ? '--plan' : '--save-plan');
      const modes = [path, require('node:path').dirname(path)].map((one) => (fs.statSync(one).mode & 0o777).toString(8));
      fs.appendFileSync('modes', JSON.stringify({ path, command, modes, plan: fs.readFileSync(path, 'utf8') }) + '\\n');`;
    const { outcome, calls } = await reviewedUp({ ...kept, first: noteModes });
    expect(outcome).toBe('succeeded');
    expect(calls.map(({ env }) => env['PULUMI_EXPERIMENTAL'])).toEqual(['true', 'true']);
    const notes = readFileSync(join(directory, 'modes'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(notes).toMatchObject([
      { command: 'preview', modes: ['600', '700'], plan },
      { command: 'up', modes: ['600', '700'], plan },
    ]);
    expect(notes.map(({ path }) => existsSync(dirname(path)))).toEqual([false, false]);
  });

  test('that ignores its plan is stopped at the first foreign step', async () => {
    const ignoring = { preview: update(true), up: foreign };
    const { outcome, errors, codes } = await reviewedUp({
      ...kept,
      stdout: ignoring,
      first: `if (command === 'up') { const going = setInterval(() => {}, 1000); process.once('SIGINT', () => clearInterval(going)); }`,
    });
    expect([outcome, codes]).toEqual(['failed', ['step_unplanned']]);
    expect(errors[0]?.message).toContain(
      'update vault:jwt/authBackendRole:AuthBackendRole "reader" (tokenTtl)',
    );
    expect(errors[0]?.message).toContain('Applied before it stopped: update vault:jwt/authBackendRole');
  });

  longTest('whose plan is swapped while it runs is not believed', async () => {
    const swap = `if (command === 'up') fs.writeFileSync(option('--plan'), '{"resourcePlans":{}}');`;
    const { outcome, codes } = await reviewedUp({ ...kept, first: swap });
    expect([outcome, codes]).toEqual(['failed', ['update_plan_changed']]);
    const remove = `if (command === 'up') fs.unlinkSync(option('--plan'));`;
    expect((await reviewedUp({ ...kept, first: remove })).codes).toEqual(['update_plan_changed']);
  });

  longTest.each<[string, Partial<Answer>]>([
    ['another stack', { updatePlan: plan.replaceAll(':pulumi:dev:', ':pulumi:prod:') }],
    ['other steps', { updatePlan: plan.replaceAll('"update"', '"delete"') }],
    ['nothing', { updatePlan: '' }],
    ['half a plan', { updatePlan: plan.slice(0, 500) }],
  ])('that saves a plan of %s is not asked to apply it', async (_, answer) => {
    await expect(reviewedUp({ ...kept, ...answer })).rejects.toMatchObject({ code: 'update_plan_unusable' });
  });

  test('that reports nothing of what it does is not believed', async () => {
    const { outcome, codes } = await reviewedUp({
      ...kept,
      stdout: { preview: update(true), up: '' },
    });
    expect([outcome, codes]).toEqual(['failed', ['steps_untold']]);
  });

  test('that is killed in its preview applies nothing, and in its up says so', async () => {
    const killedAt = (command: string) =>
      `if (command === '${command}') process.kill(process.pid, 'SIGKILL');`;
    const inPreview = await reviewedUp({ ...kept, first: killedAt('preview') });
    expect([inPreview.outcome, inPreview.applied, commands(inPreview.calls)]).toEqual([
      'failed',
      false,
      ['preview'],
    ]);
    const inUp = await reviewedUp({ ...kept, first: killedAt('up') });
    expect([inUp.outcome, inUp.errors[0]?.message]).toEqual(['failed', 'pulumi ended with a signal']);
  });

  test('that reports an event that cannot be read is stopped, too', async () => {
    const asset = '{"4dabf18193072939515e22adb298388d":"c44067f5952c0a294b673a41bacd8c17"}';
    const unreadable = { preview: reviewed, up: foreign.replaceAll('["login-admin"]', asset) };
    const { outcome, codes } = await reviewedUp({ ...kept, stdout: unreadable });
    expect([outcome, codes.includes('asset_not_supported')]).toEqual(['failed', true]);
  });

  test('that a script runs is stopped with the script', async () => {
    const cli = await installPulumiCliDouble({
      ...kept,
      stdout: { preview: reviewed, up: foreign },
      first: `if (command === 'up') { fs.writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000); }`,
    });
    const folder = join(directory, 'shim');
    await mkdir(folder);
    await writeFile(join(folder, 'pulumi'), `#!/bin/sh\n'${join(cli.folder, 'pulumi')}' "$@"\nexit $?\n`);
    await chmod(join(folder, 'pulumi'), 0o755);
    const { outcome, codes } = await reviewedUp(
      {},
      { env: { PATH: [folder, process.env['PATH']].join(delimiter) } },
    );
    expect([outcome, codes]).toEqual(['failed', ['step_unplanned']]);
    const pid = Number(readFileSync(join(directory, 'pid'), 'utf8'));
    await until(() => !existsSync(`/proc/${pid}`));
  });
});

test('a CLI without update plans is refused by name before it plans', async () => {
  const cli = await installPulumiCliDouble({ ...kept, updatePlan: undefined });
  const engine = new PulumiEngine({ env: cli.env });
  const stack = stackOf({ directory, project: 'gatehouse' });
  for (const [verb, dryRun] of [
    ['preview', false],
    ['up', true],
  ] as const) {
    const run = engine.run({ verb, dryRun, stack, refresh: false, targets: [] });
    await expect(run).rejects.toMatchObject({ code: 'pulumi_cli_without_plans' });
  }
  expect(await cli.calls()).toEqual([]);
});

test('a plan that no CLI with update plans saved is not applied', async () => {
  const cli = await installPulumiCliDouble(kept);
  const engine = new PulumiEngine({ env: cli.env });
  const stack = stackOf({ directory, project: 'gatehouse' });
  const { updatePlan: _, ...reviewed } = await engine.run({
    verb: 'preview',
    dryRun: false,
    stack,
    refresh: false,
    targets: [],
  });
  const run = engine.run({ verb: 'up', dryRun: false, stack, refresh: false, targets: [], reviewed });
  await expect(run).rejects.toMatchObject({ code: 'pulumi_cli_without_plans' });
  expect(commands(await cli.calls())).toEqual(['preview']);
});
