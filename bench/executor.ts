import { createRequire } from 'node:module';
import type { Stack } from '../engine/stack.ts';
import { type MeasuredRun, measureProcess } from './measured-process.ts';

const executor = createRequire(import.meta.url).resolve('@pulumi/pulumi/cmd/run/index.js');

/** Runs a stack's program by the SDK's executor alone, on a plain Node, against a monitor at `address`. */
export function runExecutor(
  stack: Stack,
  address: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<MeasuredRun> {
  const config = Object.fromEntries([...stack.config].map(([key, { value }]) => [key, value]));
  const secretKeys = [...stack.config].filter(([, { secret }]) => secret).map(([key]) => key);
  return measureProcess({
    args: [
      executor,
      ...['--monitor', address, '--engine', address],
      ...['--project', stack.project, '--stack', stack.name, '--organization', 'organization'],
      ...['--root-directory', stack.directory, '--pwd', stack.directory],
      ...['--dry-run', '--parallel', '16', stack.main],
    ],
    cwd: stack.directory,
    env: {
      ...env,
      PULUMI_CONFIG: JSON.stringify(config),
      PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secretKeys),
      // Without it the executor would load ts-node, and what is compared with would be slower.
      PULUMI_NODEJS_TYPESCRIPT: 'false',
    },
  });
}
