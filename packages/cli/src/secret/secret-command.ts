import { relative } from 'node:path';
import { GatehouseError, largestOf, secretKeys, setSecretCommand } from '@gatehouse/core/values';
import { type AddCommand, print, readSecret, type StackOptions } from '../terminal/command.ts';
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
  const openChosen = async (options: StackOptions) => {
    const operations = await import('./secrets.ts');
    const opened = await operations.openSecrets(options.cwd, options.stack, terminal.env);
    return { ...operations, ...opened };
  };

  const set = group
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
  set.action(async (given: string, options: SetOptions) => {
    const { stack, secrets, findSecret, secretName, setSecret } = await openChosen(options);
    const secret = findSecret(
      given,
      secrets.filter(({ used }) => used),
    );
    const value = await secretValue(secret, options, terminal);
    const file = await setSecret(stack, secret, value, terminal.env);
    const name = secretName(secret);
    const missing = secrets.filter((one) => one !== secret && one.needed && !one.isSet);
    print(terminal, options, { name, file, missing: missing.map(secretName) }, () =>
      [
        `Set ${name} in ${relative(terminal.cwd, file)}.`,
        ...(missing.length > 0 ? ['Still missing:'] : []),
        ...missing.map((one) => `  ${setSecretCommand(one.key, one.name, stack.name)}`),
        '',
      ].join('\n'),
    );
  });

  const remove = group
    .add('rm', "remove a secret from the stack's file", ['gatehouse secret rm -s prod clientSecrets.staff'])
    .argument('<name>', nameHelp)
    .withStack();
  remove.action(async (given: string, options: StackOptions) => {
    const { stack, secrets, findSecret, secretName, removeSecret } = await openChosen(options);
    const secret = findSecret(
      given,
      secrets.filter(({ isSet }) => isSet),
    );
    const file = await removeSecret(stack, secret, terminal.env);
    const name = secretName(secret);
    print(terminal, options, { name, file }, () => `Removed ${name} from ${relative(terminal.cwd, file)}.\n`);
  });

  const list = group
    .add('ls', 'list the secrets of a stack: which are set, and which are missing', [
      'gatehouse secret ls -s prod',
    ])
    .withStack()
    .note('It shows no values, and needs no passphrase.');
  list.action(async (options: StackOptions) => {
    const { secrets, secretName } = await openChosen(options);
    const described = secrets.map((secret) => ({ name: secretName(secret), state: stateOf(secret) }));
    print(terminal, options, { secrets: described }, (style) => listText(described, style));
  });
};

type State = 'set' | 'clear' | 'missing' | 'unused' | 'optional';

function stateOf({ isSet, isInClear, needed, used }: StackSecret): State {
  if (isInClear) return 'clear';
  if (isSet) return used ? 'set' : 'unused';
  return needed ? 'missing' : 'optional';
}

const meanings: Record<State, string> = {
  set: 'set',
  clear: 'not encrypted: seal it with gatehouse secret set',
  missing: 'missing: the environment is not valid without it',
  unused: 'set, and used by nothing: remove it',
  optional: 'not set, and not needed',
};

function listText(secrets: { name: string; state: State }[], style: Style): string {
  if (secrets.length === 0) return 'The stack declares nothing that has a secret.\n';
  const width = largestOf(secrets.map(({ name }) => name.length));
  const colors: Record<State, (text: string) => string> = {
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
