import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { environmentFor } from '../../../../test/harness/environment-under-test.ts';
import { run } from '../../../../test/harness/fetched.ts';
import { describeWithPulumi } from '../../../../test/harness/pulumi/pulumi.ts';
import { PulumiProject } from '../../../../test/harness/pulumi/pulumi-project.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { describeOnEmbeddedService } from '../../../../test/harness/two-servers.ts';
import { isObject } from '../../../core/src/graph/values/json.ts';
import { servePlugin } from '../../src/plugins/serve.ts';
import { VaultPlugin } from '../../src/plugins/vault/vault-plugin.ts';
import { readPulumiConfig } from '../../src/pulumi/pulumi-config.ts';
import { update, updatePlan } from './engine-events.ts';

const roleType = 'vault:jwt/authBackendRole:AuthBackendRole';
type Json = Record<string, any>;

/** What a double has and the real one has not, by path; or in another form. Values differ. */
function foreign(double: unknown, real: unknown, path = ''): string[] {
  if (double === null || real === null || path.endsWith('.inputs') || path.endsWith('.outputs')) return [];
  if (typeof double !== typeof real || Array.isArray(double) !== Array.isArray(real)) return [path];
  if (!isObject(double) || !isObject(real)) return [];
  return Object.keys(double).flatMap((key) =>
    key in real ? foreign(double[key], real[key], `${path}.${key}`) : [`${path}.${key}`],
  );
}

describeOnEmbeddedService('the double of the CLI has the form of the real one', (server) => {
  const environment = environmentFor(server);
  describeWithPulumi('the newest', 'newest', (home) => {
    let project: PulumiProject;
    let events: Json[];
    let plan: Json;
    beforeAll(async () => {
      project = await PulumiProject.make(home(), environment());
      await project.run('up', environment().stack());
      const edited = await project.write(
        environment().stack((config) => {
          config['providers'].find(({ name }: any) => name === 'staff').roles[0].ttl = '2h';
        }),
      );
      const plugin = await servePlugin(() => new VaultPlugin(project.env), 'vault', '7.8.0');
      const file = join(temporaryFolder(), 'plan.json');
      const options = ['--json', '--stack', edited.name, '--non-interactive', '--save-plan', file];
      const env = {
        ...project.env,
        PULUMI_DEBUG_PROVIDERS: `vault:${plugin.port}`,
        PULUMI_EXPERIMENTAL: 'true',
        PULUMI_ENABLE_STREAMING_JSON_PREVIEW: 'true',
      };
      const { stdout } = await run('pulumi', ['preview', ...options], {
        cwd: edited.directory,
        env,
        maxBuffer: 256 * 1024 * 1024,
      });
      await plugin.close();
      const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
      events = lines.map((line) => JSON.parse(line));
      plan = JSON.parse(readFileSync(file, 'utf8'));
    });

    test('in its events', () => {
      const doubled: Json[] = update(true)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      for (const kind of [
        'preludeEvent',
        'resourcePreEvent',
        'resOutputsEvent',
        'summaryEvent',
        'cancelEvent',
      ]) {
        const isUpdate = (event: Json) =>
          event[kind] !== undefined &&
          (event[kind].metadata === undefined || event[kind].metadata.type === roleType) &&
          (event[kind].metadata === undefined || event[kind].metadata.op === 'update');
        const [double, real] = [doubled.find(isUpdate), events.find(isUpdate)];
        expect([kind, foreign(double, real)]).toEqual([kind, []]);
      }
    });

    test('in its plan', () => {
      const updated = ({ resourcePlans }: Json) =>
        Object.entries<Json>(resourcePlans).find(
          ([urn, { steps }]) => urn.includes(roleType) && steps[0] === 'update',
        )?.[1];
      const [double, real] = [updated(updatePlan()), updated(plan)];
      const { propertyDependencies: _, ...goal } = double?.['goal'] ?? {};
      expect(foreign({ ...double, goal: { ...goal, inputDiff: {} } }, real)).toEqual([]);
      expect(real?.['goal'].inputDiff).toEqual({ updates: { tokenTtl: 7200 } });
      expect(foreign({ ...updatePlan(), resourcePlans: {} }, plan)).toEqual([]);
    });

    test('in the configuration that it shows', async () => {
      const stack = await project.write(environment().stack());
      const config = await readPulumiConfig(stack, project.env);
      expect(Object.fromEntries(config)).toEqual(
        Object.fromEntries(
          [...environment().stack().config].map(([key, value]) => [key, expect.objectContaining(value)]),
        ),
      );
    });
  });
});
