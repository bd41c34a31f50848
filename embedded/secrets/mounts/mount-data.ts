import { isMethodType } from '../../../core/model/resources/auth-method.ts';
import type { MountConfig } from './mount.ts';

/** What is known of any mount, of auth methods and of what is built in. */
export interface AnyMount {
  path: string;
  type: string;
  accessor: string;
  description: string;
  uuid: string;
  local: boolean;
  config: Partial<MountConfig>;
  /** Defaults to false. */
  seal_wrap?: boolean;
}

/** A mount as a read or a list of mounts answers it. */
export function mountData({ path: _, config, ...mount }: AnyMount): Record<string, unknown> {
  return {
    external_entropy_access: false,
    options: isMethodType(mount.type) ? {} : null,
    seal_wrap: false,
    ...mount,
    config: { ...config, force_no_cache: false },
  };
}

/** Several mounts by their paths, in order. */
export function mountsData(mounts: AnyMount[]): Record<string, unknown> {
  const entries = mounts.map((mount) => [`${mount.path}/`, mountData(mount)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
