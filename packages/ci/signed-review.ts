import { secretFile } from './nightly-snapshot.ts';

/** Where `gatehouse review --sign` writes a statement, in the project's folder. */
export const statementFile = 'review.sigstore.json';

/** Options that sign a review. Jobs without the key, such as those of forks, do not sign. */
export async function signingOptions(home: string, { SIGN_KEY: key }: NodeJS.ProcessEnv): Promise<string[]> {
  return key ? ['--sign', await secretFile(home, 'sign.key', key)] : [];
}

/** The names of files, one per line, as a name may contain spaces. */
export function filesIn(lines: string): string[] {
  return lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
