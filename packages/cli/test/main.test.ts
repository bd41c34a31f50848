import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { GatehouseError } from '../../core/src/graph/values/errors.ts';
import type { Engine } from '../../engine/src/engine.ts';
import { Secret } from '../../engine/src/property-value.ts';
import type { OpenEngine } from '../src/open/engines.ts';
import { FakeEngine, policyType, resource, result, step, update, urnOf } from './fake-engine.ts';
import { begin, failed, projectFolder, runCommand } from './running-command.ts';

// Of a type that gives no one access: its review passes.
const created = step(
  'create',
  resource('vault:index/mount:Mount', 'p', { inputs: { path: 'p', key: new Secret('hush') } }),
);
const changing = result([created]);
describe('gatehouse', () => {
  let folder: string;
  let engine: FakeEngine;
  let asked: unknown;

  beforeEach(() => {
    folder = projectFolder({ 'Pulumi.dev.yaml': 'config: {}\n', 'Pulumi.prod.yaml': 'config: {}\n' });
    engine = new FakeEngine(changing);
  });

  interface Given {
    /** Where the person stands. */
    cwd?: string;
    typed?: string[];
    by?: Engine;
    env?: NodeJS.ProcessEnv;
  }
  const run = (argv: string[], { cwd = folder, typed, by = engine, env = {} }: Given = {}) =>
    runCommand(argv, env, cwd, {
      typed,
      openEngine: async (request) => {
        asked = request;
        return { engine: by };
      },
    });

  describe('the stack', () => {
    test('is taken from --stack, in the folder that --cwd names', async () => {
      expect((await run(['preview', '-s', 'dev', '-C', folder], { cwd: '/' })).code).toBe(0);
    });

    test('is found from a folder in the project', async () => {
      const below = join(folder, 'policies', 'team');
      mkdirSync(below, { recursive: true });
      expect((await run(['preview', '-s', 'dev'], { cwd: below })).code).toBe(0);
      const above = { cwd: dirname(below) };
      expect((await run(['preview', '-s', 'dev', '-C', 'team'], above)).code).toBe(0);
    });

    test('files that options name stay relative to where the person stands', async () => {
      const below = join(folder, 'policies');
      mkdirSync(below);
      writeFileSync(join(below, 'mine.json'), '{"resources":[]}');
      const { err } = await run(['preview', '-s', 'dev', '--import', 'mine.json'], { cwd: below });
      expect(err).not.toContain('file_unreadable');
      const above = await run(['preview', '-s', 'dev', '--import', 'mine.json']);
      expect(above.err).toContain('(file_unreadable)');
    });

    test('without a project anywhere above is an error that says so', async () => {
      const { code, err } = await run(['preview', '-s', 'dev'], { cwd: '/' });
      expect(code).toBe(1);
      expect(err).toMatch(/in a parent folder[\s\S]*\(project_missing\)/);
    });

    test('is taken from PULUMI_STACK otherwise', async () => {
      expect((await run(['preview'], { env: { PULUMI_STACK: 'prod' } })).code).toBe(0);
    });

    test('that is not chosen is an error that lists them', async () => {
      const { code, err } = await run(['preview']);
      expect(code).toBe(1);
      expect(err).toContain('dev, prod');
      expect(err).toContain('(stack_not_chosen)');
    });
  });

  describe('preview', () => {
    test('prints the plan, exits 0, and asks the engine for no more than a plan', async () => {
      const { code, out } = await run(['preview', '-s', 'dev', '--refresh']);
      expect(code).toBe(0);
      expect(out).toContain('+  Mount p');
      expect(engine.requests).toEqual([
        { verb: 'preview', dryRun: true, refresh: true, targets: [], excludes: [], policyPacks: [] },
      ]);
    });

    test('passes the targets on', async () => {
      const policies = ['a', 'b'].map((name) => resource(policyType, name));
      const urns = policies.map(({ urn }) => urn);
      const fake = new FakeEngine(result(policies.map((policy) => step('create', policy))));
      await run(['preview', '-s', 'dev', ...urns.flatMap((urn) => ['--target', urn])], { by: fake });
      expect(fake.requests.at(-1)?.targets).toEqual(urns);
    });

    test('of a target that is nowhere asks the engine for nothing but a plan of the whole stack', async () => {
      const { code, err } = await run(['up', '-s', 'dev', '--yes', '--target', urnOf(policyType, 'nowhere')]);
      expect([code, err]).toEqual([1, expect.stringContaining('(target_unknown)')]);
      expect(engine.requests.map(({ dryRun, targets }) => ({ dryRun, targets }))).toEqual([
        { dryRun: true, targets: [] },
      ]);
    });

    test('passes the number of steps at once on', async () => {
      await run(['preview', '-s', 'dev', '--parallel', '3']);
      expect(engine.requests[0]?.parallel).toBe(3);
    });

    test('goes on after a failure where that is asked for', async () => {
      await run(['up', '-s', 'dev', '--yes', '--continue-on-error']);
      expect(engine.requests.at(-1)?.continueOnError).toBe(true);
    });

    test('looks short names up, and passes the URNs on', async () => {
      const role = resource('vault:index/policy:Policy', 'p', { inputs: { name: 'p' } });
      const fake = new FakeEngine(result([step('same', role)]));
      await run(['preview', '-s', 'dev', '--exclude', 'policy *'], { by: fake });
      expect(fake.requests.at(-1)).toMatchObject({ targets: [], excludes: [role.urn] });
    });

    test('passes the choice of engine on', async () => {
      await run(['preview', '-s', 'dev', '--engine', 'pulumi', '--plugin', 'embedded']);
      expect(asked).toMatchObject({ engine: 'pulumi', plugin: 'embedded' });
    });

    test('--json prints the digest and nothing else', async () => {
      const { code, out, err } = await run(['preview', '-s', 'dev', '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ steps: [{ op: 'create' }], changeSummary: { create: 1 } });
      expect(err).toBe('');
    });

    test('is silent on stderr where that is no terminal', async () => {
      const noisy = new FakeEngine(changing, [{ type: 'step-started', step: created }]);
      expect((await run(['preview', '-s', 'dev'], { by: noisy })).err).toBe('');
    });

    test('shows progress on a terminal, and takes it away again', async () => {
      const noisy = new FakeEngine(changing, [{ type: 'step-started', step: created }]);
      const { err } = await run(['preview', '-s', 'dev'], { typed: [], by: noisy });
      expect(err).toContain('gatehouse/dev: starting …');
      expect(err.endsWith('\u001b[1G\u001b[0J')).toBe(true);
    });

    test('that failed exits 1 and says why', async () => {
      const diagnostics = [{ severity: 'error' as const, message: 'service is sealed', urn: 'urn:x' }];
      const failing = new FakeEngine(result([], { succeeded: false, diagnostics }));
      const { code, err } = await run(['preview', '-s', 'dev'], { by: failing });
      expect(code).toBe(1);
      expect(err).toBe('error: service is sealed\n  urn:x\n');
    });
  });

  describe.each([['up'], ['refresh'], ['destroy']])('%s', (verb) => {
    test('--yes applies at once', async () => {
      const { code, out } = await run([verb, '-s', 'dev', '--yes']);
      expect(code).toBe(0);
      expect(out).toContain('Done in 1.2 s');
      const applied = { verb, dryRun: false, refresh: false, targets: [], excludes: [], policyPacks: [] };
      // What up does is reviewed first, and nothing else is done; the others take nothing but what is there.
      const reviewed = [
        { ...applied, dryRun: true },
        { ...applied, reviewed: expect.objectContaining({ succeeded: true }) },
      ];
      expect(engine.requests).toEqual(verb === 'up' ? reviewed : [applied]);
    });

    test('without --yes and without a terminal refuses', async () => {
      expect(await run([verb, '-s', 'dev'])).toMatchObject(failed('confirmation_needed'));
      expect(engine.requests).toEqual([]);
    });

    test('at a terminal shows the plan, asks, and applies on yes', async () => {
      const { code, out, err } = await run([verb, '-s', 'dev'], { typed: ['yes'] });
      expect(code).toBe(0);
      expect(out).toMatch(/Plan after[\s\S]*Done in/);
      expect(err).toContain('? (yes/no/details)');
      expect(engine.requests.map(({ dryRun }) => dryRun)).toEqual([true, false]);
    });

    test.each([['no'], ['']])('at a terminal does nothing on %j, and exits 2', async (answer) => {
      const { code, err } = await run([verb, '-s', 'dev'], { typed: [answer] });
      expect(code).toBe(2);
      expect(err).toContain('Nothing was changed.');
      expect(engine.requests.map(({ dryRun }) => dryRun)).toEqual([true]);
    });

    test('at a terminal shows all of the plan on details, and asks again', async () => {
      const { code, out, err } = await run([verb, '-s', 'dev'], { typed: ['details', 'no'] });
      expect(code).toBe(2);
      expect(out.split('Plan after')).toHaveLength(3);
      expect(out).toContain(created.urn);
      expect(err.match(/\(yes\/no\/details\)/g)).toHaveLength(2);
      expect(engine.requests.map(({ dryRun }) => dryRun)).toEqual([true]);
    });

    test('at a terminal asks nothing where nothing changes', async () => {
      const by = new FakeEngine(result([step('same', resource(policyType, 'p'))]));
      const { code, err } = await run([verb, '-s', 'dev'], { typed: [], by });
      expect({ code, isAsked: err.includes('(yes/no/details)') }).toEqual({ code: 0, isAsked: false });
    });

    test.each([{ typed: ['yes'] }, { flags: ['--yes'] }])(
      'that fails exits 1 (%j)',
      async ({ typed, flags = [] }) => {
        const by = new FakeEngine(result([], { succeeded: false }));
        const { code, err } = await run([verb, '-s', 'dev', ...flags], { typed, by });
        expect({ code, isAsked: err.includes('(yes/no/details)') }).toEqual({ code: 1, isAsked: false });
        expect(by.requests).toHaveLength(1);
      },
    );

    test('canceled while it plans changed nothing, and exits 130', async () => {
      const stopped = new FakeEngine(result([], { succeeded: false, canceled: true }));
      const { code, err } = await run([verb, '-s', 'dev'], { typed: ['yes'], by: stopped });
      expect(code).toBe(130);
      expect(err).toMatch(/error: canceled; nothing was changed\n {2}\(planning_canceled\)\n$/);
      expect(stopped.requests.map(({ dryRun }) => dryRun)).toEqual([true]);
    });

    test('canceled while it applies has failed', async () => {
      const diagnostics = [{ severity: 'error' as const, message: 'canceled', code: 'deployment_cancelled' }];
      const stopped = new FakeEngine(({ dryRun }) =>
        dryRun ? changing : result([created], { succeeded: false, canceled: true, diagnostics }),
      );
      expect(await run([verb, '-s', 'dev', '--yes'], { by: stopped })).toMatchObject(
        failed('deployment_cancelled'),
      );
    });

    test('at a terminal does nothing on Ctrl-C, and exits 130', async () => {
      const { code, err } = await run([verb, '-s', 'dev'], { typed: ['\u0003'] });
      expect(code).toBe(130);
      expect(err).toMatch(/\n\s*error: Canceled. Nothing changed\.\n {2}\(canceled\)\n$/);
      expect(engine.requests.map(({ dryRun }) => dryRun)).toEqual([true]);
    });

    test('at a terminal does nothing when the input ends', async () => {
      expect((await run([verb, '-s', 'dev'], { typed: [] })).code).toBe(2);
    });

    test('--json prints the digest with outputs and result', async () => {
      const { code, out } = await run([verb, '-s', 'dev', '--yes', '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ steps: [{ op: 'create' }], outputs: {}, result: 'succeeded' });
    });

    test('--json does not ask', async () => {
      const { code, out } = await run([verb, '-s', 'dev', '--json'], { typed: ['yes'] });
      expect(code).toBe(1);
      expect(JSON.parse(out)).toMatchObject({ result: 'failed', error: { code: 'confirmation_needed' } });
    });
  });

  const policyAt = (path: string) => ({ name: 'p', policy: `path "${path}" { capabilities = ["read"] }` });
  test.each<[string, { argv: string[]; typed?: string[] }]>([
    ['preview', { argv: ['preview'] }],
    ['up that asks', { argv: ['up'], typed: ['yes'] }],
    ['up --yes', { argv: ['up', '--yes'] }],
    ['up --yes at a terminal', { argv: ['up', '--yes'], typed: [] }],
  ])('%s tells the plan, then its review, then the rest', async (_, { argv, typed }) => {
    const by = new FakeEngine(result([update(policyType, 'p', policyAt('a'), policyAt('b'))]));
    const { code, out } = await run([...argv, '-s', 'dev'], { typed, by });
    expect(code).toBe(0);
    const order = /^ {2}~ {2}policy p\n[\s\S]*\nPlan after [\s\S]*\n[+!✓?] [\s\S]*\n(Next: |Done in )/;
    expect(out).toMatch(order);
    expect(out.match(/policy p$/gm)).toHaveLength(1);
  });

  test('up shows what failed, though the plan showed its changes', async () => {
    const failing = { ...created, failed: true };
    const by = new FakeEngine(({ dryRun }) =>
      dryRun ? changing : result([failing], { succeeded: false, diagnostics: [] }),
    );
    const { code, out } = await run(['up', '-s', 'dev', '--yes'], { by });
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining('+  Mount p  failed\n') });
  });

  test.each([['up'], ['destroy']])('a piped %s writes each step as it ends', async (verb) => {
    let seen = '';
    const applying: Engine = {
      async run({ dryRun, onEvent }) {
        onEvent?.({ type: 'step-done', step: created });
        onEvent?.({ type: 'step-failed', step: { ...created, failed: true }, message: 'no' });
        onEvent?.({ type: 'step-done', step: step('same', resource(policyType, 'p')) });
        if (!dryRun) seen = running.terminal.stdout.text;
        return changing;
      },
      exportState: () => engine.exportState(),
    };
    const openEngine: OpenEngine = async () => ({ engine: applying });
    const running = begin([verb, '-s', 'dev', '--yes'], {}, folder, { openEngine });
    expect((await running.ended).code).toBe(0);
    expect(seen).toMatch(/(?:^|[\s\S]*\n)Mount p: created\nMount p: failed\n$/);
    expect(seen.match(/: created/g)).toHaveLength(1);
  });

  test('up writes no step where a terminal shows progress, nor into JSON', async () => {
    const by = new FakeEngine(changing, [{ type: 'step-done', step: created }]);
    expect((await run(['up', '-s', 'dev', '--yes'], { typed: [], by })).out).not.toContain(': created');
    expect((await run(['up', '-s', 'dev', '--yes', '--json'], { by })).out).not.toContain(': created');
  });

  test('what the plan said is not said again once it is applied', async () => {
    const diagnostics = [{ severity: 'warning' as const, message: 'mind this' }];
    const by = new FakeEngine({ ...changing, diagnostics });
    expect((await run(['up', '-s', 'dev', '--yes'], { by })).err).toBe('warning: mind this\n');
  });

  describe('a configuration that does not hold together', () => {
    const broken = 'config:\n  gatehouse:service: {}\n';
    beforeEach(() => writeFileSync(join(folder, 'Pulumi.broken.yaml'), broken));

    test.each([
      ['preview', ['preview']],
      ['up', ['up', '--yes']],
    ])('stops %s before the engine is asked', async (_, argv) => {
      expect(await run([...argv, '-s', 'broken'])).toMatchObject(failed('environment_invalid'));
      expect(engine.requests).toEqual([]);
    });

    test.each([['refresh'], ['destroy']])('does not stop %s, which works from the state', async (verb) => {
      expect((await run([verb, '--yes', '-s', 'broken'])).code).toBe(0);
    });
  });

  describe('errors', () => {
    const failWith = (error: Error): Engine => ({
      run: () => Promise.reject(error),
      exportState: () => Promise.reject(error),
    });
    const expected = new GatehouseError({ code: 'service_sealed', what: 'the service is sealed' });

    test('are printed with their code and without a stack trace', async () => {
      const { code, err } = await run(['preview', '-s', 'dev'], { by: failWith(expected) });
      expect(code).toBe(1);
      expect(err).toBe('error: the service is sealed\n  (service_sealed)\n');
    });

    test('that are unexpected have no stack trace either', async () => {
      const by = failWith(new TypeError('x is not y'));
      const { err } = await run(['preview', '-s', 'dev'], { by });
      expect(err).toBe('error: x is not y\n  (unexpected)\n  Run it with --verbose to see a stack trace.\n');
    });

    test('have one with --verbose, causes included', async () => {
      const error = new GatehouseError({ code: 'unexpected', what: 'outer', cause: new Error('inner') });
      const { err } = await run(['preview', '-s', 'dev', '--verbose'], { by: failWith(error) });
      expect(err).toMatch(/at .*main\.test\.ts[\s\S]*caused by: Error: inner/);
    });

    test('are an object with --json', async () => {
      const by = failWith(expected);
      const { code, out } = await run(['preview', '-s', 'dev', '--json'], { by });
      expect(code).toBe(1);
      expect(JSON.parse(out)).toEqual({
        result: 'failed',
        error: { code: 'service_sealed', message: 'the service is sealed' },
      });
    });
  });

  test.each([
    [['preview']],
    [['up', '--yes']],
    [['up', '--yes', '--json']],
    [['preview', '--json', '--verbose']],
  ])('%j never prints a secret', async (argv) => {
    const outputs = { token: new Secret('hush') };
    const by = new FakeEngine({ ...changing, outputs });
    const { out, err } = await run([...argv, '-s', 'dev'], { by });
    expect(out + err).toContain('[secret]');
    expect(out + err).not.toContain('hush');
  });

  test('says what the choice of engine means', async () => {
    const openEngine: OpenEngine = async () => ({ engine, warning: 'the local engine is used' });
    const { err } = await runCommand(['preview', '-s', 'dev'], {}, folder, { openEngine });
    expect(err).toBe('warning: the local engine is used\n');
  });
});
