import type { Stack } from '../src/stack.ts';

/** The plainest stack, `dev` of a project in `/p`, but for what is given. */
export function stackOf(fields: Partial<Stack> = {}): Stack {
  return {
    directory: '/p',
    project: 'project',
    main: '.',
    name: 'dev',
    config: new Map(),
    home: '/p',
    ...fields,
  };
}
