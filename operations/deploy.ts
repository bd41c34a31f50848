import { RunClient, type RunSnapshot } from '../client/run-client.ts';
import { GatehouseError } from '../core/model/values/errors.ts';

export type { RunSnapshot } from '../client/run-client.ts';

/** Where `gatehouse serve` and `gatehouse dev` listen unless told otherwise. */
export const defaultPlatformAddress = 'http://127.0.0.1:8300';

interface DeployRequest {
  stack: string;
  /** The reason, for people. */
  message: string;
  /** Plan only. */
  speculative: boolean;
  /** Of the platform. Defaults to `GATEHOUSE_PLATFORM_ADDRESS`, or `http://127.0.0.1:8300`. */
  address?: string;
  /** `VAULT_TOKEN` identifies who deploys. */
  env: NodeJS.ProcessEnv;
  /** Called with the run at first, and after every change. */
  onChange: (run: RunSnapshot) => void;
}

/**
 * Has a platform deploy a stack, and waits for the end.
 *
 * @throws GatehouseError `stack_not_chosen`, `token_missing`, and what `RunClient` throws
 */
export async function deployStack(request: DeployRequest): Promise<RunSnapshot> {
  const { stack, message, speculative, env, onChange } = request;
  const token = env['VAULT_TOKEN'];
  if (!token) {
    throw new GatehouseError({
      code: 'token_missing',
      what: 'There is no token for the secrets service, which identifies you to the platform.',
      fix: 'Set VAULT_TOKEN; gatehouse login gets one.',
    });
  }
  const address = request.address || env['GATEHOUSE_PLATFORM_ADDRESS'] || defaultPlatformAddress;
  const client = new RunClient({ address, token });
  let run = await client.create({ stack, message, speculative });
  onChange(run);
  for await (run of client.watch(run.id)) onChange(run);
  return run;
}
