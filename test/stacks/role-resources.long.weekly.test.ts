import { describe, expect, test } from '@jest/globals';
import type { BoundClaims } from '../../packages/core/src/graph/resources/bound-claims.ts';
import type { DeploymentRequest } from '../../packages/engine/src/engine.ts';
import type { Plugin } from '../../packages/engine/src/plugins/plugin.ts';
import { changes, type DevConfig, environmentFor } from '../harness/environment-under-test.ts';
import { describeWithPulumi } from '../harness/pulumi/pulumi.ts';
import { PulumiProject } from '../harness/pulumi/pulumi-project.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';
import { cliOfRun } from '../harness/weekly-run.ts';

// Our plugin refuses a state of a later schema as the official one does (docs/adr/0010-typed-bound-claims.md).
describe(`a role by the ${cliOfRun} Pulumi`, () => {
  describeOnBothServers('on', (service) => {
    const environment = environmentFor(service);
    const replaced = ['create-replacement cluster-web', 'delete-replaced cluster-web', 'replace cluster-web'];

    const stack = (boundClaims: BoundClaims, fields: object = {}) =>
      environment().stack((config: DevConfig) => {
        const cluster = config['providers'].find(({ name }: { name: string }) => name === 'cluster');
        const web = cluster.roles.find(({ name }: { name: string }) => name === 'web');
        config['providers'] = [{ ...cluster, roles: [{ ...web, ...fields, boundClaims }] }];
        config['clientSecrets'] = {};
        config['serviceAccountKeys'] = {};
        config['promises'] = [];
      });
    const role = async () => (await environment().client.read('auth/cluster/role/web'))?.data;

    describeWithPulumi('a backend in a folder', cliOfRun, (home) => {
      test('goes between its two resources in one step, and is cleared of what no update clears', async () => {
        const project = await PulumiProject.make(home(), environment());
        const compared: string[] = [];
        const seen = (plugin: Plugin): Plugin => {
          const diff = plugin.diff.bind(plugin);
          plugin.diff = async (request) => {
            if (request.urn.endsWith('::cluster-web')) compared.push(request.urn);
            return diff(request);
          };
          return plugin;
        };
        const run = async (verb: DeploymentRequest['verb'], ...given: Parameters<typeof stack>) => {
          const result = await project.run(verb, stack(...given), { refresh: verb === 'preview' }, {}, seen);
          expect([
            result.succeeded,
            result.diagnostics.filter(({ severity }) => severity === 'error'),
          ]).toEqual([true, []]);
          return changes(result);
        };
        /** Applies what was planned, and finds nothing left to do. */
        const up = async (...given: Parameters<typeof stack>) => {
          const reviewed = await project.run('preview', stack(...given));
          compared.length = 0;
          const done = await project.run('up', stack(...given), { reviewed }, {}, seen);
          expect(done.succeeded).toBe(true);
          const asked = compared.length;
          expect(await run('preview', ...given)).toEqual([]);
          return { done: changes(done), asked };
        };

        await run('up', { ref: 'main' }, { claimMappings: { a: 'b' }, maxAge: 60 });
        expect((await up({ ref: 'main' }, { claimMappings: { a: 'c' }, maxAge: 70 })).done).toEqual([
          'update cluster-web',
        ]);
        expect((await up({ ref: 'main' }, { claimMappings: { a: 'c' } })).done).toEqual(replaced);
        expect(await role()).toMatchObject({ claim_mappings: { a: 'c' }, max_age: 0 });

        expect(await up({ ref: true })).toEqual({ done: replaced, asked: 0 });
        expect(await role()).toMatchObject({ bound_claims: { ref: true }, claim_mappings: {} });
        expect(await up({ ref: 'main' })).toEqual({ done: replaced, asked: 0 });
        expect((await role())?.['bound_claims']).toEqual({ ref: ['main'] });

        await environment().client.put('auth/cluster/role/web', {
          ...(await role()),
          claim_mappings: { x: 'y' },
        });
        const found = await project.run('up', stack({ ref: 'main' }), { refresh: true });
        expect(changes(found)).toEqual(expect.arrayContaining(replaced));
        expect((await role())?.['claim_mappings']).toBeFalsy();
        await run('destroy', { ref: 'main' });
        expect(await role()).toBeUndefined();
      });
    });
  });
});
