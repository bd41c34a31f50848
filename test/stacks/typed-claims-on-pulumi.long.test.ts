import { expect, test } from '@jest/globals';
import { checkPlan } from '../../packages/cli/src/deployment/check-plan.ts';
import { reviewDeployment, reviewSettings } from '../../packages/cli/src/review/review-stack.ts';
import type { BoundClaims } from '../../packages/core/src/graph/resources/bound-claims.ts';
import { readBudget } from '../../packages/core/src/graph/values/budget.ts';
import type { Plugin } from '../../packages/engine/src/plugins/plugin.ts';
import { Secret } from '../../packages/engine/src/property-value.ts';
import { changes, type DevConfig, environmentFor } from '../harness/environment-under-test.ts';
import { describeWithPulumi } from '../harness/pulumi/pulumi.ts';
import { PulumiProject } from '../harness/pulumi/pulumi-project.ts';
import { describeOnEmbeddedService } from '../harness/two-servers.ts';

describeOnEmbeddedService('a role whose body the state holds encrypted', (service) => {
  const environment = environmentFor(service);
  const stack = (boundClaims: BoundClaims) =>
    environment().stack((config: DevConfig) => {
      const cluster = config['providers'].find(({ name }: { name: string }) => name === 'cluster');
      const web = cluster.roles.find(({ name }: { name: string }) => name === 'web');
      config['providers'] = [{ ...cluster, roles: [{ ...web, boundClaims }] }];
      config['clientSecrets'] = {};
      config['serviceAccountKeys'] = {};
      config['promises'] = [];
    });
  /** As the official plugin does, it says that the body of a write is a secret. */
  const hiding = (plugin: Plugin): Plugin => {
    const check = plugin.check.bind(plugin);
    plugin.check = async (request) => {
      const { inputs, ...rest } = await check(request);
      const { dataJson } = inputs;
      if (typeof dataJson !== 'string') return { ...rest, inputs };
      return { ...rest, inputs: { ...inputs, dataJson: new Secret(dataJson) } };
    };
    return plugin;
  };

  describeWithPulumi('with a backend in a folder', 'newest', (home) => {
    test('is the own role of the stack, from typed claims to texts and back', async () => {
      const project = await PulumiProject.make(home(), environment());
      const { env } = environment();
      const up = async (boundClaims: BoundClaims) => {
        const written = await project.write(stack(boundClaims));
        const reviewed = await project.run('preview', written, {}, {}, hiding);
        const { options } = await reviewSettings(written, env, { budget: readBudget });
        const { taken, findings } = await reviewDeployment(written, reviewed, options, env);
        const { failures } = await checkPlan(written, reviewed, env);
        const result = await project.run('up', written, { reviewed }, {}, hiding);
        const unjudged = findings.filter(({ rule }) => rule === 'cannot-be-judged' || rule === 'takes-over');
        return { taken, failures, unjudged, succeeded: result.succeeded, changes: changes(result) };
      };
      const replaced = [
        'create-replacement cluster-web',
        'delete-replaced cluster-web',
        'replace cluster-web',
      ];
      const fine = { taken: [], failures: [], unjudged: [], succeeded: true };
      expect(await up({ b: true })).toMatchObject(fine);
      expect(await up({ b: false })).toEqual({ ...fine, changes: ['update cluster-web'] });
      expect(await up({ b: 'x' })).toEqual({ ...fine, changes: replaced });
      expect(await up({ b: true })).toEqual({ ...fine, changes: replaced });
    });
  });
});
