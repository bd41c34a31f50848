import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { exportDeployment, inSnapshotOrder } from '../../src/local/deployment-export.ts';
import { createCrypter, openCrypter } from '../../src/passphrase.ts';
import { Secret } from '../../src/property-value.ts';
import { type PendingOperation, type ResourceState, resourceFromJson } from '../../src/resource-state.ts';
import { resource } from '../arbitraries.ts';

const crypter = await createCrypter('export');
const now = new Date('2026-12-01T00:00:00.123Z');
const urns = (list: ResourceState[]): string[] => list.map(({ urn }) => urn);
const exported = (resources: ResourceState[], pendingOperations: PendingOperation[] = []) =>
  exportDeployment({ resources, pendingOperations }, crypter, now);
const withoutPassphrase = (resources: ResourceState[]) =>
  exportDeployment({ resources, pendingOperations: [] }, undefined);

describe('a deployment (sdk/go/common/apitype/core.go, DeploymentV3)', () => {
  test('of an empty state holds the manifest, with the magic of its version, and the salt', () => {
    const version = expect.stringMatching(/^v3\.\d+\.\d+$/);
    const { version: format, deployment } = exported([]);
    const manifest = deployment['manifest'] as Record<string, string>;
    // pkg/resource/deploy/manifest.go, NewMagic.
    const magic = createHash('sha256').update(String(manifest['version'])).digest('hex');
    expect({ format, deployment }).toEqual({
      format: 3,
      deployment: {
        manifest: { time: '2026-12-01T00:00:00.123Z', magic, version },
        secrets_providers: { type: 'passphrase', state: { salt: crypter.salt } },
        metadata: {},
      },
    });
  });

  test("encrypts secrets with the stack's passphrase and salt", async () => {
    const state = resource('urn:a', { inputs: { token: new Secret('hidden') } });
    const { decrypt } = await openCrypter('export', crypter.salt);
    const [json] = exported([state]).deployment['resources'] as unknown[];
    expect(resourceFromJson(json, decrypt)).toEqual(state);
  });

  test('holds no secret in clear', () => {
    const state = resource('urn:a', { outputs: { a: [new Secret({ b: 'hidden' })] } });
    const text = JSON.stringify(exported([state], [{ type: 'updating', resource: state }]));
    expect(text).not.toContain('hidden');
  });

  test('needs a passphrase where there are secrets', () => {
    const state = resource('urn:a', { inputs: { token: new Secret('hidden') } });
    expect(() => withoutPassphrase([state])).toThrow(expect.objectContaining({ code: 'passphrase_missing' }));
    expect(withoutPassphrase([resource('urn:a')]).deployment).not.toHaveProperty('secrets_providers');
  });

  test('lists pending operations', () => {
    const { deployment } = exported([], [{ type: 'creating', resource: resource('urn:a') }]);
    expect(deployment['pending_operations']).toEqual([
      { type: 'creating', resource: expect.objectContaining({ urn: 'urn:a' }) },
    ]);
  });

  test('refers to nothing that is not in it (pkg/resource/deploy/snapshot.go, Prune)', () => {
    const state = resource('urn:a', {
      parent: 'urn:gone',
      dependencies: ['urn:gone', 'urn:b'],
      propertyDependencies: { x: ['urn:gone', 'urn:b'] },
    });
    const { resources } = exported([state, resource('urn:b')]).deployment as { resources: unknown[] };
    expect(resources[1]).toEqual({
      urn: 'urn:a',
      custom: true,
      id: 'id of urn:a',
      type: 'test:index:Thing',
      dependencies: ['urn:b'],
      propertyDependencies: { x: ['urn:b'] },
    });
  });
});

describe('the order of resources (pkg/resource/deploy/snapshot.go, VerifyIntegrity)', () => {
  test('is the one given where nothing refers to a later one', () => {
    expect(urns(inSnapshotOrder([resource('c'), resource('a'), resource('b')]))).toEqual(['c', 'a', 'b']);
  });

  test.each([
    ['a parent', { parent: 'b' }],
    ['a plugin resource', { provider: 'b::some-id' }],
    ['a dependency', { dependencies: ['b'] }],
    ['a dependency of a property', { propertyDependencies: { x: ['b'] } }],
  ])('%s comes before', (_, fields) => {
    expect(urns(inSnapshotOrder([resource('a', fields), resource('b')]))).toEqual(['b', 'a']);
  });

  test('the resource in use comes before one of its URN that is still to be deleted', () => {
    const old = resource('a', { delete: true });
    const current = resource('a');
    expect(inSnapshotOrder([old, current])).toEqual([current, old]);
  });

  test('a resource in use that refers to one still to be deleted comes after it', () => {
    const list = [resource('a', { dependencies: ['b'] }), resource('b', { delete: true })];
    expect(urns(inSnapshotOrder(list))).toEqual(['b', 'a']);
  });
});
