import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { DeploymentRequest, DeploymentResult } from '../../../engine/engine.ts';
import { home, Run, simple } from '../local/program-run.ts';

/** A program's stack over several runs, judged by a pack. */
class Judged {
  readonly #run = new Run();
  readonly store = this.#run.store;
  readonly service = this.#run.service;

  run(
    greeting: string,
    verb: DeploymentRequest['verb'],
    settings: object = {},
    folder = join(import.meta.dirname, 'strict'),
  ): Promise<DeploymentResult> {
    const config = join(home, 'config.json');
    writeFileSync(config, JSON.stringify(settings));
    return this.#run.run(simple({ greeting }), verb, { policyPacks: [{ folder, config }] });
  }
}

const errors = ({ diagnostics }: DeploymentResult) =>
  diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);

describe('a policy pack in the local engine', () => {
  test('objects in a preview, which goes on to show all of it, and fails', async () => {
    const result = await new Judged().run('HI', 'preview', { 'few-things': { most: 1 } });
    expect([result.succeeded, result.changes]).toEqual([false, { create: 6 }]);
    expect(errors(result)).toEqual([
      'policy no-shouting: No text shouts.\nThis one does.',
      expect.stringContaining('4 are more than 1'),
    ]);
  });

  test('is shown what is not known as unknown', async () => {
    const result = await new Judged().run('hi', 'preview');
    const told = result.diagnostics.filter(({ severity }) => severity === 'warning');
    expect(told.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/all-known: can't run policy .* string value at \.text can't be known/),
    );
  });

  test('tells no secret of the stack', async () => {
    const run = new Run();
    const folder = join(import.meta.dirname, 'strict');
    const config = join(home, 'telling.json');
    for (const [settings, level] of [
      [{ telling: 'advisory' }, 'warning'],
      [{ telling: { enforcementLevel: 'mandatory' } }, 'error'],
    ] as const) {
      writeFileSync(config, JSON.stringify(settings));
      const result = await run.run(simple(), 'preview', { policyPacks: [{ folder, config }] });
      const told = result.diagnostics.filter(({ severity }) => severity === level);
      expect(told.map(({ message }) => message)).toContainEqual(expect.stringContaining('of [secret]'));
      expect(JSON.stringify(result.diagnostics)).not.toContain('hush');
    }
  });

  test('that is advisory stops nothing', async () => {
    const config = { all: 'advisory', broken: 'disabled', telling: 'disabled', 'few-things': { most: 1 } };
    const result = await new Judged().run('HI', 'up', config);
    expect([result.succeeded, errors(result)]).toEqual([true, []]);
    expect(result.diagnostics.filter(({ severity }) => severity === 'warning')).toHaveLength(2);
  });

  test('corrects a resource before its step', async () => {
    const judged = new Judged();
    const result = await judged.run('rude', 'up');
    expect(result.succeeded).toBe(true);
    expect(judged.store.row('plain').inputs['text']).toBe('kind');
    expect(result.diagnostics.map(({ message }) => message)).toContain('policy polite corrected its inputs');
  });

  test('that fails lets nothing pass', async () => {
    const result = await new Judged().run('hi', 'preview', { broken: 'advisory' });
    expect(result.succeeded).toBe(false);
    expect(errors(result)).toEqual([
      expect.stringMatching(/policy pack strict failed: .*this pack is broken/),
    ]);
  });

  test.each([
    ['a policy that it does not have', { 'no-such-policy': 'mandatory' }, 'no policy "no-such-policy"'],
    ['a level that there is not', { 'few-things': 'sometimes' }, 'configuration of few-things is not valid'],
    ['properties that it refuses', { 'few-things': { most: 'many' } }, 'is not what its pack asks for'],
  ])('is not started with %s', async (_, config, message) => {
    const judged = new Judged();
    await expect(judged.run('hi', 'up', config)).rejects.toThrow(message);
    expect(judged.service.calls).toEqual([]);
  });

  test('must be a folder with one', async () => {
    await expect(new Judged().run('hi', 'up', {}, home)).rejects.toThrow('no policy pack in this folder');
  });
});
