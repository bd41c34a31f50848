import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { developmentPassphrase, startDev } from '../cli/src/dev/dev.ts';
import { readStack } from '../engine/src/stack-files/read-stack.ts';
import { type Bench, figure, inTurn, median, mustBe } from './frame.ts';
import { runExecutor, startInstantMonitor } from './instant-monitor.ts';
import { largeEnvironment, largePlan, resourcesOf } from './large.ts';
import { type MeasuredRun, measureProcess, runsInTurn } from './processes.ts';
import { apply, cli, environmentOf, makeProject, makeScratch, root, startService } from './project.ts';

/** The process `gatehouse preview -s dev` without changes, and its parts as separate processes. */
export const start: Bench = async ({ rounds = 7 }, atEnd) => {
  const home = await makeScratch(atEnd);
  const base = { ...process.env, PULUMI_CONFIG_PASSPHRASE: developmentPassphrase, GATEHOUSE_HOME: home };
  const ports = { port: 0, runTaskPort: 0, identityPort: 0 };
  const dev = await startDev({ directory: root, env: base, version: '0', ...ports });
  atEnd(() => dev.close());
  const monitor = await startInstantMonitor();
  atEnd(monitor.close);
  const addresses = {
    GATEHOUSE_SERVICE_ADDRESS: dev.address,
    GATEHOUSE_IDENTITY_ADDRESS: dev.identityAddress,
  };
  const env = { ...base, VAULT_TOKEN: dev.token, ...addresses };
  const stack = await readStack(root, 'dev', env);
  // As the engine has it.
  const cached = { ...env, NODE_COMPILE_CACHE: join(home, 'compile-cache') };
  const run = (...args: string[]) => measureProcess(args, { cwd: root, env });
  const time = await runsInTurn(rounds, {
    preview: () => noChange(root, env, 'dev'),
    node: () => run('-e', '0'),
    command: () => run(cli, '--version'),
    state: () => run(cli, 'state', 'export', '-s', 'dev'),
    program: () => runExecutor(stack, monitor.address, cached),
  });
  const rest = time('preview') - time('state') - time('program');
  return [
    figure('gatehouse preview -s dev, no change', time('preview'), ' s', 4),
    figure('  of it: Node', time('node'), ' s'),
    figure('  of it: Node and the command line', time('command'), ' s'),
    figure('  of it: these, the engine loaded, stack and state read', time('state'), ' s'),
    figure('  of it: the program, alone with a monitor that answers at once', time('program'), ' s'),
    figure('  the rest: checks of the service, the engine at work', rest, ' s'),
  ];
};

const megabyte = 1024 ** 2;

/**
 * The process `gatehouse preview` of a large environment without changes, against the SDK's executor alone, with a
 * plain program of the same resources and the instant monitor.
 */
export const preview: Bench = async ({ n = 1000, rounds = 5 }, atEnd) => {
  const environment = largeEnvironment(n);
  const own = await makeProject(atEnd, 'gatehouse', environment);
  const plain = await makeProject(atEnd, 'plain', environment);
  const env = environmentOf(await startService(atEnd));
  const registered = new Set<string>();
  const monitor = await startInstantMonitor({ onRegistration: (urn) => registered.add(urn) });
  atEnd(monitor.close);
  await apply(own, env);
  const of = await runsInTurn(rounds, {
    gatehouse: () => noChange(own.directory, env, 'bench', resourcesOf(n)),
    executor: () => runExecutor(plain, monitor.address),
  });
  // The stack, its mount and its policy as well.
  mustBe('resources of the plain program', registered.size, resourcesOf(n) + 3);
  return [
    figure('gatehouse preview', of('gatehouse'), ' s', 8),
    figure("SDK's executor alone, plain program, instant monitor", of('executor'), ' s'),
    figure('ratio', of('gatehouse') / of('executor'), '', 0.3),
    figure('CPU time of both processes', of('gatehouse', 'cpuSeconds'), ' s'),
    figure("CPU time of the SDK's executor alone", of('executor', 'cpuSeconds'), ' s'),
    figure('peak memory, engine process', of('gatehouse', 'peakBytes') / megabyte, ' MB', 500),
    figure('peak memory, program', of('gatehouse', 'childPeakBytes') / megabyte, ' MB', 500),
    figure('peak memory, both together', of('gatehouse', 'peakTogetherBytes') / megabyte, ' MB', 500),
    figure("peak memory, SDK's executor alone", of('executor', 'peakBytes') / megabyte, ' MB'),
  ];
};

/** @throws Error if the preview finds changes, or fewer resources than so many */
async function noChange(
  cwd: string,
  env: NodeJS.ProcessEnv,
  stack: string,
  atLeast = 1,
): Promise<MeasuredRun> {
  const run = await measureProcess([cli, 'preview', '-s', stack, '--json'], { cwd, env });
  const { same, ...changed } = JSON.parse(run.stdout).changeSummary;
  mustBe('changes that the preview found', Object.keys(changed).join(', '), '');
  mustBe(`${same} resources are at least ${atLeast}`, same >= atLeast, true);
  return run;
}

/** The process `gatehouse review PLAN.json`, over a Terraform plan in which every third resource changes. */
export const review: Bench = async ({ n = 5000, rounds = 5 }, atEnd) => {
  const cwd = await makeScratch(atEnd);
  const plan = join(cwd, 'plan.json');
  const written = largePlan(n);
  await writeFile(plan, JSON.stringify(written));
  const changing = written.resource_changes.filter(({ change }) => change.actions[0] !== 'no-op');
  const run = async () => {
    const measured = await measureProcess([cli, 'review', plan, '--json', '--fail-on', 'error'], { cwd });
    mustBe('resources that change', JSON.parse(measured.stdout).resources.changed, changing.length);
    return measured;
  };
  const { runs } = await inTurn(rounds, { runs: run });
  return [
    figure(`review of ${n} resources`, median(runs.map(({ seconds }) => seconds)), ' s', 2),
    figure('largest memory', Math.max(...runs.map(({ peakBytes }) => peakBytes)) / 1e6, ' MB', 300),
    figure('signing it and checking that, once, cold', await timeSigned(JSON.stringify(written)), ' ms', 50),
  ];
};

/** Milliseconds of processor time for the statement of a plan's review, with what it loads. */
async function timeSigned(plan: string): Promise<number> {
  const [{ readPlan }, { review: judge }] = await Promise.all([
    import('../core/src/review/plan/read-plan.ts'),
    import('../core/src/review/review.ts'),
  ]);
  const now = new Date();
  const judged = judge(readPlan(plan), { now: BigInt(now.getTime()) * 1_000_000n });
  const keys = generateKeyPairSync('ed25519');
  const pem = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const key = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const change = { name: 'tfplan', digest: '0'.repeat(64) };
  const policy = {
    signers: [{ name: 'alice', key, until: '2999-12-31' }],
    maxAge: 60,
    failed: true,
    administration: 1,
  };
  const start = process.cpuUsage();
  const { requireReview, signerOf, statementOf } = await import('../core/src/statement/index.ts');
  const circumstances = { version: '0', now, judgedOn: { source: 'plan' } } as const;
  const text = await signerOf(pem).sign(statementOf(change, judged, circumstances));
  mustBe('signers', requireReview(change, [{ name: 'one', text }], { policy }, now).length, 1);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
