import { HclError, invalidKey, modeled, pathBlocks } from '@gatehouse/core/graph';

/** What other servers enforce and this one does not: refused rather than ignored. */
const unsupported = [
  'mfa_methods',
  'control_group',
  'pagination_limit',
  'list_scan_response_keys_filter_path',
];

const capabilities = ['create', 'read', 'update', 'delete', 'list', 'sudo', 'patch', 'scan', 'deny'];

/**
 * Refuses a policy that this service would not enforce as a whole.
 *
 * @throws HclError with a text as real servers have it
 */
export function checkEnforced(text: string): void {
  for (const { where, items } of pathBlocks(text)) {
    for (const item of items) {
      const { name, value } = item;
      if (unsupported.includes(name))
        throw new HclError(`${where}: ${name} is not supported by this service`);
      if (!modeled.includes(name)) throw new HclError(`${where}: ${invalidKey(item).message}`);
      if (name !== 'capabilities' || !Array.isArray(value)) continue;
      const wrong = value.map(String).find((one) => !capabilities.includes(one));
      if (wrong === undefined) continue;
      throw new HclError(`${where}: ${where}: invalid capability ${JSON.stringify(wrong)}`);
    }
  }
}
