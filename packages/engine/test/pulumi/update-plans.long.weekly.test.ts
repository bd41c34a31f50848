import { chmod, copyFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type DevConfig, environmentFor } from '../../../../test/harness/environment-under-test.ts';
import { cli } from '../../../../test/harness/pulumi/programs.ts';
import { describeWithPulumi } from '../../../../test/harness/pulumi/pulumi.ts';
import { PulumiProject } from '../../../../test/harness/pulumi/pulumi-project.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { describeOnEmbeddedService } from '../../../../test/harness/two-servers.ts';
import { cliOfRun } from '../../../../test/harness/weekly-run.ts';
import type { Stack } from '../../src/stack.ts';

const ttl = (to: string) => (config: DevConfig) => {
  const staff = config['providers'].find(({ name }: any) => name === 'staff');
  staff.roles.find(({ name }: any) => name === 'reader').ttl = to;
};
/** What changes between the review and the up, and what is said of it. */
const attacks: [what: string, change: (config: DevConfig) => void, message: RegExp][] = [
  [
    'a role gets another policy',
    (config) => {
      const staff = config['providers'].find(({ name }: any) => name === 'staff');
      staff.roles.find(({ name }: any) => name === 'reader').policies = ['secrets-read', 'login-admin'];
    },
    /"staff-reader" \(tokenPolicies\)/,
  ],
  [
    'there is one more role',
    (config) => {
      const cluster = config['providers'].find(({ name }: any) => name === 'cluster');
      cluster.roles.push({ ...cluster.roles[0], name: 'more' });
    },
    // Its provider has it among its outputs: which of the two comes first is chance.
    /"cluster(-more)?"/,
  ],
];

describe(`an up that was reviewed, by the ${cliOfRun} Pulumi`, () => {
  describeOnEmbeddedService('on', (server) => {
    const environment = environmentFor(server);
    describeWithPulumi('a backend in a folder', cliOfRun, (home) => {
      let project: PulumiProject;
      beforeAll(async () => {
        project = await PulumiProject.make(home(), environment());
      });

      const upAfterReviewOf = async (stack: Stack, env: NodeJS.ProcessEnv = {}) => {
        const reviewed = await project.run('preview', stack);
        expect(reviewed.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
        return project.run('up', stack, { reviewed }, { env });
      };

      test('is made as its preview showed it, and raises no alarm', async () => {
        const first = await upAfterReviewOf(environment().stack());
        expect([first.succeeded, first.diagnostics.filter(({ severity }) => severity === 'error')]).toEqual([
          true,
          [],
        ]);
        const next = await upAfterReviewOf(environment().stack(ttl('30m')));
        expect([next.succeeded, next.changes['update']]).toEqual([true, 1]);
      });

      test.each(attacks)(
        'is stopped where %s in between, and says so in one line',
        async (_, change, message) => {
          const changed = environment().stack((config) => {
            ttl('45m')(config);
            change(config);
          });
          // A program on the PATH that writes it as soon as it is called for the up.
          const shim = temporaryFolder();
          const other = join(temporaryFolder(), 'Pulumi.dev.yaml');
          const { directory } = await project.write(changed);
          await copyFile(join(directory, 'Pulumi.dev.yaml'), other);
          const script = `#!/bin/sh\n[ "$1" = up ] && cp '${other}' Pulumi.dev.yaml\nexec '${cli(cliOfRun)}' "$@"\n`;
          await writeFile(join(shim, 'pulumi'), script);
          await chmod(join(shim, 'pulumi'), 0o755);
          const PATH = [shim, project.env['PATH']].join(delimiter);
          const result = await upAfterReviewOf(environment().stack(ttl('45m')), { PATH });
          expect(result.succeeded).toBe(false);
          const shown = result.diagnostics.filter(({ severity }) => severity !== 'debug');
          expect(shown.filter(({ severity }) => severity === 'error')).toEqual([
            expect.objectContaining({
              code: 'step_unplanned',
              message: expect.stringMatching(message),
            }),
          ]);
          // The SDK's complaints about the end are for --verbose.
          expect(shown.filter(({ message }) => /shut down|UNAVAILABLE|callError/.test(message))).toEqual([]);
          const role = await environment().client.read('auth/staff/role/reader');
          expect(role?.data['token_policies']).toEqual(['secrets-read']);
          expect((await environment().live()).roles).not.toContain('cluster/more');
        },
      );
    });
  });
});
