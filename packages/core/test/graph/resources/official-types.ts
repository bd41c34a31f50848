import { readFileSync } from 'node:fs';

/** Names of all types of Terraform's vault provider, by its source. */
export function officialTypeNames(): string[] {
  const text = readFileSync(new URL('./official-types.txt', import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line.startsWith('vault_'));
}
