import { resolve } from 'node:path';
import { Option } from 'commander';
import { ExitCode } from '../rendering/terminal.ts';
import { type AddCommand, addCommand, type CommonOptions } from './command.ts';

interface AdoptOptions extends CommonOptions {
  address: string;
  output?: string;
  stack: string;
  namespace?: string;
  dialect: 'vault' | 'neutral';
}

export const addAdopt: AddCommand = (program, { terminal }) => {
  addCommand(program, 'adopt', 'write a live service’s login set-up as an environment, and prove it', [
    'gatehouse adopt --address https://secrets.example.com:8200 --stack prod',
  ])
    .requiredOption('--address <url>', 'address of the secrets service; its token is in VAULT_TOKEN')
    .option('--output <folder>', 'where to write the files (default: the folder of Pulumi.yaml)')
    .option('-s, --stack <name>', 'the stack to write', 'adopted')
    .option('--namespace <path>', 'namespace of the service')
    .addOption(
      new Option('--dialect <name>', 'spelling that the service understands')
        .choices(['vault', 'neutral'])
        .default('vault'),
    )
    .addHelpText('after', '\nIt reads, and writes nothing to the service. No file is written over.')
    .action(async (options: AdoptOptions) => {
      const [{ adopt }, { adoptionText }, { styleFor }] = await Promise.all([
        import('../../operations/adopt/adopt.ts'),
        import('../rendering/adoption-text.ts'),
        import('../rendering/style.ts'),
      ]);
      const { address, namespace, dialect, stack } = options;
      const directory = resolve(terminal.cwd, options.cwd);
      const adoption = await adopt({
        directory,
        output: options.output === undefined ? directory : resolve(terminal.cwd, options.output),
        stack,
        service: {
          address: address.replace(/\/+$/, ''),
          dialect,
          features: { messages: true },
          ...(namespace === undefined ? {} : { namespace }),
        },
        env: terminal.env,
      });
      terminal.stdout.write(
        options.json
          ? `${JSON.stringify(adoption, null, 4)}\n`
          : adoptionText(adoption, stack, styleFor(terminal.stdout, terminal.env)),
      );
      terminal.exitCode = adoption.isProven ? ExitCode.ok : ExitCode.no;
    });
};
