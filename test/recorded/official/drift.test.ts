import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { drift } from '../../../packages/cli/src/drift/drift.ts';
import { subjectName } from '../../../packages/core/src/graph/subject.ts';
import { readStack } from '../../../packages/engine/src/stack-files/read-stack.ts';
import { startIssuers } from '../../harness/doubles/issuers.ts';
import { passphrase } from '../../harness/environment-under-test.ts';
import { describeOnEmbeddedService } from '../../harness/two-servers.ts';
import { writeProject, writeStackFile } from './project.ts';
import { issuersWithSlash, recordedIssuers, recordedService, recordedSteps } from './recording.ts';
import { Replay } from './replay.ts';

const steps = recordedSteps().filter(({ step }) => step !== 'destroy');

/** What the plugin should have changed and did not, from a step on: it stays drift. */
const kept = [
  {
    from: 'role fields go',
    fields: ['boundClaimsType', 'claimMappings', 'maxAge'].map((field) => `role staff/reader: ${field}`),
  },
  {
    from: 'method settings',
    fields: ['staff', 'enterprise'].map((path) => `method ${path}: description`),
  },
];

describeOnEmbeddedService('what the official plugin leaves on a service is no drift', (server) => {
  let issuers: Awaited<ReturnType<typeof startIssuers>>;
  let replay: Replay;
  let project: string;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    issuers = await startIssuers(issuersWithSlash);
    replay = new Replay(server(), {
      [recordedIssuers]: issuers.address,
      [recordedService]: server().address,
    });
    project = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    await writeProject(project);
    env = {
      ...process.env,
      PULUMI_CONFIG_PASSPHRASE: passphrase,
      VAULT_TOKEN: server().token,
      GATEHOUSE_SERVICE_ADDRESS: server().address,
      GATEHOUSE_IDENTITY_ADDRESS: issuers.address,
    };
  });
  afterAll(async () => {
    await issuers.close();
    await rm(project, { recursive: true });
  });

  // In this order: a step goes on from those before it.
  test.each(steps.map((one, at) => ({ ...one, at })))('$step', async ({ step, exchanges, at }) => {
    for (const exchange of exchanges) await replay.send(exchange);
    if (step !== 'refresh') await writeStackFile(project, step, issuers.address);
    const stack = await readStack(project, 'dev', env);
    const { differences } = await drift({ stack, env, unmanaged: false });
    const isPast = (from: string) => steps.findIndex((one) => one.step === from) <= at;
    expect(differences.map(({ subject, field }) => `${subjectName(subject)}: ${field}`).sort()).toEqual(
      kept.flatMap(({ from, fields }) => (isPast(from) ? fields : [])).sort(),
    );
  });
});
