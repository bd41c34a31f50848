import { describe } from '@jest/globals';
import { pythonPackage, runPython } from '../harness/python-package.ts';

const folder = await pythonPackage('hvac');

/** `describe` where hvac could be fetched; its tests are skipped where it could not. */
export const describeWithHvac: typeof describe.skip = folder === undefined ? describe.skip : describe;

/**
 * Runs lines of Python that know `client`, a hvac client, and `given`; resolves with what they leave in `answer`.
 * A refusal comes as `{refused: …}`, the name of hvac's exception, with its `errors`.
 */
export async function python(
  server: { address: string; token?: string },
  lines: string,
  given = {},
): Promise<any> {
  const body = lines
    .trim()
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
  const program = `
import json, sys, hvac
url, token, given = json.load(sys.stdin)
client = hvac.Client(url=url, token=token)
answer = None
try:
${body}
except hvac.exceptions.VaultError as error:
    answer = {'refused': type(error).__name__, 'errors': error.errors}
json.dump(answer, sys.stdout)
`;
  return await runPython(folder, program, [server.address, server.token ?? null, given]);
}
