import { join } from 'node:path';
import { oldestCli } from '../../../packages/engine/src/pulumi/pulumi-cli.ts';
import { home, isThere } from '../fetched.ts';

/** As the `go.mod` of each pins it. The oldest is the one that the engine takes. */
export const versions = { newest: '3.274.1', oldest: oldestCli } as const;
export type CliAge = keyof typeof versions;

/** Where `build.ts` leaves the CLI: a folder for the PATH has it under its own name. */
export function cli(age: CliAge): string {
  return join(home, 'pulumi', versions[age], 'pulumi');
}

/** The language host of programs in YAML. */
export const yamlLanguageHost = join(home, 'pulumi', 'yaml-1.25.0', 'pulumi-language-yaml');

/** Why a program cannot be had here; undefined where it can. */
export async function whyNot(program: string): Promise<string | undefined> {
  if (await isThere(program)) return undefined;
  return `There is no ${program}. With Go, npm run build:pulumi makes it once, in minutes.`;
}
