import { resolve } from 'node:path';
import type { ServiceSettings } from '@gatehouse/core/environment';
import { type AddCommand, type CommonOptions, print } from '../terminal/command.ts';
import { given, printable, type Style } from '../terminal/style.ts';
import { ExitCode } from '../terminal/terminal.ts';
import type { Adoption } from './adopt.ts';

interface AdoptOptions extends CommonOptions {
  address: string;
  output?: string;
  stack: string;
  namespace?: string;
  dialect: 'vault' | 'neutral';
}

export const addAdopt: AddCommand = (program, { terminal }) => {
  program
    .add(
      'adopt',
      'write the login set-up of a running service as an environment, and prove that it is the same',
      ['gatehouse adopt --address https://secrets.example.com:8200 --stack prod'],
    )
    .requiredOption('--address <url>', 'address of the secrets service (token: $VAULT_TOKEN)')
    .option('--output <folder>', 'folder to write to (default: the folder of Pulumi.yaml)')
    .option('-s, --stack <name>', 'name of the new stack', 'adopted')
    .option('--namespace <path>', 'namespace of the service')
    .choice('--dialect <name>', 'spelling of headers and values', ['vault', 'neutral'], 'vault')
    .note(
      'Reads from the service and changes nothing there. Never overwrites a file.\nExit code 2: not proven with the local engine.',
    )
    .action(async (options: AdoptOptions) => {
      const { adopt } = await import('./adopt.ts');
      const { cwd, env } = terminal;
      const { cwd: directory, output, address, stack, namespace, dialect } = options;
      const service = { ...serviceAt(address, namespace), dialect };
      const folder = output === undefined ? directory : resolve(cwd, output);
      const adoption = await adopt({ directory, output: folder, stack, service, env });
      print(terminal, options, adoption, (style) => adoptionText(adoption, stack, style));
      terminal.exitCode = adoption.isProven ? ExitCode.ok : ExitCode.no;
    });
};

/** A service that no stack declares yet. */
export function serviceAt(url: string, namespace: string | undefined): ServiceSettings {
  return { address: url.replace(/\/+$/, ''), dialect: 'vault', features: { messages: true }, namespace };
}

/** What was written and proven, what is left to do, and what stays unmanaged. */
export function adoptionText(adoption: Adoption, stack: string, style: Style): string {
  const { files, imported, isProven, problems, left, unreadable, secrets, exceptions } = adoption;
  const list = (title: string, lines: string[]) =>
    lines.length > 0 && ['', title, ...lines.map((line) => `  ${printable(line)}`)];
  return `${given(
    style.strong(`Written: ${files.length} files, ${imported} resources to import`),
    files.map((file) => `  ${printable(file)}`),
    list(
      'Errors of today that are accepted for a while (docs/exceptions.md):',
      exceptions.map(({ rule, subject, until }) => `${subject}: ${rule}, until ${until}`),
    ),
    list('Left unmanaged, and known to drift (docs/adopt.md says what to do with each):', left),
    list(style.removed('Could not be read:'), unreadable),
    list(style.removed('Against the proof:'), problems),
    '',
    isProven
      ? style.added('Proven with the local engine: after its import, a preview shows no change.')
      : style.removed('Not proven: the import changes something, or could not be tried.'),
    '',
    secrets.length > 0 && [
      'First set the secrets; the service never returns them:',
      ...secrets.map((name) => `  gatehouse secret set -s ${stack} ${name}`),
      '',
    ],
    'Then, with the local engine:',
    `  gatehouse up -s ${stack} --engine local --import import.${stack}.json`,
    'or with Pulumi, whose import was not tried: its first preview shows secrets, descriptions and tuning as changes.',
    `  pulumi import --stack ${stack} --file import.${stack}.json --protect=false --generate-code=false`,
  ).join('\n')}\n`;
}
