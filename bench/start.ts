import { join } from 'node:path';
import { readStack } from '../engine/stack-files/read-stack.ts';
import { developmentPassphrase, startDev } from '../operations/dev/dev.ts';
import { makeScratch, root } from './bench-project.ts';
import { atMost, type Figure, figure, inTurn, median } from './figure.ts';
import { runExecutor, startInstantMonitor } from './instant-monitor.ts';
import { measureProcess } from './processes.ts';

const cli = join(root, 'cli', 'gatehouse.mjs');

/** The process `gatehouse preview -s dev` without changes, and its parts as separate processes. */
export async function start({ rounds = 7 }: { rounds?: number }): Promise<Figure[]> {
  const scratch = await makeScratch('start');
  const base = {
    ...process.env,
    PULUMI_CONFIG_PASSPHRASE: developmentPassphrase,
    GATEHOUSE_HOME: scratch.directory,
  };
  const dev = await startDev({
    directory: root,
    env: base,
    port: 0,
    runTaskPort: 0,
    version: '0',
    identityPort: 0,
  });
  const monitor = await startInstantMonitor();
  try {
    const env = {
      ...base,
      VAULT_TOKEN: dev.token,
      GATEHOUSE_SERVICE_ADDRESS: dev.address,
      GATEHOUSE_IDENTITY_ADDRESS: dev.identityAddress,
    };
    const stack = await readStack(root, 'dev', env);
    // Like the engine.
    const compileCache = join(scratch.directory, 'compile-cache');
    const run = (...args: string[]) => measureProcess({ args, cwd: root, env });
    const runs = await inTurn(rounds, {
      preview: () => run(cli, 'preview', '-s', 'dev'),
      node: () => run('-e', '0'),
      command: () => run(cli, '--version'),
      state: () => run(cli, 'state', 'export', '-s', 'dev'),
      program: () => runExecutor(stack, monitor.address, { ...env, NODE_COMPILE_CACHE: compileCache }),
    });
    const time = (side: keyof typeof runs) => median(runs[side].map(({ seconds }) => seconds));
    return [
      atMost('gatehouse preview -s dev, no change', time('preview'), 4, ' s'),
      figure('  of it: Node', time('node'), ' s'),
      figure('  of it: Node and the command line', time('command'), ' s'),
      figure('  of it: these, the engine loaded, stack and state read', time('state'), ' s'),
      figure('  of it: the program, alone with a monitor that answers at once', time('program'), ' s'),
      figure(
        '  the rest: checks of the service, the engine at work',
        time('preview') - time('state') - time('program'),
        ' s',
      ),
    ];
  } finally {
    monitor.close();
    await dev.close();
    await scratch.remove();
  }
}
