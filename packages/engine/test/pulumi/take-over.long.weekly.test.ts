import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { changes, EnvironmentUnderTest } from '../../../../test/harness/environment-under-test.ts';
import { describeWithPulumi } from '../../../../test/harness/pulumi/pulumi.ts';
import { PulumiProject } from '../../../../test/harness/pulumi/pulumi-project.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { LocalEngine } from '../../src/local/local-engine.ts';
import { resourceFromJson } from '../../src/resource-state.ts';
import { MemoryStateStore } from '../local/memory-state-store.ts';

describeOnBothServers('a stack goes over', (server) => {
  describeWithPulumi('between the engines', 'newest', (home) => {
    let environment: EnvironmentUnderTest;
    let project: PulumiProject;
    beforeEach(async () => {
      environment = await EnvironmentUnderTest.start(server());
      project = await PulumiProject.make(home(), environment);
    });
    afterEach(async () => {
      const stack = { ...environment.stack(), directory: project.directory };
      await project.run('destroy', stack);
      await home().pulumi(project.directory, 'stack', 'rm', stack.name, '--yes');
      await environment.close();
    });

    test('from the local engine: nothing is made anew, and the CLI goes on with it', async () => {
      const stack = environment.stack();
      await environment.up(stack);
      const state = await new LocalEngine({ env: environment.env }).exportState(stack);
      const { directory } = await project.write(stack);
      const file = join(temporaryFolder(), 'state.json');
      writeFileSync(file, JSON.stringify(state));
      await home().pulumi(directory, 'stack', 'import', '--stack', stack.name, '--file', file);
      expect(changes(await project.run('preview', stack, { refresh: true }))).toEqual([]);
      const edited = environment.stack((config) => {
        config['providers'].find(({ name }: any) => name === 'staff').roles[0].ttl = '45m';
      });
      expect(changes(await project.run('up', edited))).toEqual(['update staff-reader']);
    });

    test('to the local engine: it finds nothing to change', async () => {
      const stack = environment.stack();
      expect((await project.run('up', stack)).succeeded).toBe(true);
      const { deployment } = await project.exportState(stack);
      const store = new MemoryStateStore();
      // The secrets of the dev stack are all the same.
      for (const resource of deployment.resources) {
        store.record({ put: [resourceFromJson(resource, () => '"gatehouse-development-only"')] });
      }
      const engine = new LocalEngine({ env: environment.env, openStore: () => store });
      const plan = { stack, dryRun: true, refresh: true, targets: [] };
      expect(changes(await engine.run({ verb: 'preview', ...plan }))).toEqual([]);
    });
  });
});
