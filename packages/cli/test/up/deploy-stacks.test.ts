import { describe, expect, test } from '@jest/globals';
import { GatehouseError } from '../../../core/src/graph/values/errors.ts';
import type { DeploymentRequest, DeploymentResult, Step } from '../../../engine/src/engine.ts';
import { Secret } from '../../../engine/src/property-value.ts';
import { FakeEngine, policyType, resource, result, roleType, step, update } from '../fake-engine.ts';
import { begin, failed, projectFolder, runCommand, wordsOf } from '../running-command.ts';

const names = ['a', 'b', 'c', 'd'];
const policy = (path: string) => ({ name: 'shop', policy: `path "${path}" { capabilities = ["read"] }` });
const plan = result([update(policyType, 'shop', policy('secret/a'), policy('secret/b'))]);
const nothing = result([step('same', resource(policyType, 'shop', { inputs: policy('secret/a') }))]);
const roleOf = (tokenPolicies: string[]) => ({ backend: 'ci', roleName: 'web', tokenPolicies });
const broken = (message: string) =>
  result(plan.steps, { succeeded: false, diagnostics: [{ severity: 'error', message }] });
/** A role that lets in everyone of the issuer: an error. */
const unfinished = result([
  step(
    'create',
    resource(roleType, 'web', {
      inputs: {
        backend: 'ci',
        roleName: 'web',
        roleType: 'jwt',
        userClaim: 'sub',
        tokenPolicies: ['a'],
        boundClaims: { p: '*' },
        boundClaimsType: 'glob',
      },
    }),
  ),
]);

type Answer = DeploymentResult | Error | ((dryRun: boolean) => DeploymentResult);

/** Runs a command over four stacks, each with an engine that answers with what is given, or else plans and applies. */
function over(answers: Record<string, Answer> = {}, typed?: string[]) {
  const folder = projectFolder(
    Object.fromEntries(names.map((name) => [`Pulumi.${name}.yaml`, 'config: {}\n'])),
  );
  const log: string[] = [];
  const requests: DeploymentRequest[] = [];
  const openEngine = async (_: unknown, { name }: { name: string }) => ({
    engine: new FakeEngine((request) => {
      log.push(`${request.dryRun ? 'plan' : 'apply'} ${name}`);
      requests.push(request);
      const answer = answers[name] ?? plan;
      if (answer instanceof Error) throw answer;
      return typeof answer === 'function' ? answer(request.dryRun) : answer;
    }),
  });
  const gatehouse = (...argv: string[]) =>
    runCommand(argv, {}, folder, { openEngine, ...(typed && { typed }) } as never);
  return { gatehouse, log, requests };
}

const applied = (log: string[]) => log.filter((line) => line.startsWith('apply'));
const ifApplied = (answer: DeploymentResult) => (dryRun: boolean) => (dryRun ? plan : answer);

describe('up of several stacks', () => {
  test('plans all, asks once, and applies the first and then the others: what was reviewed', async () => {
    const { gatehouse, log, requests } = over({}, ['yes']);
    const { code, out, err } = await gatehouse('up', '--all-stacks');
    expect(code).toBe(0);
    expect(log.slice(0, 4).sort()).toEqual(names.map((name) => `plan ${name}`));
    expect(log.slice(4)).toEqual(names.map((name) => `apply ${name}`));
    expect(err.match(/yes\/no/g)).toHaveLength(1);
    expect(err).toContain('Make these changes in a, b, c, d, a first?');
    expect(out).toContain('the same in 4 stacks (a, b, c, d)\n  ~  policy shop');
    expect(out).toContain('4 applied: a, b, c, d');
    for (const { dryRun, reviewed } of requests) expect(reviewed).toBe(dryRun ? undefined : plan);
  });

  test('each stack gets its line once it is applied, before the next one begins', async () => {
    const folder = projectFolder({ 'Pulumi.a.yaml': 'config: {}\n', 'Pulumi.b.yaml': 'config: {}\n' });
    let seen = '';
    const openEngine = async (_: unknown, { name }: { name: string }) => ({
      engine: new FakeEngine(({ dryRun }) => {
        if (name === 'b' && !dryRun) seen = running.terminal.stdout.text;
        return plan;
      }),
    });
    const running = begin(wordsOf('up --all-stacks --yes'), {}, folder, { openEngine } as never);
    expect((await running.ended).out).toContain('\nb: Done in 1.2 s: 1 updated; 0 unchanged\n');
    expect(seen).toMatch(/\na: Done in 1\.2 s: 1 updated; 0 unchanged\n$/);
  });

  test('a no changes nothing', async () => {
    const { gatehouse, log } = over({}, ['no']);
    expect(await gatehouse('up', '-s', '*')).toMatchObject({ code: 2 });
    expect(applied(log)).toEqual([]);
  });

  test('the answer is one for the stacks that change; the others are left alone', async () => {
    const { gatehouse, log } = over({ a: nothing, c: nothing });
    const { code, out } = await gatehouse('up', '--all-stacks', '--yes');
    expect(code).toBe(0);
    expect(applied(log)).toEqual(['apply b', 'apply d']);
    expect(out).toContain('2 applied: b, d\n2 unchanged: a, c');
  });

  test('nothing is asked where nothing changes', async () => {
    const { gatehouse } = over({ a: nothing, b: nothing, c: nothing, d: nothing }, []);
    expect(await gatehouse('up', '--all-stacks')).toMatchObject({
      code: 0,
      err: expect.not.stringContaining('yes'),
    });
  });

  test('a first one that fails stops all others, whatever --max-failures says', async () => {
    const { gatehouse, log } = over({ a: ifApplied(broken('disk full')) });
    const line = 'up --all-stacks --yes --max-failures 3 --parallel 3';
    const { code, out } = await gatehouse(...wordsOf(line));
    expect(code).toBe(1);
    expect(applied(log)).toEqual(['apply a']);
    expect(out).toMatch(/a\nerror: disk full\n\n1 failed: a\n3 not started: b, c, d\n$/);
  });

  test.each([
    ['1', ['apply a', 'apply b'], '1 applied: a\n1 failed: b\n2 not started: c, d'],
    ['2', ['apply a', 'apply b', 'apply c', 'apply d'], '3 applied: a, c, d\n1 failed: b'],
  ])(
    'with --max-failures %s, a later one that fails stops what was not begun',
    async (most, deployed, summary) => {
      const { gatehouse, log } = over({ b: ifApplied(broken('disk full')) });
      const { code, out } = await gatehouse('up', '--all-stacks', '--yes', '--max-failures', most);
      expect({ code, deployed: applied(log) }).toEqual({ code: 1, deployed });
      expect(out).toContain(summary);
    },
  );

  test('an engine that refuses to apply is a failure with its reason', async () => {
    const outdated = new GatehouseError({ code: 'state_locked', what: 'somebody else works on it' });
    const { gatehouse, log } = over({
      b: (dryRun) => {
        if (dryRun) return plan;
        throw outdated;
      },
    });
    const { code, out } = await gatehouse('up', '--all-stacks', '--yes', '--json');
    expect(code).toBe(1);
    expect(applied(log)).toEqual(['apply a', 'apply b']);
    expect(
      JSON.parse(out).stacks.map((one: { stack: string; result?: string; problem?: { code: string } }) => [
        one.stack,
        one.result ?? one.problem?.code,
      ]),
    ).toEqual([
      ['a', 'succeeded'],
      ['b', 'state_locked'],
      ['c', 'not_started'],
      ['d', 'not_started'],
    ]);
  });

  test.each([
    ['cannot be planned', broken('no such claim')],
    ['cannot be read', new GatehouseError({ code: 'service_unreachable', what: 'it is away' })],
  ])('where one %s, nothing is applied and nobody is asked', async (_, answer) => {
    const { gatehouse, log } = over({ c: answer });
    const { code, out, err } = await gatehouse('up', '--all-stacks', '--yes');
    expect({ code, deployed: applied(log) }).toEqual({ code: 1, deployed: [] });
    expect(out).toMatch(/no such claim|it is away/);
    expect(err).toContain('Not every stack could be planned, so nothing was changed.');
  });

  test('where the review of one has errors, nothing is applied', async () => {
    const { gatehouse, log } = over({ c: unfinished });
    const { code, err } = await gatehouse('up', '--all-stacks', '--yes');
    expect({ code, deployed: applied(log) }).toEqual({ code: 2, deployed: [] });
    expect(err).toContain('found errors, so nothing was changed');
  });

  test('without a terminal and --yes, nothing is even planned', async () => {
    const { gatehouse, log } = over();
    expect(await gatehouse('up', '--all-stacks')).toMatchObject(failed('confirmation_needed'));
    expect(log).toEqual([]);
  });

  test('a defect in one leaves none waiting, and is told', async () => {
    const { gatehouse, log } = over({
      b: (dryRun) => {
        if (dryRun) return plan;
        throw new TypeError('x is not a function');
      },
    });
    expect(await gatehouse('up', '--all-stacks', '--yes')).toMatchObject(failed('unexpected'));
    expect(applied(log)).toEqual(['apply a', 'apply b']);
  });

  test.each([
    ['--target', 'role web'],
    ['--exclude', 'role web'],
    ['--take-over', 'role web'],
    ['--import', 'x.json'],
    ['--preflight'],
  ])('%s is for one stack', async (...option) => {
    const { gatehouse, log } = over();
    const ended = await gatehouse('up', '--all-stacks', '--yes', ...option);
    expect(ended).toMatchObject(failed('option_conflict'));
    expect(log).toEqual([]);
  });
});

describe.each(['destroy', 'refresh'])('%s', (command) => {
  test.each([['--all-stacks'], ['-s', '*'], ['-s', 'a*']])('refuses %s', async (...option) => {
    const { gatehouse, log } = over();
    const ended = await gatehouse(command, ...option, '--yes');
    expect(ended).toMatchObject(failed('option_conflict'));
    expect(ended.err).toContain(`${command} is never done to several stacks at once`);
    expect(log).toEqual([]);
  });
});

test('preview of several stacks names what differs, and ends with 1 where one has no plan', async () => {
  const { gatehouse, log } = over({ c: nothing, d: broken('no such claim') });
  const { code, out } = await gatehouse('preview', '--all-stacks');
  expect(code).toBe(1);
  expect(applied(log)).toEqual([]);
  expect(out).toContain('the same in 2 stacks (a, b)\n');
  expect(out).toContain('4 stacks; the same in 2; differs in 2 (c, d)\n');
});

test.each([
  [
    'the rest of a list whose entries change',
    (rest: string) => update(roleType, 'web', roleOf([rest, 'c']), roleOf([rest])),
    ['a', 'b'],
  ],
  [
    'a text that reads as a secret does',
    (text: string | Secret) => update(policyType, 'shop', { description: 'x' }, { description: text }),
    ['[secret]', new Secret('hush')],
  ],
] as [string, (what: unknown) => Step, unknown[]][])(
  '%s is a difference that is not folded',
  async (_, planned, [one, other]) => {
    const { gatehouse } = over({ a: result([planned(one)]), b: result([planned(other)]) });
    const { out } = await gatehouse('preview', '--all-stacks');
    expect(out).toContain('4 stacks; the same in 2; differs in 2 (a, b)\n');
  },
);

test('a pattern goes with no --all-stacks, and is for the commands that take one', async () => {
  const { gatehouse } = over();
  expect(await gatehouse('preview', '--all-stacks', '-s', 'a')).toMatchObject(failed('option_conflict'));
  expect(await gatehouse('preview', '-s', 'x*')).toMatchObject(failed('stack_unknown'));
  expect(await gatehouse('state', 'export', '-s', 'a*')).toMatchObject(failed('option_conflict'));
});
