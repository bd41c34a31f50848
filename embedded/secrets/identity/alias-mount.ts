import { listMounts, tokenMount } from '../mounts/mount.ts';
import type { Storage } from '../storage/storage.ts';

/** The mount that the aliases with this accessor belong to; none once it was disabled: they are orphaned. */
export function mountOfAccessor(
  storage: Storage,
  namespace: string,
  accessor: string,
): { path: string; type: string; local: boolean } | undefined {
  const mounts = [...listMounts(storage, namespace), tokenMount(namespace)];
  return mounts.find((mount) => mount.accessor === accessor);
}
