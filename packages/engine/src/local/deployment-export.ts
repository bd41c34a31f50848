import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { type Crypter, passphraseMissing } from '../passphrase.ts';
import type { PropertyJson } from '../property-json.ts';
import { operationToJson, type ResourceState, resourceToJson } from '../resource-state.ts';
import { changedReferences, inDependencyOrder, referencedUrns } from './dependency-graph.ts';
import type { StateStore } from './state-store.ts';

/** The format of `pulumi stack export` and `import` (`sdk/go/common/apitype/core.go`, `UntypedDeployment`). */
interface UntypedDeployment {
  version: 3;
  deployment: { [name: string]: PropertyJson };
}

/**
 * The local engine's state as a Pulumi deployment, version 3. Secrets are encrypted with the stack's passphrase and
 * salt.
 *
 * @throws GatehouseError `passphrase_missing` if there are secrets and no `crypter`
 */
export function exportDeployment(
  state: ReturnType<StateStore['load']>,
  crypter: Crypter | undefined,
  now: Date = new Date(),
): UntypedDeployment {
  const encrypt = (plaintext: string): string => {
    if (crypter === undefined) throw passphraseMissing();
    return crypter.encrypt(plaintext);
  };
  const version = `v${pulumiVersion()}`;
  const resources = inSnapshotOrder(withoutDanglingReferences(state.resources));
  const operations = state.pendingOperations.map((operation) => operationToJson(operation, encrypt));
  return {
    version: 3,
    deployment: {
      manifest: {
        time: now.toISOString(),
        // `Manifest.NewMagic` (`pkg/resource/deploy/manifest.go`).
        magic: createHash('sha256').update(version).digest('hex'),
        version,
      },
      ...(crypter?.salt && { secrets_providers: { type: 'passphrase', state: { salt: crypter.salt } } }),
      ...(resources.length > 0 && {
        resources: resources.map((resource) => resourceToJson(resource, encrypt)),
      }),
      ...(operations.length > 0 && { pending_operations: operations }),
      metadata: {},
    },
  };
}

/**
 * The order that Pulumi's integrity check requires (`Snapshot.VerifyIntegrity`, `pkg/resource/deploy/snapshot.go`):
 * references first, and a live resource before the copies of its URN that are still to be deleted.
 */
export function inSnapshotOrder(resources: ResourceState[]): ResourceState[] {
  const liveFirst = resources.toSorted((a, b) => Number(a.delete) - Number(b.delete));
  const byUrn = Map.groupBy(liveFirst, ({ urn }) => urn);
  return inDependencyOrder(liveFirst, (resource) => {
    return [...referencedUrns(resource), resource.urn].flatMap((urn) => byUrn.get(urn)?.[0] ?? []);
  });
}

/** A partial run may leave references to resources that are gone; Pulumi prunes them too (`Snapshot.Prune`). */
function withoutDanglingReferences(resources: ResourceState[]): ResourceState[] {
  const urns = new Set(resources.map(({ urn }) => urn));
  const present = (urn: string): boolean => urns.has(urn);
  return resources.map((resource) => ({
    ...resource,
    parent: resource.parent !== undefined && present(resource.parent) ? resource.parent : undefined,
    ...changedReferences(resource, (list) => list.filter(present)),
  }));
}

function pulumiVersion(): string {
  const { version }: { version: string } = createRequire(import.meta.url)('@pulumi/pulumi/package.json');
  return version;
}
