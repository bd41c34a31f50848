import { relative, resolve } from 'node:path';
import { GatehouseError } from '@gatehouse/core/values';
import type { Command } from 'commander';
import { adoptionText, serviceAt } from '../adopt/adopt-command.ts';
import { type AddCommand, type CommonOptions, print } from '../terminal/command.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { given, printable, type Style } from '../terminal/style.ts';
import { ExitCode } from '../terminal/terminal.ts';
import { type PackageManager, packageManagers } from './installer.ts';
import type { NewRepository } from './new.ts';

interface NewOptions extends CommonOptions {
  adopt?: string;
  stack: string;
  namespace?: string;
  packageManager?: PackageManager;
  package?: string;
  install: boolean;
  git: boolean;
}

export const addNew: AddCommand = (program, { terminal }) => {
  program
    .add('new', "write a team's repository: program, environment, policies, pipelines", [
      'gatehouse new sign-in',
      'gatehouse new sign-in --adopt https://secrets.example.com:8200 --stack production',
    ])
    .argument('[folder]', 'folder of the repository, new or empty', '.')
    .option('--adopt <url>', 'start from the set-up of this secrets service (token: $VAULT_TOKEN)')
    .option('-s, --stack <name>', 'with --adopt: name of its stack', 'production')
    .option('--namespace <path>', 'with --adopt: namespace of the service')
    .choice(
      '--package-manager <name>',
      'who installs (default: the package manager that runs this, or npm)',
      packageManagers,
    )
    .option(
      '--package <what>',
      'gatehouse to depend on: a version, or a packed file, which is copied to vendor/ (default: this version)',
    )
    .option('--no-install', 'only write the files')
    .option('--no-git', 'do not make a git repository')
    .note('Never overwrites a file. Makes no commit.')
    .action(async (target: string, options: NewOptions, command: Command) => {
      const [{ makeRepository }, { packageOf }] = await Promise.all([
        import('./new.ts'),
        import('./packed-file.ts'),
      ]);
      const { adopt, stack, namespace, packageManager, install, git } = options;
      if (adopt !== undefined && !install) {
        throw new GatehouseError('option_conflict.adopt_install');
      }
      const isStackGiven = command.getOptionValueSource('stack') === 'cli';
      if (adopt === undefined && (isStackGiven || namespace !== undefined)) {
        throw new GatehouseError('option_conflict.adopt');
      }
      const { stderr } = terminal;
      const folder = resolve(terminal.cwd, options.cwd, target);
      const repository = await makeRepository({
        folder,
        packageManager,
        install,
        git,
        env: terminal.env,
        package: options.package === undefined ? undefined : packageOf(options.package, terminal.cwd),
        ...(adopt !== undefined && { adopt: { stack, service: serviceAt(adopt, namespace) } }),
        // Each text gets a line of its own, as the package manager writes there, too.
        onProgress: (what) => stderr.isTTY && stderr.write(`${what} …\n`),
      });
      print(terminal, options, repository, (style) =>
        repositoryText(repository, relative(terminal.cwd, repository.folder), stack, style),
      );
      if (repository.adoption?.isProven === false) terminal.exitCode = ExitCode.no;
    });
};

/** What was made, and the next three commands. */
function repositoryText(repository: NewRepository, folder: string, stack: string, style: Style): string {
  const { files, installed, packageManager, command, start, adoption, notes } = repository;
  return `${given(
    style.strong(`A new repository: ${folder || '.'}, ${files.length} files`),
    files.map((file) => `  ${printable(file)}`),
    notes.map((note) => printable(note)),
    adoption && ['', adoptionText(adoption, stack, style).trimEnd()],
    '',
    style.strong('Next:'),
    folder !== '' && `  cd ${shellWord(printable(folder))}`,
    !installed && `  ${packageManager} install`,
    `  ${start}`,
    // An adopted service has its next commands above.
    adoption === undefined && `  ${command} stack init staging`,
  ).join('\n')}\n`;
}
