import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { FakeEngine, policyType, resource, result, roleType, step } from '../fake-engine.ts';
import { projectFolder, runCommand } from '../running-command.ts';

const plan = (name: string) => join(root, 'examples', 'plans', `${name}.json`);

/** A new role; `open` lets in everyone of the issuer: an error. */
const web = {
  backend: 'ci',
  roleName: 'web',
  roleType: 'jwt',
  userClaim: 'sub',
  tokenPolicies: ['a'],
};
const unboundRole = resource(roleType, 'web', {
  inputs: { ...web, boundClaims: { p: '*' }, boundClaimsType: 'glob' },
});
const good = resource(roleType, 'web', { inputs: { ...web, boundSubject: 's', boundAudiences: ['x'] } });

describe('gatehouse review', () => {
  const folder = projectFolder({ 'Pulumi.dev.yaml': 'config: {}\n' });
  const run = (argv: string[], engine = new FakeEngine(result([])), given: object = {}) =>
    runCommand(argv, {}, folder, { openEngine: async () => ({ engine }), ...given });

  test.each([
    ['terraform-plan', 'error', 2],
    ['terraform-plan', 'warning', 2],
    ['pulumi-preview', 'error', 2],
  ])('%s with --fail-on %s exits with %i', async (name, severity, expected) => {
    const { code, err } = await run(['review', plan(name), '--fail-on', severity]);
    expect({ code, err }).toEqual({ code: expected, err: '' });
  });

  test.each([
    ['terminal', '+ role ci/deploy'],
    ['markdown', '**role ci/deploy**'],
    ['json', '"kind": "opened"'],
    ['sarif', '"version": "2.1.0"'],
  ])('--format %s prints it', async (format, text) => {
    expect((await run(['review', plan('terraform-plan'), '--format', format])).out).toContain(text);
  });

  test('--json is --format json', async () => {
    expect(JSON.parse((await run(['review', plan('terraform-plan'), '--json'])).out)).toMatchObject({
      format: 1,
      verdict: 'failed',
    });
  });

  test('- reads standard input', async () => {
    const piped = '{"format_version":"1.2","resource_changes":[]}';
    const { code, out } = await run(['review', '-'], undefined, { piped });
    expect(code).toBe(0);
    expect(out).toContain('Nothing here changes policies, groups or sign-in.');
  });

  test('without a plan and a project, it says how to give either', async () => {
    const { code, err } = await runCommand(['review'], {}, temporaryFolder());
    expect(code).toBe(1);
    expect(err).toContain('There is neither a plan nor a Pulumi.yaml here.');
    expect(err).toContain('gatehouse review plan.json');
  });

  test.each([
    ['a file that is not there', 'nowhere.json', 'file_unreadable'],
    ['a folder', '.', 'file_unreadable'],
    ['what is no plan', 'Pulumi.yaml', 'plan_unreadable'],
  ])('%s is an error', async (_, path, code) => {
    const failed = await run(['review', path]);
    expect(failed.code).toBe(1);
    expect(failed.err).toContain(`(${code})`);
  });

  test('without a plan, plans the stack', async () => {
    const engine = new FakeEngine(result([step('create', unboundRole)]));
    const { code, out } = await run(['review', '-s', 'dev'], engine);
    expect(code).toBe(2);
    expect(out).toContain('+ role ci/web');
    expect(engine.requests.map(({ verb, dryRun }) => [verb, dryRun])).toEqual([['preview', true]]);
  });

  test('a stack that cannot be planned is an error, and no pass', async () => {
    const failing = new FakeEngine(
      result([], { succeeded: false, diagnostics: [{ severity: 'error', message: 'sealed' }] }),
    );
    const { code, err } = await run(['review', '-s', 'dev'], failing);
    expect(code).toBe(1);
    expect(err).toContain('sealed');
    expect(err).toContain('(plan_failed)');
  });

  describe('between plan and apply', () => {
    test('up with an error in its review changes nothing, and exits with 2', async () => {
      const engine = new FakeEngine(result([step('create', unboundRole)]));
      const { code, out, err } = await run(['up', '-s', 'dev', '--yes'], engine);
      expect(code).toBe(2);
      expect(out).toContain('✗ 1 error.');
      expect(err).toContain('nothing was changed');
      expect(engine.requests.map(({ dryRun }) => dryRun)).toEqual([true]);
    });

    test('up at a terminal shows the review before it asks', async () => {
      const engine = new FakeEngine(result([step('create', good)]));
      const { code, out } = await run(['up', '-s', 'dev'], engine, { typed: ['yes'] });
      expect(code).toBe(0);
      expect(out).toMatch(/Plan after[\s\S]*WHO[\s\S]*Done in/);
    });

    test('up --json has the review of what it refused', async () => {
      const { out } = await run(
        ['up', '-s', 'dev', '--yes', '--json'],
        new FakeEngine(result([step('create', unboundRole)])),
      );
      expect(JSON.parse(out)).toMatchObject({ result: 'refused', review: { verdict: 'failed' } });
    });

    test('preview shows the review, and exits with 0 all the same', async () => {
      const { code, out } = await run(
        ['preview', '-s', 'dev'],
        new FakeEngine(result([step('create', unboundRole)])),
      );
      expect(code).toBe(0);
      expect(out).toMatch(/Plan after[\s\S]*WHO/);
    });

    test('preview says nothing of sign-in where nothing of it changes', async () => {
      const { out } = await run(
        ['preview', '-s', 'dev'],
        new FakeEngine(result([step('same', resource(policyType, 'p'))])),
      );
      expect(out).not.toMatch(/gains? (or loses )?access|WHO/);
    });
  });
});
