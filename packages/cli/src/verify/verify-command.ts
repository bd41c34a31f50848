import { relative } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { Check } from '../open/check.ts';
import type { Remembered } from '../open/remembered.ts';
import { type AddCommand, print, type SeveralOptions } from '../terminal/command.ts';
import { areSeveral, ofSeveral, refuseForSeveral, tellSeveral } from '../terminal/several-stacks.ts';
import { printable, type Style } from '../terminal/style.ts';
import { ExitCode, readInput, type Terminal } from '../terminal/terminal.ts';
import type { TokenSource } from './verify.ts';

interface VerifyOptions extends SeveralOptions {
  token?: [role: string, file: string][];
  tokenCommand?: [role: string, command: string][];
  remember?: boolean;
  requestTokens?: boolean;
}

export const addVerify: AddCommand = (program, { terminal }) => {
  program
    .add('verify', 'check that everyone who should sign in can start to', [
      'gatehouse verify -s prod',
      'gatehouse verify -s prod --remember',
      'gatehouse verify --all-stacks',
      'gatehouse verify -s prod --token web=/var/run/secrets/token --json',
      "gatehouse verify -s prod --token-command 'web=kubectl create token web -n shop --audience secrets'",
    ])
    .option(
      '--token <role=file>',
      'file with a token of a workload that signs in to this role; repeatable',
      pair,
    )
    .option('--token-command <role=command>', 'shell command that prints such a token; repeatable', pair)
    .option(
      '--request-tokens',
      'ask the Kubernetes cluster of each other service account for a token, as its provider’s `cluster` says',
    )
    .option(
      '--remember',
      'write down what the providers publish (keys, endpoints), to be compared from then on',
    )
    .withStack()
    .withSeveral()
    .note('Exit code 2: something failed. Needs no token for the service.')
    .action((options: VerifyOptions) => run(options, terminal));
};

async function run(options: VerifyOptions, terminal: Terminal): Promise<void> {
  const [{ verify }, { openStack }, { remember }, { checksText }] = await Promise.all([
    import('./verify.ts'),
    import('../open/open-stack.ts'),
    import('../open/remembered.ts'),
    import('./checks-text.ts'),
  ]);
  const { env, cwd } = terminal;
  const { requestTokens } = options;
  const exitCode = (checks: Check[]) =>
    checks.some(({ outcome }) => outcome === 'failed') ? ExitCode.no : ExitCode.ok;
  if (areSeveral(options)) {
    refuseForSeveral(options, ['--token', '--token-command', '--remember']);
    const how = { doing: 'Verifying', needsToken: false };
    const found = await ofSeveral(options, terminal, how, (opened) =>
      verify({ ...opened, tokens: new Map(), requestTokens }),
    );
    const text = (checks: Check[], heading: string, style: Style) =>
      `${style.strong(heading)}\n${checksText(checks, style)}`;
    return tellSeveral(found, { json: (checks) => ({ checks }), text, exitCode }, options, terminal);
  }
  const tokens = await tokensOf(options, terminal);
  const stack = await openStack(options.cwd, options.stack, env);
  const remembered = options.remember ? await remember(stack, env) : undefined;
  const checks = await verify({ stack, env, tokens, requestTokens });
  print(
    terminal,
    options,
    { checks, ...(remembered && { remembered }) },
    (style) => checksText(checks, style) + (remembered ? rememberedText(remembered, cwd) : ''),
  );
  terminal.exitCode = exitCode(checks);
}

function rememberedText({ file, changes }: Remembered, cwd: string): string {
  const name = relative(cwd, file);
  if (changes.length === 0) return `\n${name} is up to date.\n`;
  const lines = changes.map(({ method, change }) => `  auth/${printable(method)}  ${printable(change)}`);
  return [``, `${name} has changed. Review and commit it:`, ...lines, ''].join('\n');
}

function pair(given: string, before: [string, string][] = []): [string, string][] {
  const at = given.indexOf('=');
  if (at < 1 || at === given.length - 1) throw new InvalidArgumentError('must be ROLE=…');
  return [...before, [given.slice(0, at), given.slice(at + 1)]];
}

async function tokensOf(
  { token = [], tokenCommand = [] }: VerifyOptions,
  terminal: Terminal,
): Promise<Map<string, TokenSource>> {
  const sources = new Map<string, TokenSource>(tokenCommand.map(([role, command]) => [role, { command }]));
  for (const [role, file] of token) sources.set(role, { token: await readInput(file, terminal) });
  return sources;
}
