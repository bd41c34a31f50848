import { GatehouseError } from '../graph/values/errors.ts';

/** All that is wrong with an environment, each line with its place. */
export function invalidEnvironment(problems: readonly string[]): GatehouseError {
  const values = { problems: problems.join('\n  ') };
  return problems.length === 1
    ? new GatehouseError('environment_invalid', { values })
    : new GatehouseError('environment_invalid.several', { values: { ...values, count: problems.length } });
}
