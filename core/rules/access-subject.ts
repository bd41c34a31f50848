import type { AccessChange } from '../access/access-change.ts';
import type { Subject } from './finding.ts';

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
