import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { drift } from '../cli/src/drift/drift.ts';
import { readDeclaring } from '../cli/src/open/open-stack.ts';
import { planOfNamespaces } from '../core/test/review/plan/namespaces-plan.ts';
import { requestsOf, writeBare } from './bare-client.ts';
import { type AtEnd, type Bench, figure, mustBe, result } from './frame.ts';
import { largeEnvironment } from './large.ts';
import { measureProcess, runsInTurn } from './processes.ts';
import { type BenchService, cli, environmentOf, makeProject, startService } from './project.ts';
import { record } from './up.ts';

const bareReader = new URL('read-bare.mjs', import.meta.url).pathname;

/**
 * Drift of many namespaces of one service, each with a stack, as the whole command: against a bare client with the same reads.
 * Then the review of one change in all of them.
 */
export const many: Bench = async ({ n = 200, rounds = 3 }, atEnd) => {
  const roles = 50;
  const service = await startService(atEnd);
  const env = environmentOf(service);
  const { directory, namespaces } = await makeNamespaces(n, roles, service, atEnd);
  const reads: { namespace: string; paths: string[] }[] = [];
  for (const namespace of namespaces) {
    const stack = await readDeclaring(directory, namespace, env);
    reads.push({ namespace, paths: await requestsOf(() => drift({ stack, env, unmanaged: false })) });
  }
  const input = JSON.stringify({ ...service, reads });
  for (const { namespace, paths } of reads) {
    const ofRoles = paths.filter((path) => path.startsWith('/v1/auth/cluster/role/'));
    mustBe(`roles that drift reads in ${namespace}`, new Set(ofRoles).size, roles);
  }
  const requests = reads.reduce((sum, { paths }) => sum + paths.length, 0);
  const plan = join(directory, 'plan.json');
  await writeFile(plan, planOfNamespaces({ namespaces: n, roles }));
  const options = { cwd: directory, env };
  let lines = 0;
  const review = async () => {
    const measured = await measureProcess([cli, 'review', plan], options);
    lines = measured.stdout.trimEnd().split('\n').length;
    return measured;
  };
  const of = await runsInTurn(rounds, {
    drift: () => measureProcess([cli, 'drift', '-s', 'team-*', '--parallel', '8'], options),
    bare: () => measureProcess([bareReader], { input }),
    review,
  });
  return [
    figure(`${n} namespaces with ${roles} roles each: requests`, requests),
    figure('drift of all, the whole command', of('drift'), ' s'),
    figure('  CPU time', of('drift', 'cpuSeconds'), ' s'),
    figure('  peak memory', of('drift', 'peakBytes') / 1024 ** 2, ' MB', 400),
    figure('bare client with 16 connections', of('bare'), ' s'),
    figure('  CPU time', of('bare', 'cpuSeconds'), ' s'),
    figure('  ratio', of('drift') / of('bare'), '', 1.3),
    figure('review of one change in all of them', of('review'), ' s', 5),
    figure('  CPU time', of('review', 'cpuSeconds'), ' s'),
    result('  lines of its report', lines, 30),
  ];
};

/** A folder with a stack for each of so many namespaces, whose service has what they declare. */
export async function makeNamespaces(
  length: number,
  roles: number,
  service: BenchService,
  atEnd: AtEnd,
): Promise<{ directory: string; namespaces: string[] }> {
  const environment = largeEnvironment(roles);
  const { directory } = await makeProject(atEnd, 'gatehouse', environment);
  const { registrations } = (await record(environment, atEnd))('', service.address);
  const namespaces = Array.from({ length }, (_, at) => `team-${String(at + 1).padStart(3, '0')}`);
  for (const namespace of namespaces) {
    const created = await fetch(`${service.address}/v1/sys/namespaces/${namespace}`, {
      method: 'PUT',
      headers: { 'X-Vault-Token': service.token },
    });
    if (!created.ok) throw new Error(await created.text());
    await writeBare(registrations, { ...service, namespace });
    const keys = { ...environment, service: { ...environment.service, address: service.address, namespace } };
    const config = Object.fromEntries(
      Object.entries(keys).map(([key, value]) => [`gatehouse:${key}`, value]),
    );
    const text = stringify({ config }, { aliasDuplicateObjects: false });
    await writeFile(join(directory, `Pulumi.${namespace}.yaml`), text);
  }
  return { directory, namespaces };
}
