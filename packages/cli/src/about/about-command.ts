import { largestOf } from '@gatehouse/core/values';
import { type AddCommand, type CommonOptions, print, version } from '../terminal/command.ts';
import { printable } from '../terminal/style.ts';
import type { About } from './about.ts';

export const addAbout: AddCommand = (program, { terminal }) => {
  program
    .add('about', 'print versions, stacks and services: what the report of a bug needs', [
      'gatehouse about',
      'gatehouse about --json',
    ])
    .note('Prints no secrets. Asks each service for its version, without a token.')
    .action(async (options: CommonOptions) => {
      const { about } = await import('./about.ts');
      const facts = await about(options.cwd, terminal.env);
      print(terminal, options, { gatehouse: version(), ...facts }, () => aboutText(facts));
    });
};

function aboutText({
  node,
  platform,
  packages,
  plugins,
  pulumi,
  folder,
  stacks,
  problem,
  services,
}: About): string {
  const rows: [string, string][] = [
    ['gatehouse', version()],
    ['Node.js', `${node} (${platform})`],
    ...Object.entries(packages).map(([name, packageVersion]): [string, string] => [
      name,
      packageVersion ?? 'not installed',
    ]),
    ['Pulumi CLI', pulumi ?? 'not on PATH'],
    ['Pulumi plugins', plugins.join(', ') || 'none'],
    ['folder', folder],
    ...(problem === undefined ? [] : [['stacks', problem] as [string, string]]),
    ...stacks.map(({ name, address, lastChange, problem: stackProblem }): [string, string] => [
      `stack ${name}`,
      [address ?? 'no address', stackProblem ?? (lastChange === undefined ? [] : `changed ${lastChange}`)]
        .flat()
        .join(', '),
    ]),
    ...services.map(({ address, reachable, says }): [string, string] => [
      `service ${address}`,
      reachable ? says : `not reachable (${says})`,
    ]),
  ];
  const width = largestOf(rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${printable(name).padEnd(width)}  ${printable(value)}\n`).join('');
}
