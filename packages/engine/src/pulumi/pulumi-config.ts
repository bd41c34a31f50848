import { isObject, objectIn } from '@gatehouse/core/values';
import type { Stack } from '../stack.ts';
import { askPulumi, pulumiFailed } from './pulumi-cli.ts';

const values = ['config', '--show-secrets', '--json'];
const check = ['config', '--open'];

/**
 * The configuration of a stack as its program gets it, from the user's CLI: with the values of Pulumi ESC environments, and
 * secrets decrypted by whatever secrets provider the stack has (pulumi/pulumi `pkg/cmd/pulumi/config/config.go`).
 *
 * @throws GatehouseError `pulumi_cli_missing`, `pulumi_cli_failed`
 */
export async function readPulumiConfig(stack: Stack, env: NodeJS.ProcessEnv): Promise<Stack['config']> {
  // With --json, the CLI leaves out an environment that does not open, says nothing, and ends well.
  if (stack.importsAt !== undefined) refuseDiagnostics(await askPulumi(stack, check, env));
  // What it prints holds secrets: no error repeats it.
  const printed = objectIn(await askPulumi(stack, values, env));
  if (printed === undefined) throw pulumiFailed(values, 'it printed no JSON object');
  return new Map(
    Object.entries(printed).map(([key, entry]) => {
      if (!isObject(entry) || typeof entry['value'] !== 'string' || typeof entry['secret'] !== 'boolean') {
        throw pulumiFailed(values, `it gave no value of ${key}`);
      }
      const { value, secret } = entry as { value: string; secret: boolean };
      if (value.includes('[unknown]')) throw pulumiFailed(values, `it does not know the value of ${key}`);
      return [key, { value, secret }];
    }),
  );
}

/** @throws GatehouseError `pulumi_cli_failed` */
function refuseDiagnostics(text: string): void {
  const [, diagnostics] = text.split(/^Environment diagnostics:$/m);
  if (diagnostics !== undefined) throw pulumiFailed(check, diagnostics.trim());
}
