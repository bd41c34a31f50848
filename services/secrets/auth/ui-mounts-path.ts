import type { Reply, RequestContext, SecretsPath } from '../path.ts';
import { listMounts } from './mount.ts';

/**
 * The auth methods that a sign-in page may offer to anyone: those whose `listing_visibility` is `unauth`
 * (openbao/openbao vault/logical_system.go). There, a token makes the list longer; no page here needs that.
 */
export const uiMountsPath: SecretsPath = {
  pattern: 'sys/internal/ui/mounts',
  unauthenticated: true,
  operations: { read: list },
};

function list({ storage, request }: RequestContext): Reply {
  const visible = listMounts(storage, request.namespace).filter(
    ({ config }) => config.listing_visibility === 'unauth',
  );
  const auth = visible.map(({ path, type, description }) => [`${path}/`, { type, description, options: {} }]);
  return { data: { auth: Object.fromEntries(auth), secret: {} } };
}
