import { createServer } from 'node:http';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { started } from '../../../../test/harness/started.ts';
import { describeOnBothDatabases } from '../../../../test/harness/two-databases.ts';
import { until } from '../../../../test/harness/until.ts';
import { GatehouseError } from '../../../core/src/graph/values/errors.ts';
import { listen } from '../../../host/src/listen.ts';
import { PlatformUnderTest } from '../../../run-tasks/test/platform/platform-under-test.ts';
import { callBack } from '../../../run-tasks/test/platform/scripted-integrator.ts';
import { begin, failed, runCommand, wordsOf } from '../running-command.ts';

/** @param typed what a person types, if one sits there */
const deploy = (argv: string[], env: NodeJS.ProcessEnv, typed?: string[]) =>
  runCommand(['deploy', ...argv], env, '.', { typed });

describeOnBothDatabases('gatehouse deploy', (databases) => {
  let stack: string;
  let env: NodeJS.ProcessEnv;
  const under = started(async () => PlatformUnderTest.start(await databases.openDatabase()));
  beforeAll(async () => {
    env = { VAULT_TOKEN: 'deployer', GATEHOUSE_PLATFORM_ADDRESS: under().address };
  });
  beforeEach(() => {
    stack = under().reset();
  });
  /** The integrator answers each request with this. */
  const report = (status: string, description = 'looked at \u001b[2Jit') => {
    under().work.tasks = [under().task('review', ['post_plan'])];
    under().integrator.answer = ({ payload }) => {
      void callBack(payload, status, { message: 'as told', outcomes: [{ id: 'a', description }] });
      return 200;
    };
  };

  test('shows stages and outcomes, and exits with 0 when it was applied', async () => {
    report('passed');
    const { code, out } = await deploy(['-s', stack, '-m', 'why'], env);
    expect(code).toBe(0);
    expect(out).toMatch(
      new RegExp(`^Run run-[0-9a-f]+ of ${stack}\n  ${under().address}/ui/runs/run-[0-9a-f]+\n`),
    );
    expect(out).toContain(
      'After planning\n    - looked at [2Jit\n  review (post_plan, mandatory) passed: as told\n',
    );
    expect(out).toMatch(/Applied\.\n$/);
  });

  test('exits with 2 when a mandatory task did not pass, and says which', async () => {
    report('failed');
    const { code, out } = await deploy(['-s', stack], env);
    expect({ code, out }).toEqual({
      code: 2,
      out: expect.stringMatching(/Stopped\.\n {2}Blocked at post_plan by review \(failed\)\.\n$/),
    });
  });

  test('exits with 1 when the run errored', async () => {
    under().work.onPlan = async () => {
      throw new GatehouseError({ code: 'plan_failed', what: 'no plan' });
    };
    expect(await deploy(['-s', stack], env)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/Errored\.\n {2}no plan\n$/),
    });
  });

  test('exits with 0 when it was to plan only', async () => {
    expect((await deploy(['-s', stack, '--speculative'], env)).code).toBe(0);
    expect(under().work.done).toEqual([`plan ${stack} speculatively`]);
  });

  test('exits with 0 when there was nothing to change, and says so', async () => {
    under().work.onPlan = async () => ({ json: {}, hasChanges: false });
    expect(await deploy(['-s', stack], env)).toMatchObject({
      code: 0,
      out: expect.stringContaining('The plan changes nothing.'),
    });
  });

  test('prints the run as JSON with --json, and nothing else', async () => {
    report('passed');
    const { out } = await deploy(['-s', stack, '--json'], env);
    expect(JSON.parse(out)).toMatchObject({
      status: 'applied',
      tasks: [{ status: 'passed', outcomes: [{ outcomeId: 'a' }] }],
    });
  });

  test('takes the address of --address before that of the environment', async () => {
    const elsewhere = { ...env, GATEHOUSE_PLATFORM_ADDRESS: 'http://127.0.0.1:9' };
    expect((await deploy(['-s', stack, '--address', under().address], elsewhere)).code).toBe(0);
  });

  describe('a run that needs a decision', () => {
    beforeEach(() => {
      under().work.decisions = { confirm: 'always', acceptWith: { namespace: '', name: 'accept-failures' } };
      under().work.onPlan = async () => ({
        json: {},
        hasChanges: true,
        gains: 'some' as const,
        gained: ['New way in: role reader'],
      });
    });
    const openRuns = async () =>
      (await under().platform.readRuns({ stack, limit: 10 })).map(({ status }) => status);
    const idIn = (out: string) => /run-[0-9a-f]{24}/.exec(out)?.[0] ?? '';

    test('ends with 3 and shows who gains and where to decide, without a terminal', async () => {
      const { code, out } = await deploy(['-s', stack], env);
      const id = idIn(out);
      expect({ code, out }).toEqual({
        code: 3,
        out: expect.stringMatching(
          new RegExp(
            `Waiting for confirmation of the plan\n  New way in: role reader\n  gatehouse run confirm ${id}, or gatehouse run discard ${id}\n$`,
          ),
        ),
      });
      expect(out).toContain(`${under().address}/ui/runs/${id}\n`);
      expect(await openRuns()).toEqual(['waiting_for_confirmation']);
    });

    test('says of the next run of the stack what it waits behind, and how to end that', async () => {
      const first = idIn((await deploy(['-s', stack], env)).out);
      const { terminal, ended: second } = begin(['deploy', '-s', stack], env, '.');
      await until(async () => terminal.stdout.text.includes('waits behind'));
      expect((await runCommand(['run', 'discard', first], env)).code).toBe(0);
      const { code, out } = await second;
      expect({ code, out }).toEqual({
        code: 3,
        out: expect.stringContaining(
          `Waiting for its turn\n  It waits behind ${first} (waiting for confirmation).\n  gatehouse run show ${first}, or gatehouse run discard ${first}\n`,
        ),
      });
      await runCommand(['run', 'discard', idIn(out)], env);
    });

    test.each([
      ['yes', 0, 'applied'],
      ['no', 2, 'discarded'],
      ['later', 3, 'waiting_for_confirmation'],
    ])('asks at a terminal: %s', async (answer, exit, status) => {
      const { code, err } = await deploy(['-s', stack], env, [answer]);
      expect({ code, err }).toEqual({ code: exit, err: expect.stringContaining('Apply it? ') });
      expect(await openRuns()).toEqual([status]);
    });

    test('asks for the reason to accept a failure, then to confirm', async () => {
      report('failed');
      const { code, out, err } = await deploy(['-s', stack], { ...env, VAULT_TOKEN: 'root' }, [
        'a false alarm',
        'yes',
      ]);
      expect({ code, out }).toEqual({
        code: 0,
        out: expect.stringMatching(
          /accepted: review by root: a false alarm\n[\s\S]*confirmed by root\n[\s\S]*Applied\.\n$/,
        ),
      });
      expect(err).toContain('Why is it right to go on without review?');
    });

    test('is accepted, asked again, shown, confirmed and discarded by gatehouse run', async () => {
      report('failed');
      const id = idIn((await deploy(['-s', stack], env)).out);
      const decide = async (...argv: string[]) => await runCommand(['run', ...argv], env);
      expect((await decide('show', id)).out).toContain(
        'The policy accept-failures lets its holders accept it.',
      );
      expect(await decide('accept', id, '--task', 'review', '--reason', 'x')).toMatchObject(
        failed('accepting_refused'),
      );
      expect(await decide('retry', id, '--task', 'review')).toMatchObject({
        code: 0,
        out: expect.stringContaining('retried: review by deployer'),
      });
      await under().runWhen(id, ({ status }) => status === 'waiting_for_acceptance');
      const accept = ['run', 'accept', id, '--task', 'review', '--reason', 'x'];
      expect((await runCommand(accept, { ...env, VAULT_TOKEN: 'accepter' })).code).toBe(0);
      expect((await decide('confirm', id, '--reason', 'fine')).code).toBe(0);
      await under().ended(id);
      expect(JSON.parse((await decide('show', id, '--json')).out)).toMatchObject({
        status: 'applied',
        decisions: [{ kind: 'retried' }, { kind: 'accepted' }, { kind: 'confirmed', reason: 'fine' }],
      });
      for (const verb of ['discard', 'cancel', 'confirm']) {
        expect(await decide(verb, id)).toMatchObject({ code: 1, err: expect.stringContaining('(run_not_') });
      }
    });
  });

  test('says what the platform refuses', async () => {
    const { code, err } = await deploy(['-s', stack], { ...env, VAULT_TOKEN: 'reader' });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('acting_refused') });
  });
});

describe('gatehouse deploy, without a platform', () => {
  test.each([
    ['no stack', '', 't', 'stack_not_chosen'],
    ['no token', '-s dev', undefined, 'token_missing'],
    ['an address that is none', '-s dev --address platform', 't', 'address_invalid'],
    ['nobody there', '-s dev --address http://127.0.0.1:9', 't', 'platform_unreachable'],
  ])('%s: one clear error', async (_, line, VAULT_TOKEN, code) => {
    const { code: exit, err } = await deploy(wordsOf(line), { VAULT_TOKEN });
    expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining(`(${code})`) });
  });

  test.each([
    ['a redirect, which is not followed', 302, '', 'platform_refused'],
    ['a page', 200, '<html>', 'platform_answer_invalid'],
  ])('%s: one clear error, without the token', async (_, status, body, code) => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(status, { location: '/elsewhere' }).end(body);
    });
    const address = `http://127.0.0.1:${await listen(server, 0)}`;
    const { err } = await deploy(['-s', 'dev', '--address', address], { VAULT_TOKEN: 'a-secret-token' });
    server.close();
    expect(err).toContain(`(${code})`);
    expect(err).not.toContain('a-secret-token');
    expect(asked).toEqual(['/runs']);
  });
});
