import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { DeploymentEvent } from '../../src/engine.ts';
import { RegistrationPace } from '../../src/local/deployment.ts';
import type { Goal } from '../../src/local/goal.ts';
import { PluginError } from '../../src/plugins/plugin.ts';
import { Secret } from '../../src/property-value.ts';
import { Bed, bedWith, codes, component, goal, thingType, urn, using } from './registrations.ts';

describe('aliases (pkg/resource/deploy/step_generator.go, generateAliases)', () => {
  test.each<[string, Goal]>([
    ['a whole URN', goal('new', { text: 'x' }, { aliases: [{ urn: urn('old') }] })],
    ['a name', goal('new', { text: 'x' }, { aliases: [{ name: 'old' }] })],
    [
      'a name, type and parent',
      goal('new', { text: 'x' }, { aliases: [{ name: 'old', type: thingType, noParent: true }] }),
    ],
  ])('a resource renamed with %s stays the same one', async (_, renamed) => {
    const bed = await bedWith([goal('old', { text: 'x' })]);
    const result = await bed.up([renamed]);
    expect(result.taken).toEqual(['same new']);
    expect(bed.store.names()).toEqual(['new']);
    expect((await bed.up([renamed])).changes).toEqual({ same: 1 });
  });

  test('what names the old URN in state follows in the same transaction', async () => {
    const bed = await bedWith([goal('old', { text: 'x' }), using('user', 'old', { text: 'id-1' })]);
    await bed.deploy({}, async (deployment) => [
      await deployment.register(goal('new', { text: 'x' }, { aliases: [{ name: 'old' }] })),
    ]);
    expect(bed.store.changes).toHaveLength(1);
    expect(bed.store.row('user')).toMatchObject({
      dependencies: [urn('new')],
      propertyDependencies: { text: [urn('new')] },
    });
  });

  test('children of a renamed parent are found under its old name', async () => {
    const bed = new Bed();
    const box = (name: string) => urn(name, 'test:index:Component');
    await bed.up([component('app'), goal('app-role', { text: 'x' }, { parent: box('app') })]);
    const result = await bed.up([
      component('site', { aliases: [{ name: 'app' }] }),
      goal('site-role', { text: 'x' }, { parent: box('site') }),
    ]);
    expect(result.taken).toEqual(['same site', 'same site-role']);
    expect(bed.store.row('site-role').parent).toBe(box('site'));
  });

  test('two resources cannot both have been the same one', async () => {
    const bed = await bedWith([goal('old')]);
    const aliases = [{ name: 'old' }];
    expect(codes(await bed.up([goal('a', {}, { aliases }), goal('b', {}, { aliases })]))).toEqual([
      'alias_duplicate',
    ]);
  });

  test('a renamed explicit plugin resource does not replace what it works', async () => {
    const bed = new Bed();
    const type = 'pulumi:providers:test';
    const feed = (name: string, aliases: Goal['aliases']) =>
      bed.deploy({}, async (deployment) => {
        const plugin = await deployment.register(goal(name, { region: 'x' }, { type, aliases }));
        const thing = goal('a', { text: 'x' }, { provider: `${plugin.urn}::${plugin.id ?? ''}` });
        const registered = [plugin, await deployment.register(thing)];
        await deployment.finish(true);
        return registered;
      });
    await feed('one', []);
    const result = await feed('two', [{ name: 'one' }]);
    expect(result.taken).toEqual(['same two', 'same a']);
    expect(bed.store.row('a').provider).toContain('::two::');
  });
});

describe('plugin resources (pkg/resource/deploy/providers/registry.go, source_eval.go)', () => {
  test('the default one is named by its version and holds the package configuration', async () => {
    const bed = new Bed();
    const packageConfig = () => ({ address: 'http://x', token: new Secret('t') });
    const result = await bed.up([goal('a')], { packageConfig });
    const row = bed.store.rows.find(({ type }) => type === 'pulumi:providers:test');
    expect(row).toMatchObject({
      urn: urn('default_1_2_3', 'pulumi:providers:test'),
      inputs: { address: 'http://x', token: new Secret('t'), version: '1.2.3', __internal: {} },
      outputs: { address: 'http://x', token: new Secret('t'), version: '1.2.3' },
    });
    expect(bed.store.row('a').provider).toBe(`${row?.urn}::${row?.id}`);
    expect(bed.service.configured).toEqual([{ address: 'http://x', token: 't', version: '1.2.3' }]);
    // Nobody wrote it, so nobody is shown it.
    expect(result.taken).toEqual(['create a']);
  });

  test('settings that reach another service replace its resources (providerChanged)', async () => {
    const bed = new Bed();
    const type = 'pulumi:providers:test';
    const feed = (name: string, region: string) =>
      bed.deploy({}, async (deployment) => {
        const plugin = await deployment.register(goal(name, { region }, { type }));
        const registered = [
          await deployment.register(goal('a', {}, { provider: `${plugin.urn}::${plugin.id}` })),
        ];
        await deployment.finish(true);
        return registered;
      });
    await feed('one', 'x');
    expect((await feed('two', 'x')).taken).toContain('same a');
    const result = await feed('three', 'y');
    expect(result.steps.find(({ op }) => op === 'replace')).toMatchObject({
      urn: urn('a'),
      replaceKeys: ['provider'],
    });
  });

  test('a plugin that cannot be configured is told once, and its resources are not attempted', async () => {
    const bed = new Bed();
    const result = await bed.up([goal('a'), goal('b')], {
      packageConfig: () => ({ broken: 'yes' }),
      continueOnError: true,
    });
    expect(codes(result)).toEqual(['step_failed']);
    expect(result.diagnostics[0]?.message).toContain('the service cannot be reached');
    expect(result.registered.map(({ result: outcome }) => outcome)).toEqual(['skipped', 'skipped']);
  });

  test('a package without a plugin is told of each resource that needs it', async () => {
    const goals = [goal('a', {}, { type: 'azuread:index:Application' }), goal('b')];
    const result = await new Bed().up(goals, { continueOnError: true });
    expect(codes(result)).toEqual(['engine_plugin_missing']);
    expect(result.diagnostics[0]?.urn).toBe(urn('a', 'azuread:index:Application'));
    expect(result.diagnostics[0]?.message).toContain('--engine pulumi');
    expect(result.taken).toEqual(['create b']);
  });
});

describe('order, parallel work and failures (step_executor.go, deployment_executor.go)', () => {
  test('destroy deletes dependents and children first (ScheduleDeletes)', async () => {
    const bed = new Bed();
    const box = urn('box', 'test:index:Component');
    const dependencies = [urn('a', `test:index:Component$${thingType}`)];
    await bed.up([
      component('box'),
      goal('a', {}, { parent: box }),
      goal('b', {}, { dependencies }),
      using('c', 'b', { text: 'x' }),
    ]);
    const result = await bed.destroy();
    expect(result.taken).toEqual(['delete c', 'delete b', 'delete a', 'delete box']);
    expect(bed.store.rows).toEqual([]);
  });

  test('a dependency that a later run added counts, whatever the order of the rows', async () => {
    const bed = await bedWith([goal('a')]);
    await bed.up([goal('z'), using('a', 'z', { text: 'x' })]);
    expect(bed.store.names()).toEqual(['a', 'z']);
    expect((await bed.destroy()).taken).toEqual(['delete a', 'delete z']);
  });

  test('after a failure nothing else is begun', async () => {
    const bed = new Bed();
    bed.service.refuse('a');
    const result = await bed.up([goal('a'), goal('b')]);
    expect(codes(result)).toEqual(['step_failed']);
    expect(result.taken).toEqual(['create a']);
    expect(bed.store.names()).toEqual([]);
  });

  test('what is in progress when another fails is finished and recorded', async () => {
    const bed = new Bed();
    let finish = () => {};
    bed.service.intercept = (_, name) => {
      if (name === 'a') throw new PluginError('the service says no');
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    };
    await bed.deploy({}, async (deployment) => {
      const slow = deployment.register(goal('slow'));
      await deployment.register(goal('a'));
      finish();
      return [await slow];
    });
    expect(bed.store.names()).toEqual(['slow']);
    expect(bed.store.pending).toEqual([]);
  });

  test('a failed deletion stops the others', async () => {
    const bed = await bedWith([
      goal('a'),
      using('b', 'a', { text: 'x' }),
      goal('c'),
      using('d', 'c', { text: 'x' }),
    ]);
    bed.service.refuse('b');
    const result = await bed.destroy({ parallel: 1 });
    expect(codes(result)).toEqual(['step_failed']);
    expect(bed.store.names()).toEqual(expect.arrayContaining(['a', 'b', 'c']));
  });

  test('a preview shows everything that would fail', async () => {
    const result = await new Bed().preview([goal('a', { invalid: 1 }), goal('b', { invalid: 1 })]);
    expect(codes(result)).toEqual(['resource_invalid', 'resource_invalid']);
  });

  test('with continueOnError a failed resource leaves the independent ones done and its dependents alone', async () => {
    const bed = new Bed();
    bed.service.refuse('a');
    const goals = [goal('a'), using('b', 'a', { text: 'x' }), using('c', 'b', { text: 'x' }), goal('d')];
    const result = await bed.up(goals, { continueOnError: true });
    expect(result.succeeded).toBe(false);
    expect(result.registered.map(({ result: outcome }) => outcome)).toEqual([
      'failed',
      'skipped',
      'skipped',
      'done',
    ]);
    expect(result.diagnostics).toEqual([
      {
        severity: 'error',
        code: 'step_failed',
        message: expect.stringMatching(/^create failed: the service says no\n.*run the command again/),
        urn: urn('a'),
      },
    ]);
    expect(result.steps.filter(({ failed }) => failed).map((step) => step.urn)).toEqual([urn('a')]);
    expect(bed.store.names()).toEqual(['d']);
    expect(bed.store.pending).toEqual([]);
  });

  test.each(['a resource', 'the program'])('nothing is deleted after %s has failed', async (what) => {
    const bed = await bedWith([goal('old')]);
    bed.service.refuse('a');
    await bed.deploy({}, async (deployment) => {
      if (what === 'a resource') await deployment.register(goal('a'));
      await deployment.finish(what !== 'the program');
      return [];
    });
    expect(bed.store.names()).toContain('old');
  });

  test('a failed deletion keeps what it depends on', async () => {
    const bed = await bedWith([goal('a'), using('b', 'a', { text: 'x' }), goal('c')]);
    bed.service.refuse('b');
    await bed.destroy();
    expect(bed.store.names()).toEqual(['a', 'b']);
  });

  test('independent resources are worked at the same time, within the limit', async () => {
    const bed = new Bed();
    const goals = Array.from({ length: 40 }, (_, index) => goal(`r${index}`));
    await bed.deploy({ parallel: 8 }, (deployment) =>
      Promise.all(goals.map((each) => deployment.register(each))),
    );
    expect(bed.service.mostInFlight).toBe(8);
    await bed.destroy({ parallel: 8 });
    expect(bed.service.mostInFlight).toBe(8);
  });

  test('says how many steps are known of, and takes none back', async () => {
    const bed = await bedWith([goal('a'), goal('b')]);
    const expected: number[] = [];
    const onEvent = (event: DeploymentEvent) => {
      if (event.type === 'expected') expected.push(event.steps);
    };
    await bed.up([goal('a'), goal('c')], { onEvent });
    // Two that the program has, and one to delete.
    expect(expected).toEqual([1, 2, 3]);
    expected.length = 0;
    await bed.refresh({ onEvent });
    expect(expected).toEqual([2]);
  });

  test('once stopped, what is under way is finished and recorded, and nothing new begins', async () => {
    const bed = new Bed();
    const result = await bed.deploy({}, async (deployment) => {
      bed.service.intercept = () => deployment.cancel();
      await deployment.register(goal('a'));
      await expect(deployment.register(goal('b'))).rejects.toThrow();
      await deployment.finish(true);
      return [];
    });
    expect(codes(result)).toEqual(['deployment_cancelled']);
    expect(result.canceled).toBe(true);
    expect(bed.store.names()).toEqual(['a']);
  });
});

describe('stack outputs (step_executor.go, executeRegisterResourceOutputs)', () => {
  const type = 'pulumi:pulumi:Stack';
  const feed = (bed: Bed, outputs: Record<string, string>, succeeded: boolean) =>
    bed.deploy({}, async (deployment) => {
      const stack = await deployment.register(goal('project-dev', {}, { type, custom: false }));
      deployment.registerOutputs(stack.urn, outputs);
      await deployment.finish(succeeded);
      return [stack];
    });

  test('replace the old ones', async () => {
    const bed = new Bed();
    await feed(bed, { a: '1', b: '1' }, true);
    expect((await feed(bed, { a: '2' }, true)).outputs).toEqual({ a: '2' });
    expect(bed.store.rows[0]?.outputs).toEqual({ a: '2' });
  });

  test('after a failure only add to the old ones', async () => {
    const bed = new Bed();
    await feed(bed, { a: '1', b: '1' }, true);
    expect((await feed(bed, { a: '2' }, false)).outputs).toEqual({ a: '2', b: '1' });
  });
});

test('a few registrations begin in a turn of the event loop, in the order in which they came', async () => {
  const pace = new RegistrationPace();
  const started: number[] = [];
  const registrations = Array.from({ length: 20 }, async (_, index) => {
    await pace.turn();
    started.push(index);
  });
  const soFar: number[] = [];
  await Promise.resolve();
  soFar.push(started.length);
  for (let turns = 0; turns < 2; turns++) {
    await turn();
    soFar.push(started.length);
  }
  expect(soFar).toEqual([8, 16, 20]);
  await Promise.all(registrations);
  expect(started).toEqual(started.toSorted((a, b) => a - b));
});

test('one that comes alone begins at once', async () => {
  const pace = new RegistrationPace();
  let started = false;
  const registration = pace.turn().then(() => {
    started = true;
  });
  await Promise.resolve();
  expect(started).toBe(true);
  await registration;
});
