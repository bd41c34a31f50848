import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EnvironmentUnderTest, root } from '../environment-under-test.ts';
import { freePort } from '../services/run-tasks/platform/platform-under-test.ts';
import { describeOnEmbeddedService } from '../two-servers.ts';
import { runCommand, startCommand } from './running-command.ts';

describeOnEmbeddedService(
  'a deployment of the dev stack, gated by the review of the same gatehouse serve',
  (service) => {
    const home = mkdtempSync(join(tmpdir(), 'gatehouse-'));
    let environment: EnvironmentUnderTest;
    let serve: Awaited<ReturnType<typeof startCommand>>;
    let env: NodeJS.ProcessEnv;
    /** Writes the project with one run task, at these stages. */
    let write: (name: string, stages: string, change?: (yaml: string) => string) => Promise<string>;

    beforeAll(async () => {
      environment = await EnvironmentUnderTest.start(service());
      const port = await freePort();
      write = (name, stages, change = (yaml) => yaml) => {
        const task = `{ name: ${name}, url: /integrator/${name}, stages: [${stages}] }`;
        return environment.writeProject((yaml) =>
          change(yaml)
            .replace(/(gatehouse:runTasks:\n).*\n/, `$1    - ${task}\n`)
            .replace(/ {2}gatehouse:runTaskKeys:\n.*\n/, ''),
        );
      };
      writeFileSync(
        join(home, 'endpoints.yaml'),
        'endpoints: [{ name: review, keys: [], stack: dev }, { name: strict, keys: [], stack: dev, failOn: warning }]',
      );
      env = {
        ...environment.env,
        VAULT_ADDR: service().address,
        GATEHOUSE_HOME: home,
        GATEHOUSE_PLATFORM_ADDRESS: `http://127.0.0.1:${port}`,
      };
      const folder = await write('review', 'pre_plan, post_plan, pre_apply, post_apply');
      cpSync(join(root, 'policies'), join(folder, 'policies'), { recursive: true });
      serve = await startCommand(
        ['serve', '--port', `${port}`, '-C', folder, '--endpoints', join(home, 'endpoints.yaml')],
        env,
      );
    });
    afterAll(async () => {
      expect((await serve.stop()).code).toBe(0);
      await environment.close();
      rmSync(home, { recursive: true, force: true });
    });
    const deploy = () => runCommand(['deploy', '-s', 'dev'], env);

    test('is applied where every stage passes, each seen by the integrator', async () => {
      const { code, out, err } = await deploy();
      expect({ code, out, err }).toEqual({ code: 0, out: expect.stringMatching(/Applied\.\n$/), err: '' });
      for (const stage of ['pre_plan', 'post_plan', 'pre_apply', 'post_apply']) {
        expect(out).toContain(`review (${stage}, mandatory) passed: `);
      }
      expect(out).toContain('The service is as declared; everyone can start to sign in.');
      expect(await environment.client.read('auth/partners/role/partner')).toBeDefined();
    });

    test('is stopped where the review of its plan objects, and changes nothing', async () => {
      await write('strict', 'post_plan', (yaml) =>
        yaml
          .replace(/ {4}- kind: hosted_identity_platform\n(?: {6}.*\n)+/, '')
          .replace(/ {4}partners: \{ secure: .*\n/, ''),
      );
      const { code, out } = await deploy();
      expect(code).toBe(2);
      expect(out).toMatch(/strict \(post_plan, mandatory\) failed: /);
      expect(out).toContain('auth/partners');
      expect(await environment.client.read('auth/partners/role/partner')).toBeDefined();
    });
  },
);
