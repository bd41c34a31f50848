import type { AccessChange } from '../access/access-change.ts';
import { methodAt, roleNamed } from '../model/parts-by-name.ts';
import type { AuthMethod } from '../model/resources/auth-method.ts';
import type { Role } from '../model/resources/role.ts';
import type { State } from '../model/state.ts';
import type { Subject } from './finding.ts';

/** The role that an access change is about, with its method; undefined where it is about something else. */
export function roleOfWay(
  { way }: AccessChange,
  { roles, methods }: State,
): { role: Role; method: AuthMethod | undefined } | undefined {
  const role = way.kind === 'role' ? roleNamed(roles, way) : undefined;
  return role && { role, method: methodAt(methods, role.method) };
}

/** Of whom an access change tells, as the subject of a finding. */
export function subjectOfWay({ way: { kind, method, name, group } }: AccessChange): Subject {
  switch (kind) {
    case 'role':
      return { type: 'role', name, method };
    case 'method':
      return { type: 'method', name: method };
    case 'group':
      return { type: 'group', name: group ?? name };
    case 'policy':
      return { type: 'policy', name, field: 'text' };
    case 'holder':
      return {
        type: name.startsWith('entity ') ? 'entity' : 'group',
        name: name.replace(/^(entity|group) /, ''),
      };
    case 'other':
      return { type: 'other', name };
  }
}
