import { addAll } from '@gatehouse/core/values';
import { type AddCommand, print, type StackOptions } from '../terminal/command.ts';
import { ExitCode, type Terminal } from '../terminal/terminal.ts';

interface HistoryOptions extends StackOptions {
  base?: string;
  address?: string;
}

export const addHistory: AddCommand = (program, { terminal }) => {
  program
    .add(
      'history',
      'show which reviewed change gave a role or group its access, who signed it, and when it was applied',
      ['gatehouse history role staff/admin -s prod'],
    )
    .argument('<subject...>', 'as reports write it: role staff/admin')
    .option('--address <url>', 'also read what this platform keeps (default: $GATEHOUSE_PLATFORM_ADDRESS)')
    .withBase()
    .withStack()
    .note('Reads gatehouse/reviews/*.sigstore.json. VAULT_TOKEN is for the platform.')
    .action((words: string[], options: HistoryOptions) => runHistory(words.join(' '), options, terminal));
};

async function runHistory(subject: string, options: HistoryOptions, terminal: Terminal): Promise<void> {
  const { env } = terminal;
  const [
    { openStack },
    { reviewsAtBase },
    { reviewsInFolder, reviewsOfPlatform },
    { trailOf },
    { trailText },
  ] = await Promise.all([
    import('../open/open-stack.ts'),
    import('../open/at-revision.ts'),
    import('./kept-reviews.ts'),
    import('@gatehouse/core/statement'),
    import('./trail-text.ts'),
  ]);
  const stack = await openStack(options.cwd, options.stack, env);
  const reviewsAsked = await reviewsAtBase(stack, env, options.base);
  const kept = await reviewsInFolder(stack.directory, env);
  if (options.address ?? env['GATEHOUSE_PLATFORM_ADDRESS']) {
    const { openRuns } = await import('../deploy/deploy.ts');
    addAll(kept, await reviewsOfPlatform(openRuns({ address: options.address, env }), stack.name));
  }
  const policy = reviewsAsked?.policy ?? { signers: [], maxAge: 24 * 60 * 60 };
  const trail = trailOf(subject, kept, { policy, stack });
  print(terminal, options, { subject, ...trail }, (style) => trailText(subject, trail, style));
  terminal.exitCode = ExitCode.ok;
}
