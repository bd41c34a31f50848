import type { Environment } from '../../core/model/environment.ts';
import { readBudget } from '../../core/model/values/budget.ts';
import type { ReviewOptions } from '../../core/review/review.ts';
import { ruleOptions } from '../../core/rules/rule-options.ts';
import { readService } from '../open-graph.ts';

/** How a plan of an environment is judged: by its rules, and with a token on top of what its service has. */
export async function planOptions(
  environment: Environment | undefined,
  env: NodeJS.ProcessEnv,
): Promise<ReviewOptions> {
  const now = BigInt(Date.now()) * 1_000_000n;
  if (environment === undefined) return { now };
  const live = env['VAULT_TOKEN'] ? await readService(environment, env, readBudget) : undefined;
  return { now, ...ruleOptions(environment), ...(live && { live }) };
}
