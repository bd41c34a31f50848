import { statSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { EnvironmentUnderTest } from '../../../../test/harness/environment-under-test.ts';
import { longTest } from '../../../../test/harness/long-run.ts';
import { started, startedForEach } from '../../../../test/harness/started.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { until } from '../../../../test/harness/until.ts';
import { LocalEngine } from '../../../engine/src/local/local-engine.ts';
import { readStack } from '../../../engine/src/stack-files/read-stack.ts';
import type { Work } from '../../../run-tasks/src/platform/work.ts';
import { up } from '../../src/deployment/deployment.ts';
import { PlanReviewer } from '../../src/serve/plan-reviewer.ts';
import { platformWork } from '../../src/serve/platform-work.ts';
import { changeStack } from './served-stack.ts';

describe('the work of a platform on the dev stack', () => {
  const service = startedForEach(() => startEmbeddedService());
  const running = startedForEach(() => EnvironmentUnderTest.start(service()));
  const reviewer = started(() => new PlanReviewer());
  let environment: EnvironmentUnderTest;
  let directory: string;
  let work: Work;
  beforeEach(async () => {
    environment = running();
    directory = await environment.writeProject();
    await change((config) => {
      config['gatehouse:runTasks'] = [
        { name: 'review', url: 'https://review.example.com', stages: ['post_plan'], environments: ['dev'] },
        {
          name: 'elsewhere',
          url: 'https://review.example.com',
          stages: ['post_plan'],
          environments: ['prod'],
        },
      ];
      config['gatehouse:runTaskKeys'] = { review: 'a key' };
    });
    work = platformWork(directory, environment.env, reviewer(), 'people');
  });

  const change = (edit: (config: Record<string, any>) => void) => changeStack(directory, edit);

  test('describes the stack, with the run tasks that are for it and without their keys', async () => {
    const described = await work.describe('dev');
    expect(described).toMatchObject({
      organizationName: 'gatehouse',
      workspaceId: 'gatehouse/dev',
      workspaceName: 'dev',
      vcsPullRequestUrl: null,
      tasks: [{ name: 'review', stages: ['post_plan'], enforcement: 'mandatory' }],
    });
    expect(JSON.stringify(described)).not.toContain('a key');
    await change((config) => {
      config['gatehouse:service'].namespace = 'team';
    });
    expect([described.namespace, (await work.describe('dev')).namespace]).toEqual([undefined, 'team']);
  });

  test('takes the times of each task, and those of all where it says none', async () => {
    await change((config) => {
      config['gatehouse:deployments'] = { acceptWith: 'accept', timeout: '20m', retryFor: '5m' };
      config['gatehouse:runTasks'][0].timeout = '2m';
      config['gatehouse:runTasks'][0].totalTimeout = '1h';
    });
    const { tasks, decisions } = await work.describe('dev');
    const minute = 60_000;
    expect(tasks[0]?.timing).toEqual({
      finalStatusMs: 2 * minute,
      totalMs: 60 * minute,
      retryForMs: 5 * minute,
      retryPauseMs: 1000,
    });
    expect(decisions).toEqual({ confirm: 'never', acceptWith: { namespace: 'people', name: 'accept' } });
  });

  longTest('says in a few words what a plan changes, and who gains and loses by it', async () => {
    const { summary, gains, gained, lost } = await work.plan('dev', { isSpeculative: false });
    expect(summary).toMatch(/^\d+ to create: [\w ]+, [\w ]+, …$/);
    expect(lost).toEqual([]);
    expect(gains).toBe('some');
    expect(gained).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^12 groups and roles gain access/),
        expect.stringMatching(/^role cluster\/web/),
      ]),
    );
  });

  test('knows the key of a task, and of no task that there is not', async () => {
    expect(await work.signingKey('dev', 'review')).toBe('a key');
    await expect(work.signingKey('dev', 'other')).rejects.toThrow('no longer declares');
  });

  longTest('applies what it planned, refuses another plan, and takes up one that was begun', async () => {
    const planned = await work.plan('dev', { isSpeculative: false });
    expect(planned.hasChanges).toBe(true);
    expect(planned.changes?.counts.create).toBeGreaterThan(7);
    expect(JSON.stringify(planned.changes?.resources)).toContain('{"kind":"create","title":"role ');
    const approved = JSON.parse(JSON.stringify(planned.json));

    const original = await readFile(join(directory, 'Pulumi.dev.yaml'), 'utf8');
    await change((config) => {
      config['gatehouse:messages'] = [];
    });
    const before = await environment.live();
    expect(await work.apply('dev', approved, { isResumed: false })).toMatchObject({ succeeded: false });
    expect(await environment.live()).toEqual(before);

    await writeFile(join(directory, 'Pulumi.dev.yaml'), original);
    const lines: string[] = [];
    const onProgress = (line: string) => lines.push(line);
    expect(await work.apply('dev', approved, { isResumed: false, onProgress })).toMatchObject({
      succeeded: true,
    });
    // Each once: the plan that is made again is not part of the log.
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines).toContainEqual(expect.stringMatching(/^created role /));
    expect((await environment.live()).mounts.length).toBeGreaterThan(7);
    expect(await work.apply('dev', approved, { isResumed: true })).toMatchObject({ succeeded: true });
    expect((await work.plan('dev', { isSpeculative: false })).hasChanges).toBe(false);

    // A role is replaced with its mount.
    await change((config) => {
      config['gatehouse:providers'][1].path = 'moved';
    });
    const moving = await work.plan('dev', { isSpeculative: false });
    expect(moving.changes?.counts.replace).toBe(1);
    expect(JSON.stringify(moving.changes?.resources)).toContain(
      '"differences":["path: \\"partners\\" → \\"moved\\""]',
    );
    expect(await work.apply('dev', moving.json, { isResumed: false })).toMatchObject({ succeeded: true });
    expect((await environment.live()).roles).toContain('moved/partner');
  });

  longTest('runs the program once to apply a plan at hand, and plans again after a change', async () => {
    const runs = join(temporaryFolder(), 'runs');
    const main = join(directory, 'main.mjs');
    // Planned apart, the program cannot write there.
    const count = `import('node:fs').then((fs) => fs.appendFileSync(${JSON.stringify(runs)}, 'run ')).catch(() => {});\n`;
    await writeFile(main, `${await readFile(main, 'utf8')}${count}`);
    const settled = () => until(() => Date.now() - statSync(main).ctimeMs > 200);
    const inPlace = platformWork(directory, environment.env, reviewer(), 'people', { plansInPlace: true });
    const ofStack = async (edit?: () => Promise<void>) => {
      await settled();
      const { json } = await inPlace.plan('dev', { isSpeculative: false });
      await edit?.();
      await rm(runs, { force: true });
      const applied = await inPlace.apply('dev', JSON.parse(JSON.stringify(json)), { isResumed: false });
      return [applied.succeeded, await readFile(runs, 'utf8')];
    };
    expect(await ofStack()).toEqual([true, 'run ']);
    await change((config) => {
      config['gatehouse:providers'][1].roles[0].ttl = '45m';
    });
    expect(await ofStack(() => writeFile(join(directory, 'note.md'), ''))).toEqual([true, 'run run ']);
  });

  longTest('makes no step that was not approved, where the program changes after its review', async () => {
    const { json } = await work.plan('dev', { isSpeculative: false });
    expect(await work.apply('dev', json, { isResumed: false })).toMatchObject({ succeeded: true });
    await change((config) => {
      config['gatehouse:messages'] = [];
    });
    const stack = await readStack(directory, 'dev', environment.env);
    const before = await environment.live();
    const { outcome, deployment } = await up(
      { stack, refresh: false, targets: [], approval: 'given' },
      new LocalEngine({ env: environment.env }),
      {
        onEvent: () => {},
        confirm: async () => true,
        review: async () => {
          await writeFile(join(directory, 'main.mjs'), '');
          return true;
        },
      },
    );
    expect(outcome).toBe('failed');
    const errors = deployment.diagnostics.filter(({ severity }) => severity === 'error');
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['step_unplanned']));
    expect({ ...(await environment.live()), messages: [] }).toEqual({ ...before, messages: [] });
  });

  test('says no secret of the stack', async () => {
    const read = "JSON.parse(process.env.PULUMI_CONFIG)['gatehouse:clientSecrets']";
    await writeFile(join(directory, 'main.mjs'), `throw new Error('with ' + ${read});`);
    await expect(work.plan('dev', { isSpeculative: false })).rejects.toEqual(
      expect.objectContaining({
        code: 'plan_failed',
        message: expect.stringMatching(/with \{("[^"]*":"\[secret\]",?)+\}/),
      }),
    );
  });

  test('says why a stack cannot be planned', async () => {
    await expect(work.plan('none', { isSpeculative: false })).rejects.toEqual(
      expect.objectContaining({ code: 'stack_unknown' }),
    );
  });
});
