import { subjectName } from '../../graph/subject.ts';
import { shortened } from '../../graph/values/cut.ts';
import type { ChangeRule } from './rule.ts';

export const takesOver: ChangeRule = {
  id: 'takes-over',
  severity: 'warning',
  about: 'A resource that a plan creates although it already exists on the service.',
  check: ({ taken = [] }) => {
    const [first, ...rest] = taken;
    if (first === undefined) return [];
    const shown = shortened(
      taken.map((subject) => subjectName(subject)),
      5,
    );
    return [
      {
        subject: rest.length === 0 ? first : { type: 'service' as const, name: 'the service' },
        message:
          rest.length === 0
            ? 'It already exists on the service and belongs to someone else. Creating it overwrites it.'
            : `${taken.length} resources already exist on the service and belong to someone else. Creating them overwrites them: ${shown}.`,
        fix: 'Import what belongs to this stack, and rename everything else.',
      },
    ];
  },
};
