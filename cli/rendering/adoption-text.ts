import type { Adoption } from '../../operations/adopt/adopt.ts';
import { printable, type Style } from './style.ts';

/** What was written and proven, what is left to do, and what stays unmanaged. */
export function adoptionText(adoption: Adoption, stack: string, style: Style): string {
  const { files, imported, isProven, problems, left, unreadable, secrets, rulesOff } = adoption;
  const list = (title: string, lines: string[]) =>
    lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${printable(line)}`)];
  return `${[
    style.strong(`Written: ${files.length} files, ${imported} resources to import`),
    ...files.map((file) => `  ${printable(file)}`),
    ...list('Secrets to set, which no service reveals (the stack file says how):', secrets),
    ...list('Rules turned off because they find errors today:', rulesOff),
    ...list('Left unmanaged:', left),
    ...list(style.removed('Could not be read:'), unreadable),
    ...list(style.removed('Not the same:'), problems),
    '',
    isProven
      ? style.added('Proven: after the import, a preview shows no change.')
      : style.removed('Not proven: importing this would change something.'),
    '',
    'Next, with Pulumi:',
    `  pulumi import --stack ${stack} --file import.${stack}.json --protect=false --generate-code=false`,
    'or with the local engine:',
    `  gatehouse up -s ${stack} --engine local --import import.${stack}.json`,
  ].join('\n')}\n`;
}
