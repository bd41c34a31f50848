import { secretFile } from './nightly-snapshot.ts';

/** Where `gatehouse review --sign` writes a statement, in the project's folder. */
export const statementFile = 'review.sigstore.json';

/**
 * Options of a review that is signed. A job without the key, as of a fork, signs nothing.
 *
 * @param base revision from which exceptions count; undefined as the command finds it
 */
export async function signingOptions(
  home: string,
  base: string | undefined,
  { SIGN_KEY: key }: NodeJS.ProcessEnv,
): Promise<string[]> {
  if (!key) return [];
  const file = await secretFile(home, 'sign.key', key);
  return ['--sign', file, ...(base === undefined ? [] : ['--base', base])];
}

/** The names of files, one a line: a name may have blanks. */
export function filesIn(lines: string): string[] {
  return lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
