import type { Lineage, LoggedPrincipal, LoggedRequest } from './logged-request.ts';

/** What requests of the same kind have in common. */
export interface RequestShape {
  number: number;
  key: string;
  operation: string;
  fields: LoggedRequest['fields'];
}

/** A principal, once for all equal ones. */
export interface Interned {
  number: number;
  principal: LoggedPrincipal;
}

/** How a principal of a line was interned the last time. */
export interface Recent {
  unknown: string | undefined;
  lineage: Lineage | undefined;
  token: string;
  found: Interned;
}
