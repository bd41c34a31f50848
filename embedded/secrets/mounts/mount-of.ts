import type { RequestContext } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { getMount, type Mount } from './mount.ts';

/** The mount that a request for `auth/{mount}/…` is about. Asked again after a wait, it says whether it is still there. */
export function mountOf({ storage, request, parameters }: RequestContext): Mount {
  const mount = getMount(storage, request.namespace, parameters['mount'] ?? '');
  if (mount !== undefined) return mount;
  throw new Refusal(404, `no handler for route "${request.path}". route entry not found.`);
}
