import type { AccessChange } from '../../access/access-change.ts';
import type { Graph } from '../../graph/graph.ts';
import { methodAt, roleNamed } from '../../graph/parts-by-name.ts';
import type { AuthMethod } from '../../graph/resources/auth-method.ts';
import type { Role } from '../../graph/resources/role.ts';
import { giverWords } from '../../words/giver-words.ts';
import type { Subject } from './finding.ts';

/** The role that an access change is about, with its method; undefined where it is about something else. */
export function roleOf(
  { principals }: AccessChange,
  { roles, methods }: Graph,
): { role: Role; method: AuthMethod | undefined } | undefined {
  const role = principals.kind === 'role' ? roleNamed(roles, principals) : undefined;
  return role && { role, method: methodAt(methods, role.method) };
}

/** The principals of an access change, as the subject of a finding. */
export function subjectOf({ principals: { kind, method, name, group, picked } }: AccessChange): Subject {
  switch (kind) {
    case 'role':
      return { type: 'role', name, method };
    case 'method':
      return { type: 'method', name: method };
    case 'alias':
      return { type: 'group', name: group ?? name };
    case 'group':
    case 'entity':
      return { type: kind, name };
    case 'policy':
      return { type: 'policy', name, field: 'text' };
    case 'anyone':
      return { type: 'other', name: giverWords({ kind }) };
    case 'other':
      return { type: 'other', name: picked === undefined ? name : giverWords(picked) };
  }
}
