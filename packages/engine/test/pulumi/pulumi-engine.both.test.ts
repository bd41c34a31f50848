import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { longTest } from '../../../../test/harness/long-run.ts';
import type { DeploymentEvent, DeploymentRequest } from '../../src/engine.ts';
import { Secret, Unknown } from '../../src/property-value.ts';
import { oldestCli } from '../../src/pulumi/pulumi-cli.ts';
import { PulumiEngine } from '../../src/pulumi/pulumi-engine.ts';
import { stackOf } from '../stack-of.ts';
import {
  canceled,
  failure,
  provider,
  replacement,
  roleUrn,
  stackUrn,
  stream,
  update,
} from './engine-events.ts';
import { installPulumiCliDouble } from './pulumi-cli-double.ts';

const directory = await mkdtemp(join(tmpdir(), 'gatehouse-project-'));
const stack = stackOf({ directory, project: 'gatehouse' });
const request = (fields: Partial<DeploymentRequest>): DeploymentRequest => ({
  verb: 'preview',
  stack,
  dryRun: false,
  refresh: false,
  targets: [],
  ...fields,
});

async function runWith(
  answer: Parameters<typeof installPulumiCliDouble>[0],
  fields: Partial<DeploymentRequest> = {},
) {
  const cli = await installPulumiCliDouble(answer);
  return new PulumiEngine({ env: cli.env }).run(request(fields));
}

describe('how the CLI is called', () => {
  const common = ['--stack', 'dev', '--non-interactive', '--color', 'never', '--json'];
  const applied = (verb: string) => [verb, '--yes', '--skip-preview', ...common];
  const planned = (verb: string) => [verb, '--preview-only', ...common];
  const preview = ['preview', ...common];
  const packs = ['a', 'b'].map((name) => ({ folder: `/${name}`, config: `/${name}.json` }));
  longTest.each<[string, Partial<DeploymentRequest>, string[]]>([
    ['preview', { verb: 'preview', dryRun: true }, preview],
    ['up', { verb: 'up' }, applied('up')],
    ['up without changes', { verb: 'up', dryRun: true }, preview],
    ['refresh', { verb: 'refresh' }, applied('refresh')],
    ['refresh without changes', { verb: 'refresh', dryRun: true }, planned('refresh')],
    ['destroy', { verb: 'destroy' }, applied('destroy')],
    ['destroy without changes', { verb: 'destroy', dryRun: true }, planned('destroy')],
    ['preview with a refresh', { refresh: true }, [...preview, '--refresh']],
    ['up with a refresh', { verb: 'up', refresh: true }, [...applied('up'), '--refresh']],
    ['with targets', { targets: ['a', 'b'] }, [...preview, '--target', 'a', '--target', 'b']],
    ['with excludes', { excludes: ['a', 'b'] }, [...preview, '--exclude', 'a', '--exclude', 'b']],
    ['going on', { verb: 'up', continueOnError: true }, [...applied('up'), '--continue-on-error']],
    ['a preview, which always goes on', { continueOnError: true }, preview],
    [
      'with policy packs',
      { policyPacks: packs },
      [
        ...preview,
        '--policy-pack',
        '/a',
        '--policy-pack',
        '/b',
        '--policy-pack-config',
        '/a.json',
        '--policy-pack-config',
        '/b.json',
      ],
    ],
    ['a refresh, which judges nothing', { verb: 'refresh', policyPacks: packs }, applied('refresh')],
    ['with a bound on parallel work', { parallel: 4 }, [...preview, '--parallel', '4']],
  ])('%s', async (_, fields, argv) => {
    const cli = await installPulumiCliDouble({});
    await new PulumiEngine({ env: cli.env }).run(request(fields));
    const called = (await cli.call())?.argv ?? [];
    // Where it plans, it saves the plan as well: test/security/reviewed-plan.test.ts.
    const place = called.indexOf('--save-plan');
    expect(place < 0 ? called : called.toSpliced(place, 2)).toEqual(argv);
  });

  test("in the project's folder, its own Node.js first on PATH, with its environment and plugins, streaming", async () => {
    const cli = await installPulumiCliDouble({});
    const env = { ...cli.env, PULUMI_CONFIG_PASSPHRASE: 'p' };
    await new PulumiEngine({ env }).run(request({}));
    const call = await cli.call();
    expect(call).toMatchObject({
      cwd: directory,
      env: {
        PATH: `${join(directory, 'node_modules', '.bin')}:${cli.env.PATH}`,
        PULUMI_CONFIG_PASSPHRASE: 'p',
        PULUMI_ENABLE_STREAMING_JSON_PREVIEW: 'true',
      },
    });
    expect(call?.env).not.toHaveProperty('PULUMI_DEBUG_PROVIDERS');
  });

  test('says that the official plugin makes the steps where ours is not attached', async () => {
    const cli = await installPulumiCliDouble({});
    const { byOfficialPlugin } = await new PulumiEngine({ env: cli.env }).run(request({}));
    expect(byOfficialPlugin).toBe(true);
  });

  test('with ours where it is attached; it is closed after the run', async () => {
    const cli = await installPulumiCliDouble({});
    let closed = false;
    const attachEmbeddedPlugin = async () => ({
      port: 4321,
      close: async () => {
        closed = true;
      },
    });
    const { byOfficialPlugin } = await new PulumiEngine({
      env: { ...cli.env, PULUMI_DEBUG_PROVIDERS: 'random:1' },
      attachEmbeddedPlugin,
    }).run(request({}));
    expect(byOfficialPlugin).toBeUndefined();
    expect((await cli.call())?.env['PULUMI_DEBUG_PROVIDERS']).toBe('random:1,vault:4321');
    expect(closed).toBe(true);
  });

  test('a CLI that waits for ever after a failure is stopped, and says so', async () => {
    const cli = await installPulumiCliDouble({ stdout: failure(), until: 'SIGINT', exitCode: 255 });
    const engine = new PulumiEngine({ env: cli.env, patience: 10 });
    const result = await engine.run(request({ verb: 'up', continueOnError: true }));
    expect(result.succeeded).toBe(false);
    expect(result.diagnostics.map(({ code }) => code)).toContain('pulumi_cli_stuck');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s it has the CLI end what is under way, and waits for that',
    async (signal) => {
      const cli = await installPulumiCliDouble({ until: 'SIGINT', exitCode: 255 });
      const listeners = process.listenerCount(signal);
      const running = new PulumiEngine({ env: cli.env }).run(request({ verb: 'up' }));
      while ((await cli.call().catch(() => undefined)) === undefined) await sleep(20);
      process.emit(signal, signal);
      expect(await running).toMatchObject({ succeeded: false, canceled: true });
      expect(process.listenerCount(signal)).toBe(listeners);
    },
  );

  test('of what Ctrl-C stopped it says one line, and not one for each resource that was not made', async () => {
    const cli = await installPulumiCliDouble({ stdout: canceled(), until: 'SIGINT', exitCode: 255 });
    const running = new PulumiEngine({ env: cli.env }).run(request({ verb: 'up' }));
    while ((await cli.call().catch(() => undefined)) === undefined) await sleep(20);
    process.emit('SIGINT', 'SIGINT');
    const { diagnostics } = await running;
    const shown = diagnostics.filter(({ severity }) => severity !== 'debug');
    // What failed by itself meanwhile is no repetition.
    expect(shown.map(({ code, message }) => code ?? message)).toEqual([
      'permission denied',
      'deployment_cancelled',
    ]);
  });

  test.each([
    ['v3.259.3', 'pulumi_cli_too_old'],
    ['2.99.0', 'pulumi_cli_too_old'],
  ])('a CLI that is too old is an error: %s', async (version, code) => {
    const cli = await installPulumiCliDouble({ version });
    const run = new PulumiEngine({ env: cli.env }).run(request({}));
    await expect(run).rejects.toMatchObject({ code, message: expect.stringContaining(version) });
    expect(await cli.calls()).toEqual([]);
  });

  test.each([`v${oldestCli}`, 'v3.275.0-dev.1', 'v4.0.0', 'a build without a version'])(
    'a CLI that is new enough is called: %s',
    async (version) => {
      const cli = await installPulumiCliDouble({ version });
      await new PulumiEngine({ env: cli.env }).run(request({}));
      expect(await cli.calls()).toHaveLength(1);
    },
  );

  test('no CLI on PATH is an error', async () => {
    const engine = new PulumiEngine({ env: { PATH: directory } });
    await expect(engine.run(request({}))).rejects.toMatchObject({ code: 'pulumi_cli_missing' });
  });
});

describe('what a run answers (sdk/go/common/apitype/events.go)', () => {
  test('steps in their order, with old and new state and what differs', async () => {
    const { steps, succeeded } = await runWith({ stdout: update(false) }, { verb: 'up' });
    expect(succeeded).toBe(true);
    expect(steps).toMatchObject([
      { op: 'same', urn: stackUrn, type: 'pulumi:pulumi:Stack' },
      {
        op: 'update',
        urn: roleUrn,
        provider,
        diffs: ['tokenTtl'],
        detailedDiff: { tokenTtl: { kind: 'update', inputDiff: false } },
        oldState: { id: 'auth/oidc/role/reader', custom: true, parent: stackUrn, inputs: { tokenTtl: 3600 } },
        newState: { outputs: { tokenTtl: 7200, note: new Secret('[secret]') } },
      },
    ]);
  });

  test('the counts of the summary', async () => {
    expect((await runWith({ stdout: update(false) })).changes).toEqual({ same: 1, update: 1 });
  });

  test("the stack's outputs, secrets and unknown values as such", async () => {
    expect((await runWith({ stdout: update(true) })).outputs).toEqual({
      methods: ['oidc'],
      token: new Secret('[secret]'),
      accessor: Unknown.value,
    });
  });

  test('diagnostics, without the passing ones', async () => {
    expect((await runWith({ stdout: update(false) })).diagnostics).toEqual([
      { severity: 'warning', message: 'soon gone', urn: roleUrn },
    ]);
  });

  test('events as they happen', async () => {
    const events: DeploymentEvent[] = [];
    await runWith({ stdout: update(false) }, { verb: 'up', onEvent: (event) => events.push(event) });
    expect(
      events.map((event) => [
        event.type,
        'step' in event ? event.step.urn : 'diagnostic' in event && event.diagnostic.message,
      ]),
    ).toEqual([
      ['step-started', stackUrn],
      ['step-started', roleUrn],
      ['diagnostic', 'soon gone'],
      ['step-done', roleUrn],
      ['step-done', stackUrn],
    ]);
  });

  test('what failed and why', async () => {
    const events: DeploymentEvent[] = [];
    const result = await runWith(
      { stdout: failure(), exitCode: 4 },
      { verb: 'up', onEvent: (event) => events.push(event) },
    );
    expect(result).toMatchObject({
      succeeded: false,
      diagnostics: [{ severity: 'error', message: 'permission denied', urn: roleUrn }],
    });
    expect(result.steps.filter(({ failed }) => failed).map(({ op, urn }) => [op, urn])).toEqual([
      ['create', roleUrn],
    ]);
    expect(events.at(-1)).toMatchObject({
      type: 'step-failed',
      message: 'permission denied',
      step: { op: 'create' },
    });
  });

  test.each([
    ['of a step that failed', failure(), 4, 'debug'],
    ['of a run that failed otherwise', '', 255, 'info'],
    ['of a run that succeeded', update(false), 0, 'info'],
  ])('what the program wrote to standard error, %s', async (_, steps, exitCode, severity) => {
    const written = { message: 'Error: failed to register\n', color: 'never', severity: 'info#err' };
    const { diagnostics } = await runWith(
      { stdout: `${steps}${stream({ diagnosticEvent: written })}`, exitCode },
      { verb: 'up' },
    );
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ severity, message: 'Error: failed to register' }),
    );
  });

  test('a replacement by its steps; operations of one name here are counted together', async () => {
    const { steps, changes } = await runWith({ stdout: replacement() }, { verb: 'up' });
    expect(steps.map(({ op, replaceKeys }) => [op, replaceKeys])).toEqual([
      ['create-replacement', ['roleType']],
      ['replace', ['roleType']],
      ['delete-replaced', ['roleType']],
    ]);
    expect(changes).toEqual({ 'create-replacement': 1, replace: 1, 'delete-replaced': 1, discard: 3 });
  });

  test('what is no event is passed on as it is', async () => {
    const { diagnostics } = await runWith({
      stdout: `Downloading plugin\n{"not": "an event"}\n${update(true)}`,
    });
    expect(diagnostics.slice(0, 2)).toEqual([
      { severity: 'info', message: 'Downloading plugin' },
      { severity: 'info', message: '{"not": "an event"}' },
    ]);
  });

  test('a CLI that ends before the run begins says why on standard error', async () => {
    const result = await runWith({ stderr: "error: no stack named 'dev' found\n", exitCode: 255 });
    expect(result).toMatchObject({
      succeeded: false,
      steps: [],
      diagnostics: [{ severity: 'error', message: "error: no stack named 'dev' found" }],
    });
  });

  test.each([
    ['mandatory', 'error'],
    ['advisory', 'warning'],
  ])('a policy of level %s speaks as %s', async (enforcementLevel, severity) => {
    const policyEvent = {
      resourceUrn: roleUrn,
      message: 'ttl too long\n',
      color: 'never',
      policyName: 'short-tokens',
      policyPackName: 'house',
      policyPackVersion: '1',
      policyPackVersionTag: '1',
      enforcementLevel,
    };
    expect((await runWith({ stdout: stream({ policyEvent }) })).diagnostics).toEqual([
      { severity, message: 'policy short-tokens: ttl too long', urn: roleUrn },
    ]);
  });

  test('what a policy corrects is told', async () => {
    const policyRemediationEvent = {
      resourceUrn: roleUrn,
      color: 'never',
      policyName: 'short-tokens',
      policyPackName: 'house',
      policyPackVersion: '1',
      before: { tokenTtl: 9 },
      after: { tokenTtl: 1 },
    };
    expect((await runWith({ stdout: stream({ policyRemediationEvent }) })).diagnostics).toEqual([
      { severity: 'info', message: 'policy short-tokens corrected its inputs', urn: roleUrn },
    ]);
  });
});

describe('the state', () => {
  test('is what `pulumi stack export` prints', async () => {
    const exported = { version: 3, deployment: { manifest: {}, resources: [] } };
    const cli = await installPulumiCliDouble({ stdout: JSON.stringify(exported, undefined, 4) });
    expect(await new PulumiEngine({ env: cli.env }).exportState(stack)).toEqual(exported);
    const onStack = ['--stack', 'dev', '--non-interactive', '--color', 'never'];
    expect((await cli.call())?.argv).toEqual(['stack', 'export', ...onStack]);
  });

  test('that cannot be had is an error with the words of the CLI', async () => {
    const cli = await installPulumiCliDouble({ stderr: 'error: not logged in', exitCode: 1 });
    await expect(new PulumiEngine({ env: cli.env }).exportState(stack)).rejects.toMatchObject({
      code: 'pulumi_cli_failed',
      message: expect.stringContaining('not logged in'),
    });
  });
});
