import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { changes, EnvironmentUnderTest } from '../../../../test/harness/environment-under-test.ts';
import { describeWithPulumi } from '../../../../test/harness/pulumi/pulumi.ts';
import { PulumiProject } from '../../../../test/harness/pulumi/pulumi-project.ts';
import { describeOnEmbeddedService } from '../../../../test/harness/two-servers.ts';
import type { Plugin } from '../../src/plugins/plugin.ts';

/** Acts before a create reaches the service, the nth time. */
function atCreate(nth: number, act: () => void): (plugin: Plugin) => Plugin {
  let left = nth;
  return (plugin) =>
    new Proxy(plugin, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        if (name !== 'create') return value.bind(target);
        return async (request: { preview: boolean }) => {
          if (!request.preview && --left === 0) act();
          return value.call(target, request);
        };
      },
    });
}

/** Of the processes that this one started, those of the CLI. */
function cliPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return stat.includes('(pulumi)') && Number(stat.split(') ')[1]?.split(' ')[1]) === process.pid;
      } catch {
        // It ended meanwhile.
        return false;
      }
    })
    .map(Number);
}

describeOnEmbeddedService('an up by the real CLI that is interrupted', (server) => {
  describeWithPulumi('with a backend in a folder', 'newest', (home) => {
    let environment: EnvironmentUnderTest;
    let project: PulumiProject;
    beforeEach(async () => {
      environment = await EnvironmentUnderTest.start(server());
      project = await PulumiProject.make(home(), environment);
    });
    afterEach(async () => {
      const stack = environment.stack();
      await project.run('destroy', stack);
      await home().pulumi(project.directory, 'stack', 'rm', stack.name, '--yes');
      await environment.close();
    });

    test('by Ctrl-C ends what is under way, says so, and is gone on with', async () => {
      const stack = environment.stack();
      const interrupt = atCreate(12, () => process.emit('SIGINT'));
      const first = await project.run('up', stack, { parallel: 4 }, {}, interrupt);
      expect([first.succeeded, first.canceled]).toEqual([false, true]);
      expect((await project.run('up', stack)).succeeded).toBe(true);
      expect(changes(await project.run('preview', stack, { refresh: true }))).toEqual([]);
    });

    test('by a kill leaves a lock: pulumi cancel, and it is gone on with, with nothing made twice', async () => {
      const stack = environment.stack();
      const kill = atCreate(12, () => {
        for (const pid of cliPids()) process.kill(pid, 'SIGKILL');
        throw new Error('it never reached the service');
      });
      const first = await project.run('up', stack, { parallel: 1 }, {}, kill);
      expect(first.succeeded).toBe(false);
      const locked = await project.run('up', stack);
      expect(locked.diagnostics.map(({ message }) => message).join()).toContain(
        'the stack is currently locked',
      );
      await home().pulumi(project.directory, 'cancel', stack.name, '--yes');
      const { deployment } = await project.exportState(stack);
      expect(deployment.pending_operations).toHaveLength(1);
      expect((await project.run('up', stack)).succeeded).toBe(true);
      expect(changes(await project.run('preview', stack, { refresh: true }))).toEqual([]);
    });
  });
});
