import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { exportDeployment, inSnapshotOrder } from '../../../engine/local/deployment-export.ts';
import { createCrypter, openCrypter } from '../../../engine/passphrase.ts';
import { Secret } from '../../../engine/property-value.ts';
import type { ResourceState } from '../../../engine/resource-state.ts';
import { resourceFromJson } from '../../../engine/resource-state.ts';
import { resource } from '../arbitraries.ts';

const crypter = await createCrypter('export');
const now = new Date('2026-12-01T00:00:00.123Z');
const urns = (list: ResourceState[]): string[] => list.map(({ urn }) => urn);

describe('a deployment (sdk/go/common/apitype/core.go, DeploymentV3)', () => {
  test('of an empty state holds the manifest and the salt', () => {
    const { version, deployment } = exportDeployment({ resources: [], pendingOperations: [] }, crypter, now);
    expect({ version, deployment }).toEqual({
      version: 3,
      deployment: {
        manifest: {
          time: '2026-12-01T00:00:00.123Z',
          magic: expect.stringMatching(/^[0-9a-f]{64}$/),
          version: expect.stringMatching(/^v3\.\d+\.\d+$/),
        },
        secrets_providers: { type: 'passphrase', state: { salt: crypter.salt } },
        metadata: {},
      },
    });
  });

  test('has the magic that Pulumi computes of its version (pkg/resource/deploy/manifest.go, NewMagic)', () => {
    const { deployment } = exportDeployment({ resources: [], pendingOperations: [] }, crypter, now);
    const { magic, version } = deployment['manifest'] as { magic: string; version: string };
    expect(magic).toBe(createHash('sha256').update(version).digest('hex'));
  });

  test("encrypts secrets with the stack's passphrase and salt", async () => {
    const state = resource('urn:a', { inputs: { token: new Secret('hidden') } });
    const exported = exportDeployment({ resources: [state], pendingOperations: [] }, crypter, now);
    const { decrypt } = await openCrypter('export', crypter.salt);
    const [json] = exported.deployment['resources'] as unknown[];
    expect(resourceFromJson(json, decrypt)).toEqual(state);
  });

  test('holds no secret in clear', () => {
    const state = resource('urn:a', { outputs: { a: [new Secret({ b: 'hidden' })] } });
    const exported = exportDeployment(
      { resources: [state], pendingOperations: [{ type: 'updating', resource: state }] },
      crypter,
      now,
    );
    expect(JSON.stringify(exported)).not.toContain('hidden');
  });

  test('with secrets needs a passphrase', () => {
    const state = resource('urn:a', { inputs: { token: new Secret('hidden') } });
    expect(() => exportDeployment({ resources: [state], pendingOperations: [] }, undefined)).toThrow(
      expect.objectContaining({ code: 'passphrase_missing' }),
    );
  });

  test('without secrets needs none', () => {
    const { deployment } = exportDeployment(
      { resources: [resource('urn:a')], pendingOperations: [] },
      undefined,
    );
    expect(deployment).not.toHaveProperty('secrets_providers');
  });

  test('lists pending operations', () => {
    const state = {
      resources: [],
      pendingOperations: [{ type: 'creating' as const, resource: resource('urn:a') }],
    };
    expect(exportDeployment(state, crypter).deployment['pending_operations']).toEqual([
      { type: 'creating', resource: expect.objectContaining({ urn: 'urn:a' }) },
    ]);
  });

  test('refers to nothing that is not in it (pkg/resource/deploy/snapshot.go, Prune)', () => {
    const state = resource('urn:a', {
      parent: 'urn:gone',
      dependencies: ['urn:gone', 'urn:b'],
      propertyDependencies: { x: ['urn:gone', 'urn:b'] },
    });
    const exported = exportDeployment(
      { resources: [state, resource('urn:b')], pendingOperations: [] },
      crypter,
    );
    expect((exported.deployment['resources'] as unknown[])[1]).toEqual({
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
