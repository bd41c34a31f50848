import { join } from 'node:path';
import type { RunView } from '@gatehouse/core/run-task';
import { baseRevision } from '../open/at-revision.ts';
import { KeptOutcome, type OutcomeCircumstances } from '../open/kept-outcome.ts';
import { openNamespaces } from '../open/open-environment.ts';
import { documentsOf } from '../open/provider-documents.ts';

/** What the outcome of a start depends on. */
interface StartCircumstances extends Omit<OutcomeCircumstances, 'path' | 'dependsOn'> {
  /** A digest of the service's configuration. */
  configured: () => string;
  /** Origin of the embedded identity provider. What it publishes follows from its files and its address. */
  identityOrigin: string;
}

/**
 * The run of the last start that left nothing to apply. While nothing changes that it depended on, a start need not run the
 * program, plan, and ask the run tasks. It depends on the base revision, what issuers elsewhere publish, and what the service has,
 * as well.
 */
export class LastStart extends KeptOutcome<RunView> {
  constructor(circumstances: StartCircumstances) {
    const { stack, env, configured } = circumstances;
    super({
      ...circumstances,
      path: join(stack.home, 'dev', 'last-start.json'),
      dependsOn: async () => ({
        base: (await baseRevision(stack.directory, env)) ?? null,
        declared: await declaredWithDocuments(circumstances),
        service: configured(),
      }),
    });
  }
}

/** What is declared, with what clusters and issuers elsewhere publish. */
async function declaredWithDocuments({ stack, env, identityOrigin }: StartCircumstances): Promise<unknown> {
  const namespaces = await openNamespaces(stack, env);
  return await Promise.all(
    namespaces.map(async ({ path, graph }) => {
      const elsewhere = [...documentsOf(graph)].filter(
        ([, { hasDiscovery, discoveryUrl }]) =>
          hasDiscovery && URL.parse(discoveryUrl)?.origin !== identityOrigin,
      );
      const published = elsewhere.map(async ([method, documents]) => [
        method,
        (await documents.discovery()).document,
      ]);
      return { path, graph, published: await Promise.all(published) };
    }),
  );
}
