import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type NamespaceGraph, tokenPolicies } from '@gatehouse/core/environment';
import { wordsOf } from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';
import type { DeclaredNamespace } from '../open/open-environment.ts';
import type { MadeNamespace } from '../open/open-state.ts';

/** The policies of a stack's tokens, as files. */
export interface TokenPolicyFiles {
  /** The environment's own namespace, where they and the token belong. Absent for the root's. */
  namespace?: string;
  policies: (ReturnType<typeof tokenPolicies>[number] & { file: string })[];
  /** What the stack makes and these policies do not reach, in words. */
  left: string[];
}

/**
 * Writes the least policies of the tokens that deploy, plan and read a stack. It overwrites its earlier files.
 *
 * @param state what the stack made
 * @param isWhole whether they also read what others have on the service
 * @throws GatehouseError `token_policy_broad`, and `file_exists` for a file that it did not write
 */
export async function writeTokenPolicies(
  directory: string,
  stack: string,
  namespaces: readonly (DeclaredNamespace & Partial<MadeNamespace>)[],
  state: readonly NamespaceGraph[] = [],
  isWhole = false,
): Promise<TokenPolicyFiles> {
  const policies = tokenPolicies(stack, { declared: namespaces, state }, isWhole).map((policy) => ({
    ...policy,
    file: `token-policies/${stack}/${policy.use}.hcl`,
  }));
  for (const { file, name } of policies) {
    const before = await readFile(join(directory, file), 'utf8').catch(() => undefined);
    if (before !== undefined && !before.startsWith(`# ${name}: `)) {
      throw new GatehouseError('file_exists', { given: file });
    }
  }
  await mkdir(join(directory, 'token-policies', stack), { recursive: true });
  for (const { file, text } of policies) await writeFile(join(directory, file), text);
  const [own] = namespaces;
  const namespace = own?.environment.service.namespace;
  const left = namespaces.flatMap(({ graph, unseen = [] }) => [
    ...(graph.others ?? []).map(wordsOf),
    ...unseen,
  ]);
  return { ...(namespace && { namespace }), policies, left };
}
