import type { LoggedPrincipal } from '../../../core/usage/audit-line.ts';
import { auditLine as lineOf, start } from './log-lines.ts';

interface Asked {
  path: string;
  operation?: string;
  namespace?: string;
  data?: Record<string, unknown>;
  at?: string;
}

/** A line of an audit log: a request of a principal that was allowed. */
export function auditLine(by: LoggedPrincipal, asked: Asked): string {
  const { path, at = '2026-11-25T12:00:00.5Z', ...more } = asked;
  const { name, entity, role, tokenPolicies, identityPolicies } = by;
  return lineOf({
    ...{ path, ...more, id: `r-${path}`, at: (Date.parse(at) - start) / 1000 },
    by: { name, entity, role, token: [...tokenPolicies], identity: [...identityPolicies] },
  });
}
