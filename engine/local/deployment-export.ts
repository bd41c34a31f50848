import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { type Crypter, passphraseMissing } from '../passphrase.ts';
import type { Json } from '../property-json.ts';
import type { PendingOperation, ResourceState } from '../resource-state.ts';
import { operationToJson, resourceToJson } from '../resource-state.ts';
import { parsePluginReference } from '../urn.ts';

interface LocalState {
  resources: ResourceState[];
  pendingOperations: PendingOperation[];
}

/** What `pulumi stack export` prints and `pulumi stack import` takes (`sdk/go/common/apitype/core.go`, `UntypedDeployment`). */
export interface UntypedDeployment {
  version: 3;
  deployment: { [name: string]: Json };
}

/**
 * The local engine's state as a Pulumi deployment, version 3. Secrets are encrypted with the stack's
 * passphrase and salt; resources stand in an order that Pulumi's integrity check accepts.
 *
 * @throws GatehouseError `passphrase_missing` when there are secrets and no `crypter`
 */
export function exportDeployment(
  state: LocalState,
  crypter: Crypter | undefined,
  now: Date = new Date(),
): UntypedDeployment {
  const encrypt = (plaintext: string): string => {
    if (crypter === undefined) throw passphraseMissing();
    return crypter.encrypt(plaintext);
  };
  const version = `v${pulumiVersion()}`;
  const resources = inDependencyOrder(withoutDanglingReferences(state.resources));
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
      ...(crypter && { secrets_providers: { type: 'passphrase', state: { salt: crypter.salt } } }),
      ...(resources.length > 0 && {
        resources: resources.map((resource) => resourceToJson(resource, encrypt)),
      }),
      ...(operations.length > 0 && { pending_operations: operations }),
      metadata: {},
    },
  };
}

/**
 * Parents, plugin resources and dependencies before what refers to them, otherwise in the order given; the
 * resource that is in use before others of its URN that are still to be deleted (`Snapshot.VerifyIntegrity`,
 * `pkg/resource/deploy/snapshot.go`).
 */
export function inDependencyOrder(resources: ResourceState[]): ResourceState[] {
  const byUrn = new Map<string, ResourceState[]>();
  const live = resources.filter((resource) => !resource.delete);
  const pendingDeletion = resources.filter((resource) => resource.delete);
  for (const resource of [...live, ...pendingDeletion]) {
    const sameUrn = byUrn.get(resource.urn);
    if (sameUrn) sameUrn.push(resource);
    else byUrn.set(resource.urn, [resource]);
  }
  const ordered = new Set<ResourceState>();
  const visiting = new Set<ResourceState>();
  const visit = (resource: ResourceState): void => {
    if (visiting.has(resource)) return;
    visiting.add(resource);
    for (const urn of references(resource)) {
      const [target] = byUrn.get(urn) ?? [];
      if (target) visit(target);
    }
    const [first] = byUrn.get(resource.urn) ?? [];
    if (first) visit(first);
    ordered.add(resource);
  };
  for (const resource of [...live, ...pendingDeletion]) visit(resource);
  return [...ordered];
}

/** A partial run may leave references to what is gone; Pulumi prunes them likewise (`Snapshot.Prune`). */
function withoutDanglingReferences(resources: ResourceState[]): ResourceState[] {
  const urns = new Set(resources.map(({ urn }) => urn));
  const present = (urn: string): boolean => urns.has(urn);
  return resources.map((resource) => ({
    ...resource,
    parent: resource.parent !== undefined && present(resource.parent) ? resource.parent : undefined,
    dependencies: resource.dependencies.filter(present),
    propertyDependencies: Object.fromEntries(
      Object.entries(resource.propertyDependencies).map(([name, list]) => [name, list.filter(present)]),
    ),
  }));
}

function* references(resource: ResourceState): Generator<string> {
  if (resource.parent !== undefined) yield resource.parent;
  if (resource.provider !== undefined) yield parsePluginReference(resource.provider).urn;
  yield* resource.dependencies;
  for (const list of Object.values(resource.propertyDependencies)) yield* list;
}

/** Of the SDK whose format this is. */
function pulumiVersion(): string {
  const { version }: { version: string } = createRequire(import.meta.url)('@pulumi/pulumi/package.json');
  return version;
}
