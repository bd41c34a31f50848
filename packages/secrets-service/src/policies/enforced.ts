import { attributes, HclError, parsePolicy, pathBlocks, policyProblems } from '@gatehouse/core/graph';

/**
 * Refuses a policy that other servers refuse, or that this service would not enforce as a whole.
 *
 * @param now nanoseconds since 1970
 * @throws HclError in the words of real servers
 */
export function checkEnforced(text: string, now: bigint): void {
  const [refused] = policyProblems(text, 'openbao', now);
  if (refused !== undefined) throw new HclError(refused.words);
  for (const { where, items } of pathBlocks(text)) {
    const unsupported = items.find(({ name }) => attributes[name]?.judged !== 'read');
    if (unsupported !== undefined)
      throw new HclError(`${where}: ${unsupported.name} is not supported by this service`);
  }
  parsePolicy(text);
}
