import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readWhole } from '../../../packages/cli/src/open/open-graph.ts';
import type { Graph } from '../../../packages/core/src/graph/graph.ts';
import { graphDifferences } from '../../../packages/core/src/graph/graph-difference.ts';
import { composeChanges } from '../../../packages/core/src/review/plan/compose-change.ts';
import type { LiveService } from '../../../packages/core/src/review/plan/live-service.ts';
import { readPulumiPreview } from '../../../packages/core/src/review/plan/read-pulumi-preview.ts';
import { LocalEngine } from '../../../packages/engine/src/local/local-engine.ts';
import { plannedPreview } from '../../../packages/engine/src/planned-steps.ts';
import { readStack } from '../../../packages/engine/src/stack-files/read-stack.ts';
import { startIssuers } from '../../harness/doubles/issuers.ts';
import { startEmbeddedService } from '../../harness/embedded-service.ts';
import { passphrase } from '../../harness/environment-under-test.ts';
import { programEnv } from '../../harness/program-env.ts';
import { writeProject, writeStackFile } from './project.ts';
import { issuersWithSlash, recordedIssuers, recordedService, recordedSteps } from './recording.ts';
import { Replay } from './replay.ts';
import { stateOf } from './service-state.ts';

const steps = recordedSteps();

const hidden = (path: string) =>
  ['mount config', 'tune'].map((part) => `methods auth/${path} ${part} listing_visibility`);

/** What our plugin leaves otherwise, on purpose, from a step on: docs/engines.md#the-vault-plugin. */
const known = [
  {
    why: 'A method without a tuning has the defaults written, which it had not when this was recorded.',
    from: 'make',
    places: hidden('cluster'),
  },
  { why: 'The same.', from: 'ci provider', places: hidden('ci') },
  {
    why: 'Fields that the official plugin never clears: they replace the role now, but did not when this was recorded.',
    from: 'role fields go',
    places: ['claim_mappings /a/b', 'claim_mappings email', 'max_age', 'bound_claims_type'].map(
      (field) => `methods auth/staff roles reader ${field}`,
    ),
  },
  {
    why: 'The official plugin never writes a description that has changed.',
    from: 'method settings',
    places: ['staff mount', 'staff tune', 'enterprise mount', 'enterprise tune'].map(
      (part) => `methods auth/${part} description`,
    ),
  },
];

describe('our plugin leaves the service as the official one left it', () => {
  let issuers: Awaited<ReturnType<typeof startIssuers>>;
  let official: Awaited<ReturnType<typeof startEmbeddedService>>;
  let ours: Awaited<ReturnType<typeof startEmbeddedService>>;
  let replay: Replay;
  let project: string;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    issuers = await startIssuers(issuersWithSlash);
    [official, ours] = [await startEmbeddedService(), await startEmbeddedService()];
    // Roles name the service's own address: it is that of ours on both.
    replay = new Replay(official, { [recordedIssuers]: issuers.address, [recordedService]: ours.address });
    project = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    await writeProject(project);
    env = {
      ...process.env,
      ...programEnv,
      PULUMI_CONFIG_PASSPHRASE: passphrase,
      VAULT_TOKEN: ours.token,
      GATEHOUSE_SERVICE_ADDRESS: ours.address,
      GATEHOUSE_IDENTITY_ADDRESS: issuers.address,
    };
  });
  afterAll(async () => {
    await Promise.all([official.close(), ours.close(), issuers.close()]);
    await rm(project, { recursive: true });
  });

  /** Applies a step with our plugin, and says what a review of its plan takes to be there then. */
  async function apply(step: string): Promise<Map<string, Graph>> {
    const verb: 'up' | 'refresh' | 'destroy' = step === 'destroy' || step === 'refresh' ? step : 'up';
    if (verb === 'up') await writeStackFile(project, step, issuers.address);
    const stack = await readStack(project, 'dev', env);
    const run = async (dryRun: boolean) => {
      const engine = new LocalEngine({ env });
      const result = await engine.run({ verb, stack, dryRun, refresh: false, targets: [] });
      const errors = result.diagnostics.filter(({ severity }) => severity === 'error');
      if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
      return result;
    };
    const plan = readPulumiPreview(plannedPreview(await run(true)));
    const [first, ...rest] = await Promise.all(namespaces.map((one) => readGraph(ours, one)));
    const changes = first === undefined ? [] : composeChanges(plan, { ...first, otherNamespaces: rest });
    await run(false);
    return new Map(changes.map(({ place, change }) => [place.namespace ?? '', change.after]));
  }

  // In this order: a step goes on from those before it.
  test.each(steps.map((one, at) => ({ ...one, at })))('$step', async ({ step, exchanges, at }) => {
    for (const exchange of exchanges) await replay.send(exchange);
    const judged = await apply(step);
    for (const [namespace, graph] of judged) {
      const { graph: left } = await readGraph(ours, namespace);
      // What neither has, a difference shows from one side or the other.
      expect([namespace, ...graphDifferences(graph, left)]).toEqual([namespace]);
      expect([namespace, ...graphDifferences(left, graph)]).toEqual([namespace]);
    }
    const [here, there] = [await stateOf(ours), await stateOf(official)];
    const differing = [...new Set([...here.keys(), ...there.keys()])]
      .filter((place) => here.get(place) !== there.get(place))
      .map((place): [string, unknown] => [place, { here: here.get(place), there: there.get(place) }]);
    const isPast = (from: string) => steps.findIndex((one) => one.step === from) <= at;
    const expected = step === 'destroy' ? [] : known.filter(({ from }) => isPast(from));
    const places = expected
      .flatMap((one) => one.places)
      .map((place): [string, unknown] => [place, expect.anything()]);
    expect(there.size).toBeGreaterThan(step === 'destroy' ? 0 : 300);
    expect(Object.fromEntries(differing)).toEqual(Object.fromEntries(places));
  });
});

const namespaces = ['', 'team', 'team/eu'];

async function readGraph(
  service: Awaited<ReturnType<typeof startEmbeddedService>>,
  namespace: string,
): Promise<LiveService> {
  const address = { address: service.address, namespace };
  const whole = await readWhole(address as never, { VAULT_TOKEN: service.token }, { isMade: true });
  return { namespace, ...whole };
}
