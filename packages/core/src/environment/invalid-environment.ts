import { GatehouseError } from '../graph/values/errors.ts';

/** All that is wrong with an environment, each line with its place. */
export function invalidEnvironment(problems: readonly string[]): GatehouseError {
  return new GatehouseError({
    code: 'environment_invalid',
    what:
      problems.length === 1
        ? 'the configuration has one problem:'
        : `the configuration has ${problems.length} problems:`,
    fix: problems.join('\n  '),
  });
}
