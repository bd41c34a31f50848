import { subjectText } from '../model/subject.ts';
import { shortened } from '../model/values/cut.ts';
import type { ChangeRule } from './rule.ts';

export const takesOver: ChangeRule = {
  id: 'takes-over',
  severity: 'warning',
  about: 'A resource that a plan creates, though the service has it already.',
  check: ({ taken = [] }) => {
    const [first, ...others] = taken;
    if (first === undefined) return [];
    const all = taken.map((subject) => subjectText(subject));
    const shown = shortened(all, 5);
    const [what, are] = others.length === 0 ? [shown, 'is'] : [`${all.length} resources`, 'are'];
    return [
      {
        subject: others.length === 0 ? first : { type: 'service' as const, name: 'the service' },
        message: `${what} ${are} on the service already, made by someone else. To create is to write over it${others.length === 0 ? '' : `: ${shown}`}.`,
        fix: 'Import what belongs to this stack. Give everything else another name.',
      },
    ];
  },
};
