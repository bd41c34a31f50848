import { relative } from 'node:path';
import { GatehouseError, largestOf, secretKeys, setSecretCommand } from '@gatehouse/core/values';
import {
  type AddCommand,
  type GatehouseCommand,
  print,
  readSecret,
  type StackOptions,
} from '../terminal/command.ts';
import { printable, type Style } from '../terminal/style.ts';
import { askSecretTwice, isInteractive, type Terminal } from '../terminal/terminal.ts';
import type { StackSecret } from './secrets.ts';

interface SetOptions extends StackOptions {
  file?: string;
  fromEnv?: string;
}

const nameHelp = 'for example clientSecrets.staff, or staff where that is one secret only';

export const addSecret: AddCommand = (program, { terminal }) => {
  const group = program.command('secret').summary("set a stack's secrets, encrypted in its file");
  addSet(group, terminal);
  addRemove(group, terminal);
  addList(group, terminal);
};

async function openChosen({ cwd, stack }: StackOptions, { env }: Terminal) {
  const operations = await import('./secrets.ts');
  const opened = await operations.openSecrets(cwd, stack, env);
  return { ...operations, ...opened };
}

function addSet(group: GatehouseCommand, terminal: Terminal): void {
  const command = group
    .add('set', "write a secret into the stack's file, encrypted", [
      'gatehouse secret set -s prod clientSecrets.staff',
      'gatehouse secret set -s prod staff --file secret.txt',
      'pass show staff | gatehouse secret set -s prod staff',
    ])
    .argument('<name>', nameHelp)
    .option('--file <file>', 'file that holds it; one line break at its end is dropped')
    .option('--from-env <variable>', 'environment variable that holds it')
    .withStack()
    .note(
      'Without --file and --from-env it is asked for at the terminal, or read from standard input.\nPULUMI_CONFIG_PASSPHRASE, or the file that PULUMI_CONFIG_PASSPHRASE_FILE names, encrypts it.',
    );
  command.action((argument: string, options: SetOptions) => runSet(argument, options, terminal));
}

async function runSet(argument: string, options: SetOptions, terminal: Terminal): Promise<void> {
  const { stack, secrets, findSecret, secretName, setSecret } = await openChosen(options, terminal);
  const secret = findSecret(
    argument,
    secrets.filter(({ used }) => used),
  );
  const value = await secretValue(secret, options, terminal);
  const file = await setSecret(stack, secret, value, terminal.env);
  const name = secretName(secret);
  const missing = secrets.filter((other) => other !== secret && other.needed && !other.isSet);
  print(terminal, options, { name, file, missing: missing.map(secretName) }, () =>
    [
      `Set ${name} in ${relative(terminal.cwd, file)}.`,
      ...(missing.length > 0 ? ['Still missing:'] : []),
      ...missing.map((other) => `  ${setSecretCommand(other.key, other.name, stack.name)}`),
      '',
    ].join('\n'),
  );
}

function addRemove(group: GatehouseCommand, terminal: Terminal): void {
  const command = group
    .add('rm', "remove a secret from the stack's file", ['gatehouse secret rm -s prod clientSecrets.staff'])
    .argument('<name>', nameHelp)
    .withStack();
  command.action(async (argument: string, options: StackOptions) => {
    const { stack, secrets, findSecret, secretName, removeSecret } = await openChosen(options, terminal);
    const secret = findSecret(
      argument,
      secrets.filter(({ isSet }) => isSet),
    );
    const file = await removeSecret(stack, secret, terminal.env);
    const name = secretName(secret);
    print(terminal, options, { name, file }, () => `Removed ${name} from ${relative(terminal.cwd, file)}.\n`);
  });
}

function addList(group: GatehouseCommand, terminal: Terminal): void {
  const command = group
    .add('ls', 'list the secrets of a stack: which are set, and which are missing', [
      'gatehouse secret ls -s prod',
    ])
    .withStack()
    .note('It shows no values, and needs no passphrase.');
  command.action(async (options: StackOptions) => {
    const { secrets, secretName } = await openChosen(options, terminal);
    const described = secrets.map((secret) => ({ name: secretName(secret), state: stateOf(secret) }));
    print(terminal, options, { secrets: described }, (style) => listText(described, style));
  });
}

type SecretState = 'set' | 'clear' | 'missing' | 'unused' | 'optional';

function stateOf({ isSet, isInClear, needed, used }: StackSecret): SecretState {
  if (isInClear) return 'clear';
  if (isSet) return used ? 'set' : 'unused';
  return needed ? 'missing' : 'optional';
}

const meanings: Record<SecretState, string> = {
  set: 'set',
  clear: 'not encrypted: seal it with gatehouse secret set',
  missing: 'missing: the environment is not valid without it',
  unused: 'set, and used by nothing: remove it',
  optional: 'not set, and not needed',
};

function listText(secrets: { name: string; state: SecretState }[], style: Style): string {
  if (secrets.length === 0) return 'The stack declares nothing that has a secret.\n';
  const width = largestOf(secrets.map(({ name }) => name.length));
  const colors: Record<SecretState, (text: string) => string> = {
    set: style.added,
    clear: style.removed,
    missing: style.removed,
    unused: style.changed,
    optional: style.faint,
  };
  const lines = secrets.map(
    ({ name, state }) => `${printable(name).padEnd(width)}  ${colors[state](meanings[state])}\n`,
  );
  return lines.join('');
}

/** @throws GatehouseError `option_conflict`, `secret_missing`, and what reading and asking throw */
async function secretValue(
  { key, name }: StackSecret,
  { file, fromEnv }: SetOptions,
  terminal: Terminal,
): Promise<string> {
  if (file !== undefined && fromEnv !== undefined) throw new GatehouseError('option_conflict.secret');
  if (fromEnv !== undefined) {
    const value = terminal.env[fromEnv];
    if (value) return value;
    throw new GatehouseError('secret_missing.variable', { given: fromEnv });
  }
  if (file !== undefined) return readSecret(file, terminal);
  if (isInteractive(terminal)) return askSecretTwice(terminal, `The ${secretKeys[key].word} of ${name}`);
  if (terminal.stdin.isTTY !== true) return readSecret('-', terminal);
  throw new GatehouseError('secret_missing.prompt');
}
