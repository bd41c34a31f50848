import { InvalidArgumentError } from 'commander';
import type { CheckOutcome } from '../open/check.ts';
import type { AddCommand, SeveralOptions } from '../terminal/command.ts';
import { ofEachStack, refuseForSeveral, tellStacks } from '../terminal/each-stack.ts';
import type { StackForms } from '../terminal/many-stacks-text.ts';
import { ExitCode, readInput, type Terminal } from '../terminal/terminal.ts';
import type { WorkloadToken } from './verify.ts';

interface VerifyOptions extends SeveralOptions {
  token?: [role: string, file: string][];
  tokenCommand?: [role: string, command: string][];
}

export const addVerify: AddCommand = (program, { terminal }) => {
  program
    .add('verify', 'check that everyone who should sign in can start to', [
      'gatehouse verify -s prod',
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
    .withStack()
    .withSeveral()
    .note('Exit code 2: something failed. Needs no token for the service.')
    .action((options: VerifyOptions) => run(options, terminal));
};

async function run(options: VerifyOptions, terminal: Terminal): Promise<void> {
  refuseForSeveral(options, ['--token', '--token-command']);
  const [{ verify }, { checksText }] = await Promise.all([import('./verify.ts'), import('./checks-text.ts')]);
  const tokens = await tokensOf(options, terminal);
  const how = { doing: 'Verifying', needsToken: false };
  const outcomes = await ofEachStack(options, terminal, how, (opened) => verify({ ...opened, tokens }));
  const forms: StackForms<CheckOutcome[]> = {
    json: (checks) => ({ checks }),
    text: (checks, heading, style) =>
      (heading === undefined ? '' : `${style.strong(heading)}\n`) + checksText(checks, style),
    exitCode: (checks) => (checks.some(({ outcome }) => outcome === 'failed') ? ExitCode.no : ExitCode.ok),
  };
  await tellStacks(outcomes, forms, options, terminal);
}

function pair(argument: string, pairs: [string, string][] = []): [string, string][] {
  const at = argument.indexOf('=');
  if (at < 1 || at === argument.length - 1) throw new InvalidArgumentError('must be ROLE=…');
  return [...pairs, [argument.slice(0, at), argument.slice(at + 1)]];
}

async function tokensOf(
  { token = [], tokenCommand = [] }: VerifyOptions,
  terminal: Terminal,
): Promise<Map<string, WorkloadToken>> {
  const sources = new Map<string, WorkloadToken>(tokenCommand.map(([role, command]) => [role, { command }]));
  for (const [role, file] of token) sources.set(role, { token: await readInput(file, terminal) });
  return sources;
}
