import type { AuthMethod } from './resources/auth-method.ts';
import type { CustomMessage } from './resources/custom-message.ts';
import type { ExternalGroup, GroupAlias } from './resources/external-group.ts';
import type { Policy } from './resources/policy.ts';
import type { Role } from './resources/role.ts';

/**
 * The login set-up of a secrets service as plain data, tied together by names. An environment worked out to it
 * is the declared state (`declared.ts`); read from a service it is the live state (`live.ts`).
 */
export interface State {
  methods: AuthMethod[];
  roles: Role[];
  groups: ExternalGroup[];
  aliases: GroupAlias[];
  policies: Policy[];
  messages: CustomMessage[];
}
