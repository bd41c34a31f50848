import type { CliAge } from './pulumi/programs.ts';

/** Whether this is `npm run test:weekly`. Files named `*.long.weekly.test.ts` are part of `npm run test:long`, too. */
export const isWeekly = process.env['GATEHOUSE_WEEKLY'] !== undefined;

/** Pulumi's CLI of this command: the oldest that the documentation names is built and run once a week. */
export const cliOfRun: CliAge = isWeekly ? 'oldest' : 'newest';
