import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openNamespaces } from '../../../packages/cli/src/open/open-environment.ts';
import { type NamespaceGraph, tokenPolicies } from '../../../packages/core/src/environment/token-policies.ts';
import { readStack } from '../../../packages/engine/src/stack-files/read-stack.ts';
import { ServiceClient } from '../../../packages/service-client/src/service-client.ts';
import { startIssuers } from '../../harness/doubles/issuers.ts';
import { passphrase } from '../../harness/environment-under-test.ts';
import { describeOnBothServers } from '../../harness/two-servers.ts';
import { until } from '../../harness/until.ts';
import { writeProject, writeStackFile } from './project.ts';
import { issuersWithSlash, recordedIssuers, recordedService, recordedSteps } from './recording.ts';
import { Replay } from './replay.ts';

const steps = recordedSteps();
/** Where a service tells how far it is: it moves methods and deletes namespaces in the background. */
const inBackground = /^sys\/(remount\/status|namespaces)\//;

describeOnBothServers('the deploying token lets the official plugin send all that it sends', (server) => {
  let issuers: Awaited<ReturnType<typeof startIssuers>>;
  let root: ServiceClient;
  let replay: Replay;
  let project: string;
  let state: NamespaceGraph[] = [];
  /** As the plugin signs in: with the token of each step. */
  let signedIn: { address: string; token: string };
  beforeAll(async () => {
    issuers = await startIssuers(issuersWithSlash);
    root = new ServiceClient(server());
    signedIn = { ...server() };
    const { address } = server();
    replay = new Replay(signedIn, { [recordedIssuers]: issuers.address, [recordedService]: address });
    project = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    await writeProject(project);
  });
  afterAll(async () => {
    root.close();
    await issuers.close();
    await rm(project, { recursive: true });
  });

  /** What the stack declares at a step. */
  async function declaredAt(step: string): Promise<NamespaceGraph[]> {
    if (step === 'refresh' || step === 'destroy') return state;
    await writeStackFile(project, step, issuers.address);
    const env = {
      PULUMI_CONFIG_PASSPHRASE: passphrase,
      GATEHOUSE_SERVICE_ADDRESS: server().address,
      GATEHOUSE_IDENTITY_ADDRESS: issuers.address,
    };
    return await openNamespaces(await readStack(project, 'dev', env), env);
  }

  // In this order: a step goes on from those before it.
  test.each(steps)('$step', async ({ step, exchanges }) => {
    const declared = await declaredAt(step);
    const [deploying] = tokenPolicies('dev', { declared, state }, false);
    await root.put(`sys/policies/acl/${deploying?.name}`, { policy: deploying?.text });
    const { auth } = await root.post('auth/token/create', {
      policies: [deploying?.name],
      no_default_policy: true,
    });
    signedIn.token = String(auth?.['client_token']);
    const refused: unknown[] = [];
    for (const exchange of exchanges) {
      let places = await replay.send(exchange);
      if (exchange.method === 'GET' && inBackground.test(exchange.path)) {
        await until(async () => {
          places = await replay.send(exchange);
          return !places.has('status') && !places.has('data.migration_info.status');
        });
      }
      const status = places.get('status');
      if (status !== undefined) refused.push([exchange.method, exchange.path, ...status]);
    }
    expect(refused).toEqual([]);
    state = declared;
  });
});
