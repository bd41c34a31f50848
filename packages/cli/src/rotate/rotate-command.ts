import { relative } from 'node:path';
import {
  type AddCommand,
  type CommandContext,
  type EngineOptions,
  print,
  readSecret,
  type StackOptions,
  say,
  withProgress,
} from '../terminal/command.ts';
import { styleFor } from '../terminal/style.ts';
import {
  askSecret,
  askYesOrNo,
  ExitCode,
  isInteractive,
  type Terminal,
  widthOf,
} from '../terminal/terminal.ts';
import type { Rotation, RotationStep } from './rotate.ts';

interface RotateOptions extends StackOptions, EngineOptions {
  secretFile?: string;
  unverified?: boolean;
  yes?: boolean;
}

export const addRotate: AddCommand = (program, context) => {
  program
    .add('rotate', 'exchange a client secret without a gap', [
      'gatehouse rotate staff -s prod --secret-file new-secret.txt',
      'pass show staff | gatehouse rotate staff -s prod --secret-file - --yes',
    ])
    .argument('<secret>', 'name of the provider, as below gatehouse:clientSecrets')
    .option('--secret-file <file>', 'file that holds the new secret (or $GATEHOUSE_CLIENT_SECRET)')
    .option('--unverified', 'go on if the provider does not show whether it accepts the new secret')
    .option('-y, --yes', 'do not ask')
    .withStack()
    .withEngine()
    .note(
      'Stopped half-way? Run it again with the same secret.\nExit code 2: the provider refuses the new secret, or no proof that it accepts it was possible.',
    )
    .action((name: string, options: RotateOptions) => run(name, options, context));
};

async function run(
  name: string,
  options: RotateOptions,
  { terminal, openEngine }: CommandContext,
): Promise<void> {
  const [{ rotate }, { openWithToken }, { checksText }] = await Promise.all([
    import('./rotate.ts'),
    import('../open/service-token.ts'),
    import('../verify/checks-text.ts'),
  ]);
  const { cwd, stderr } = terminal;
  const { stack, env } = await openWithToken(options.cwd, options.stack, terminal.env);
  const secret = await newSecret(options.secretFile, terminal);
  const { engine, warning } = await openEngine(options, stack, env);
  if (warning !== undefined) say(terminal, 'warning', warning);
  const approval = options.yes ? 'given' : isInteractive(terminal) && !options.json ? 'ask' : 'none';
  const style = styleFor(stderr, env);
  await withProgress(terminal, async (progress) => {
    const doing = (what: string) => progress.say(`${stack.project}/${stack.name}: ${what} …`);
    doing('asking the provider');
    const rotation = await rotate(
      { stack, env, name, secret, approval, unverified: options.unverified === true },
      engine,
      {
        onEvent: (event) => progress.onEvent(event),
        onStep: (step) => doing(done[step]),
        async confirm(check) {
          progress.clear();
          stderr.write(checksText([check], style));
          return await askYesOrNo(terminal, `Write it to the file of ${stack.name}, and apply it?`);
        },
      },
    );
    progress.clear();
    const { method, outcome, checks, file, deployment, review } = rotation;
    if (deployment !== undefined) {
      const { diagnosticsText } = await import('../up/deployment-text.ts');
      stderr.write(diagnosticsText(deployment.diagnostics, style, false));
    }
    if (review !== undefined) {
      const { reviewText } = await import('../review/review-text.ts');
      stderr.write(`${reviewText(review, style, { columns: widthOf(stderr, env) })}\n`);
    }
    print(
      terminal,
      options,
      { method, outcome, checks, ...(file && { file }) },
      (style) => `${checksText(checks, style)}\n${endText(rotation, cwd)}\n`,
    );
    const isDone = outcome === 'rotated';
    terminal.exitCode = isDone ? ExitCode.ok : outcome === 'failed' ? ExitCode.error : ExitCode.no;
  });
}

/** Never from an argument: everyone on the machine can see those. */
async function newSecret(file: string | undefined, terminal: Terminal): Promise<string> {
  if (file !== undefined) return await readSecret(file, terminal);
  const secretInEnv = terminal.env['GATEHOUSE_CLIENT_SECRET'];
  return secretInEnv || !isInteractive(terminal)
    ? (secretInEnv ?? '')
    : await askSecret(terminal, 'New client secret (not shown): ');
}

const done: Record<RotationStep, string> = {
  preflight: 'the provider was asked',
  write: 'the secret is written',
  apply: 'the secret is applied',
  prove: 'the secret is proven',
};

function endText({ outcome, checks, file = '' }: Rotation, cwd: string): string {
  const name = relative(cwd, file);
  const isProven = checks.every((check) => check.outcome === 'ok');
  const ends: Record<Rotation['outcome'], string> = {
    rotated: isProven
      ? `The new secret is in force. Commit ${name}, then delete the old secret at the provider.`
      : `The new secret is applied. Commit ${name} and sign in once; then delete the old secret at the provider.`,
    refused: 'Nothing was changed.',
    untold: 'Nothing was changed. If you know that the provider takes it, add --unverified.',
    declined: 'Nothing was changed.',
    objected: `The review of this change found errors. The new secret is in ${name}, and not applied: keep the old one, fix what it found, and run the command again.`,
    failed: `The new secret is in ${name}, and not applied: keep the old one, and run the command again.`,
    unproven: `The new secret is applied, and a check failed: keep the old one. ${name} has the new one.`,
  };
  return ends[outcome];
}
