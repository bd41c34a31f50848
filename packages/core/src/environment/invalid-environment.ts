import { GatehouseError } from '../graph/values/errors.ts';

/** The error of an invalid environment, with one line for each problem and its place. */
export function invalidEnvironment(problems: readonly string[]): GatehouseError {
  const values = { problems: problems.join('\n  ') };
  return problems.length === 1
    ? new GatehouseError('environment_invalid', { values })
    : new GatehouseError('environment_invalid.several', { values: { ...values, count: problems.length } });
}
