import { type Mount, systemTtl } from '../mounts/mount.ts';
import type { Role } from './role.ts';

/** How long tokens live that a role gives now, in seconds: what it leaves open its mount says. No period: 0. */
export function lifetimeOf({ config }: Mount, role: Role): { ttl: number; maxTtl: number; period: number } {
  const longest = config.max_lease_ttl || systemTtl;
  const maxTtl = Math.min(role.token_max_ttl || longest, longest);
  // What a role says beyond the bounds is cut short where tokens are made, with a warning; the mount's default without.
  const ttl = role.token_ttl || Math.min(config.default_lease_ttl || systemTtl, maxTtl);
  return { ttl, maxTtl, period: role.token_period };
}
