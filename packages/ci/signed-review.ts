import { secretFile } from './nightly-snapshot.ts';

/** Where `gatehouse review --sign` writes a statement, in the project's folder. */
export const statementFile = 'review.sigstore.json';

/** Options of a review that is signed. A job without the key, as of a fork, signs nothing. */
export async function signingOptions(home: string, { SIGN_KEY: key }: NodeJS.ProcessEnv): Promise<string[]> {
  return key ? ['--sign', await secretFile(home, 'sign.key', key)] : [];
}

/** The names of files, one a line: a name may have blanks. */
export function filesIn(lines: string): string[] {
  return lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
