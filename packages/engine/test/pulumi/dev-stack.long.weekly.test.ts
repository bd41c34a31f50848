import { describe, expect, test } from '@jest/globals';
import { changes, environmentFor } from '../../../../test/harness/environment-under-test.ts';
import { describeWithPulumi } from '../../../../test/harness/pulumi/pulumi.ts';
import { PulumiProject } from '../../../../test/harness/pulumi/pulumi-project.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { cliOfRun } from '../../../../test/harness/weekly-run.ts';

describe(`the dev stack by the ${cliOfRun} Pulumi`, () => {
  describeOnBothServers('on', (server) => {
    const environment = environmentFor(server);
    describeWithPulumi('a backend in a folder', cliOfRun, (home) => {
      test('is made, then nothing changes, and a refresh finds nothing', async () => {
        const project = await PulumiProject.make(home(), environment());
        const stack = environment().stack();
        const before = await environment().live();
        const succeeded = async (...given: Parameters<PulumiProject['run']>) => {
          const result = await project.run(...given);
          const errors = result.diagnostics.filter(({ severity }) => severity === 'error');
          expect([result.succeeded, errors]).toEqual([true, []]);
          return result;
        };
        expect(changes(await succeeded('up', stack)).length).toBeGreaterThan(40);
        expect(changes(await succeeded('preview', stack))).toEqual([]);
        expect(changes(await succeeded('refresh', stack))).toEqual([]);
        expect(changes(await succeeded('preview', stack, { refresh: true }))).toEqual([]);
        await succeeded('destroy', stack);
        expect(await environment().live()).toEqual(before);
      });
    });
  });
});
