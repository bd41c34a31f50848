import { globSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { webPod } from '../../examples/workloads/pod.ts';
import { declare } from '../../packages/core/src/environment/declared.ts';
import { kindNamed } from '../../packages/core/src/graph/kinds/kinds.ts';
import type { RoleFields } from '../../packages/core/src/graph/resources/role.ts';
import { specifiedKinds } from '../../packages/core/test/environment/environment-fixture.ts';
import { pipelineKinds } from '../../packages/core/test/graph/kinds/pipeline-kinds.ts';
import { readStack } from '../../packages/engine/src/stack-files/read-stack.ts';
import { buildEnvironment } from '../../stacks/environment.ts';
import { passphrase, root } from '../harness/environment-under-test.ts';
import { longTest } from '../harness/long-run.ts';
import { named, ofType, type Registration, register, secret } from '../harness/pulumi-mocks.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { exampleEnvironment } from './kind-section.ts';

const env = { PULUMI_CONFIG_PASSPHRASE: passphrase };
let folder: string;
beforeAll(async () => {
  folder = temporaryFolder();
});

/** What the program registers with the stack file of an example next to Pulumi.yaml, where its README says to copy it. */
async function registerExample(name: string): Promise<Registration[]> {
  await copyFile(join(root, 'Pulumi.yaml'), join(folder, 'Pulumi.yaml'));
  await copyFile(join(root, `examples/${name}/Pulumi.${name}.yaml`), join(folder, `Pulumi.${name}.yaml`));
  const stack = await readStack(folder, name, env);
  return await register(() => buildEnvironment(root), {
    config: Object.fromEntries([...stack.config].map(([key, { value }]) => [key, value])),
    secretKeys: [...stack.config].filter(([, value]) => value.secret).map(([key]) => key),
  });
}

const podInYaml = async () => parse(await readFile(join(root, 'examples/workloads/pod.yaml'), 'utf8'));

/** Every example that is a stack file to copy. */
const stackFiles = globSync('examples/*/Pulumi.*.yaml', { cwd: root })
  .map((path) => /Pulumi\.(.+)\.yaml$/.exec(path)?.[1] ?? '')
  .filter((name) => name !== 'example')
  .sort();

describe('the examples', () => {
  test('have a provider of every kind of the interface specification', async () => {
    const used = await Promise.all(
      stackFiles.map(async (name) => {
        const { config } = parse(await readFile(join(root, `examples/${name}/Pulumi.${name}.yaml`), 'utf8'));
        return (config['gatehouse:providers'] ?? []).map(({ kind }: { kind: string }) => kindNamed(kind));
      }),
    );
    expect(used.flat()).toEqual(expect.arrayContaining(specifiedKinds));
  });

  longTest.each(stackFiles)(
    '%s registers each of its methods with roles, and no secret but the sample',
    async (name) => {
      const registered = await registerExample(name);
      const methods = ofType(registered, 'AuthBackend');
      expect(methods.length).toBeGreaterThan(0);
      const roles = ofType(registered, 'AuthBackendRole').map(({ inputs }) => inputs['backend']);
      for (const { inputs } of methods) {
        expect(roles).toContain(inputs['path']);
        expect([undefined, secret('replace-me')]).toContainEqual(inputs['oidcClientSecret']);
      }
    },
  );

  test.each(stackFiles)('%s stands in the table of examples/README.md', async (name) => {
    expect(await readFile(join(root, 'examples/README.md'), 'utf8')).toContain(
      `| [${name}/](${name}/Pulumi.${name}.yaml) |`,
    );
  });
});

describe('examples/keycloak', () => {
  test('registers one method with two roles, a group and two policies', async () => {
    const registered = await registerExample('keycloak');
    expect(named(registered, 'staff-mount').inputs).toMatchObject({
      oidcDiscoveryUrl: 'https://id.example.com/realms/main',
      oidcClientSecret: secret('replace-me'),
    });
    expect(ofType(registered, 'AuthBackendRole').map(({ name }) => name)).toEqual([
      'staff-operator',
      'staff-reader',
    ]);
    expect(ofType(registered, 'GroupAlias').map(({ inputs }) => inputs.name)).toEqual(['/admins']);
    expect(ofType(registered, 'Policy').map(({ name }) => name)).toEqual(['secrets-admin', 'secrets-read']);
  });
});

describe('examples/workloads', () => {
  test('registers a role for the service account of its pod', async () => {
    const role = named(await registerExample('workloads'), 'cluster-web').inputs;
    const { metadata, spec } = await podInYaml();
    const token = spec.volumes[0].projected.sources[0].serviceAccountToken;
    expect(role.boundSubject).toBe(`system:serviceaccount:${metadata.namespace}:${spec.serviceAccountName}`);
    expect(role.boundAudiences).toEqual([token.audience]);
    expect(role.tokenTtl).toBeLessThanOrEqual(token.expirationSeconds);
  });

  test('has the same pod as YAML and in TypeScript', async () => {
    const { inputs } = named(await register(webPod), 'web');
    expect(inputs).toEqual(await podInYaml());
  });
});

describe('examples/clusters', () => {
  test('registers a method for each cluster, each with its own keys and issuer', async () => {
    const registered = await registerExample('clusters');
    const [east, west] = ['east', 'west'].map((name) => named(registered, `clusters-${name}-mount`).inputs);
    expect(east).toMatchObject({ path: 'clusters-east', oidcDiscoveryUrl: 'https://east.example.com' });
    expect(west).toMatchObject({ path: 'clusters-west', boundIssuer: 'https://west.example.com' });
    expect(west?.['jwtValidationPubkeys']).toHaveLength(1);
    expect(ofType(registered, 'AuthBackendRole').map(({ name }) => name)).toEqual([
      'clusters-east-web',
      'clusters-west-jobs',
      'clusters-west-web',
    ]);
  });
});

describe('examples/teams', () => {
  test('registers a policy and a group for each use of its template', async () => {
    const registered = await registerExample('teams');
    expect(ofType(registered, 'GroupAlias').map(({ inputs }) => inputs.name)).toEqual([
      '/pay-admins',
      '/shop-admins',
    ]);
    expect(named(registered, 'pay-admin').inputs['policy']).toContain('path "secret/data/pay/*"');
  });
});

describe('jobs of pipelines', () => {
  const expectToBindAnId = ({
    boundClaims = {},
    boundAudiences,
  }: Pick<RoleFields, 'boundClaims' | 'boundAudiences'>) => {
    expect(Object.keys(boundClaims).join()).toMatch(/_id|Uuid|project-id/);
    expect(boundAudiences).toHaveLength(1);
  };

  test('in examples/pipelines have a method each, whose roles bind ids of one of its own', async () => {
    const registered = await registerExample('pipelines');
    expect(ofType(registered, 'AuthBackend')).toHaveLength(6);
    const roles = ofType(registered, 'AuthBackendRole');
    expect(roles).toHaveLength(7);
    for (const { inputs } of roles) expectToBindAnId(inputs);
  });

  test.each(pipelineKinds)('in the example of %s in docs/providers.md have roles that bind ids', (kind) => {
    const { roles } = declare(exampleEnvironment(kind));
    expect(roles.length).toBeGreaterThan(0);
    for (const role of roles) expectToBindAnId(role);
  });
});

describe('examples/any-issuer', () => {
  test('registers a method for people and one for workloads, each with its own keys', async () => {
    const registered = await registerExample('any-issuer');
    expect(named(registered, 'partners-mount').inputs).toMatchObject({
      oidcDiscoveryUrl: 'https://id.partner.example',
      oidcClientSecret: secret('replace-me'),
      jwtSupportedAlgs: ['ES256', 'RS256'],
    });
    expect(named(registered, 'robots-mount').inputs).toMatchObject({
      jwksUrl: 'https://keys.robots.example.com/jwks.json',
      boundIssuer: 'https://robots.example.com',
    });
  });
});
