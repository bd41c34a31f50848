import { subjectText } from '../model/subject.ts';
import { shortened } from '../model/values/cut.ts';
import type { ChangeRule } from './rule.ts';

export const takesOver: ChangeRule = {
  id: 'takes-over',
  severity: 'warning',
  about: 'A resource that a plan creates although it already exists on the service.',
  check: ({ taken = [] }) => {
    const [first, ...others] = taken;
    if (first === undefined) return [];
    const all = taken.map((subject) => subjectText(subject));
    const shown = shortened(all, 5);
    const what = others.length === 0 ? shown : `${all.length} resources`;
    return [
      {
        subject: others.length === 0 ? first : { type: 'service' as const, name: 'the service' },
        message: `${what} already ${others.length === 0 ? 'exists' : 'exist'} on the service and ${others.length === 0 ? 'belongs' : 'belong'} to someone else. Creating ${others.length === 0 ? 'it overwrites it' : `them overwrites them: ${shown}`}.`,
        fix: 'Import what belongs to this stack, and rename everything else.',
      },
    ];
  },
};
