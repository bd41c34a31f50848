import { day } from '../values/day.ts';
import { field } from './field.ts';

/** The last day of a role, an alias or a rule of a policy. It is on no wire: services keep none of a role or an alias. */
export const until = field(
  'text',
  day,
  'lifetime',
  'Last day, in UTC: see [until](exceptions.md#give-access-a-last-day).',
  {
    takes: 'day',
    otherwise: 'none',
    example: '2026-12-31',
    source: 'Gatehouse',
  },
);
