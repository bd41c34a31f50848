import { readFileSync } from 'node:fs';

const lines = readFileSync(new URL('./official-types.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('vault_'));

/** Types of Terraform's vault provider by its source, and the arguments of those that are judged. */
export const officialArguments: ReadonlyMap<string, string[]> = new Map(
  lines.map((line) => {
    const [type = '', names = ''] = line.split(': ');
    return [type, names.split(' ').filter(Boolean)];
  }),
);

/** Names of all types of Terraform's vault provider. */
export const officialTypeNames: readonly string[] = [...officialArguments.keys()];
