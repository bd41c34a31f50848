import { execFileSync } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rootToken, startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { EnvironmentUnderTest, root } from '../../../../test/harness/environment-under-test.ts';
import { longTest } from '../../../../test/harness/long-run.ts';
import { GatehouseError } from '../../../core/src/graph/values/errors.ts';
import { readDeclaring } from '../../src/open/open-stack.ts';
import { PlanReviewer } from '../../src/serve/plan-reviewer.ts';
import { asUnreviewed, type PlannedWith, planningReaches } from '../../src/serve/planning.ts';
import { platformWork } from '../../src/serve/platform-work.ts';
import { changeStack } from './served-stack.ts';

let service: Awaited<ReturnType<typeof startEmbeddedService>>;
let environment: EnvironmentUnderTest;
let directory: string;
beforeAll(async () => {
  service = await startEmbeddedService();
  environment = await EnvironmentUnderTest.start(service);
  await environment.client.put('sys/policies/acl/reading', {
    policy: 'path "*" { capabilities = ["read"] }',
  });
  await environment.client.put('sys/policies/acl/writing', {
    policy: 'path "*" { capabilities = ["sudo"] }',
  });
});
afterAll(async () => {
  await environment.close();
  await service.close();
});
beforeEach(async () => {
  directory = await environment.writeProject();
  await rm(join(directory, '.git'), { recursive: true, force: true });
});

const git = (...args: string[]) =>
  execFileSync('git', ['-C', directory, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args]);
/** The folder with these policies as its base revision, and then with those of a change. */
async function revisions(before: string[] | undefined, after: string[] | undefined) {
  const declare = (planPolicies: string[] | undefined) =>
    changeStack(directory, (config) => {
      config['gatehouse:deployments'] = planPolicies && { planPolicies };
      if (planPolicies === undefined) delete config['gatehouse:deployments'];
    });
  await declare(before);
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'one');
  git('remote', 'add', 'origin', directory);
  git('fetch', '-q');
  git('remote', 'set-head', 'origin', 'main');
  git('checkout', '-qb', 'change');
  await declare(after);
}
/** What the dev stack is planned with. */
async function plannedWith<Answer>(
  env: NodeJS.ProcessEnv,
  isSpeculative: boolean,
  use: (planned: PlannedWith) => Promise<Answer>,
) {
  const stack = await readDeclaring(directory, 'dev', env);
  return await asUnreviewed({ stack, given: env, env, isSpeculative, files: undefined }, use);
}
const limitsOf = (isSpeculative: boolean) =>
  plannedWith(environment.env, isSpeculative, async ({ contained: { withholdsSecrets }, limits }) => {
    expect(limits.length > 0).toBe(withholdsSecrets);
    return limits.join();
  });
/** What the token of a plan may do, and whether it is left over. */
async function planned(env: NodeJS.ProcessEnv = environment.env) {
  let token = '';
  const policies = await plannedWith(env, false, async ({ env: own }) => {
    token = own['VAULT_TOKEN'] ?? '';
    expect(Object.keys(own)).not.toContain('GATEHOUSE_PLAN_TOKEN');
    const { data } = (await environment.client.with({ token }).read('auth/token/lookup-self')) ?? {
      data: {},
    };
    return data['policies'];
  });
  const isLeft = await environment.client
    .with({ token })
    .read('auth/token/lookup-self')
    .then(
      () => true,
      () => false,
    );
  return { policies, isLeft, isOwn: token === rootToken };
}

describe('the token of a plan', () => {
  const child = { policies: ['default', 'reading'], isLeft: false, isOwn: false };

  test('has the policies that the stack names, and is gone afterwards', async () => {
    await revisions(['reading'], ['reading']);
    expect(await planned()).toEqual(child);
  });

  longTest.each([
    ['names others', ['writing', 'reading']],
    ['names none', undefined],
  ])('has those of the base revision where a change %s', async (_, after) => {
    await revisions(['reading'], after);
    expect(await planned()).toEqual(child);
  });

  longTest('is the one that applies where the base revision names none', async () => {
    await revisions(undefined, ['reading']);
    expect(await planned()).toEqual({ policies: ['root'], isLeft: true, isOwn: true });
  });

  test('is refused where there is no base revision to be found', async () => {
    await changeStack(directory, (config) => {
      config['gatehouse:deployments'] = { planPolicies: ['reading'] };
    });
    await expect(planned()).rejects.toMatchObject({ code: 'plan_policies_unknown' });
  });

  longTest('is refused where a change names none and a tag stands in for the base revision', async () => {
    await revisions(['reading'], undefined);
    git('remote', 'set-head', 'origin', '--delete');
    git('update-ref', 'refs/tags/refs/remotes/origin/HEAD', 'HEAD');
    await expect(planned()).rejects.toMatchObject({ code: 'plan_policies_unknown' });
  });

  test('is that of GATEHOUSE_PLAN_TOKEN, whatever the stack names', async () => {
    await revisions(['writing'], ['writing']);
    const { auth } = await environment.client.post('auth/token/create', { policies: ['reading'] });
    const given = { ...environment.env, GATEHOUSE_PLAN_TOKEN: String(auth?.['client_token']) };
    expect(await planned(given)).toEqual({ ...child, isLeft: true });
  });
});

longTest('the policy in the documentation is enough to plan and to review', async () => {
  const policy = await readFile(join(root, 'docs/reading-token.hcl'), 'utf8');
  await environment.client.put('sys/policies/acl/gatehouse-read', { policy });
  const { auth } = await environment.client.post('auth/token/create', { policies: ['gatehouse-read'] });
  const given = { ...environment.env, GATEHOUSE_PLAN_TOKEN: String(auth?.['client_token']) };
  const reviewer = new PlanReviewer();
  const work = platformWork(directory, given, reviewer, '');
  const { hasChanges, gains, gained } = await work.plan('dev', { isSpeculative: true });
  await reviewer.close();
  expect({ hasChanges, gains }).toEqual({ hasChanges: true, gains: 'some' });
  expect(gained?.join('\n')).not.toContain('permission_denied');
});

longTest('the review is about who applies the plan, with whatever token it was planned', async () => {
  const tokenOf = async (policies: string[]) => {
    const { auth } = await environment.client.post('auth/token/create', { policies });
    return String(auth?.['client_token']);
  };
  await environment.client.put('sys/policies/acl/applying', {
    policy: 'path "*" { capabilities = ["create", "read", "update", "delete", "list", "sudo"] }',
  });
  const [VAULT_TOKEN, GATEHOUSE_PLAN_TOKEN] = [await tokenOf(['applying']), await tokenOf(['reading'])];
  const reviewed: unknown[] = [];
  const reviewer: Pick<PlanReviewer, 'review'> = {
    async review({ options }) {
      reviewed.push(options.deployer?.policies);
      throw new GatehouseError('token_missing');
    },
  };
  const env = { ...environment.env, VAULT_TOKEN, GATEHOUSE_PLAN_TOKEN };
  await platformWork(directory, env, reviewer, '').plan('dev', { isSpeculative: false });
  expect(reviewed).toEqual([['applying', 'default']]);
});

test('a program is planned without the network, unless it reads the keys of a cluster', async () => {
  const isOnline = () => plannedWith(environment.env, false, async ({ contained }) => contained.isOnline);
  expect(await isOnline()).toBe(false);
  await changeStack(directory, (config) => {
    const cluster = config['gatehouse:providers'].find((one: { name: string }) => one.name === 'cluster');
    cluster.apiServer = 'https://10.0.0.1:6443';
  });
  expect(await isOnline()).toBe(true);
});

describe('the secrets of a stack', () => {
  const declareKey = () =>
    changeStack(directory, (config) => {
      config['gatehouse:runTaskKeys'] = { review: 'a key' };
    });

  longTest('are withheld in a speculative run of files that are not on the base revision', async () => {
    await declareKey();
    await revisions(['reading'], ['reading', 'default']);
    expect(await limitsOf(true)).toContain('placeholders');
    git('commit', '-qam', 'two');
    expect(await limitsOf(true)).toContain('placeholders');
    expect(await limitsOf(false)).toBe('');
  });

  longTest('are there on the base revision, and in a folder of no repository', async () => {
    await declareKey();
    expect(await limitsOf(true)).toBe('');
    await revisions(['reading'], ['reading']);
    expect(await limitsOf(true)).toBe('');
  });
});

describe('a change that names another service', () => {
  const address = 'https://elsewhere.example.com:8200';
  const move = () =>
    changeStack(directory, (config) => {
      config['gatehouse:service'].address = address;
    });
  const services = (env: NodeJS.ProcessEnv) =>
    plannedWith(
      { ...environment.env, GATEHOUSE_SERVICE_ADDRESS: undefined, ...env },
      true,
      async (planned) => {
        return planned.contained.services;
      },
    );

  longTest('gets no token, not even that of a plan', async () => {
    await revisions(undefined, undefined);
    await move();
    for (const env of [{}, { GATEHOUSE_PLAN_TOKEN: 'x' }, { VAULT_ADDR: 'https://elsewhere.example.com' }])
      await expect(services(env)).rejects.toMatchObject({
        code: 'token_withheld',
        parts: { given: address },
      });
  });

  longTest('gets one where the base revision or the platform names it', async () => {
    await move();
    expect(await services({ VAULT_ADDR: address })).toEqual([address]);
    await revisions(undefined, undefined);
    expect(await services({})).toEqual([address]);
  });
});

test('a platform says at its start what planning can reach', () => {
  expect(planningReaches({}).join()).toContain('set GATEHOUSE_PLAN_TOKEN');
  expect(planningReaches({ GATEHOUSE_PLAN_TOKEN: 'x' }).join()).not.toContain('GATEHOUSE_PLAN_TOKEN');
});
