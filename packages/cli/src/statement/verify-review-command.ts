import { resolve } from 'node:path';
import { type AddCommand, type CommonOptions, print } from '../terminal/command.ts';
import { printable } from '../terminal/style.ts';
import { ExitCode, type Terminal } from '../terminal/terminal.ts';

interface VerifyReviewOptions extends CommonOptions {
  stack?: string;
  base?: string;
  key?: string[];
  maxAge: string;
}

export const addVerifyReview: AddCommand = (program, { terminal }) => {
  program
    .add('verify-review', 'check that a plan file was reviewed, by people you trust', [
      'gatehouse verify-review tfplan review.sigstore.json -s prod && tofu apply tfplan',
      'gatehouse verify-review tfplan review.sigstore.json --key alice.pub',
    ])
    .argument('<plan>', 'the file that is applied next')
    .argument('<statements...>', 'files that gatehouse review --sign wrote')
    .repeatable('--key <file>', 'a public key to trust, in place of those that the stack names; repeatable')
    .option('--max-age <duration>', 'with --key: how old a statement may be', '24h')
    .withBase()
    .withStack()
    .note('Exit code 2: it is not. What it was judged on, and by whom it is signed, is in the statement.')
    .action((plan: string, statements: string[], options: VerifyReviewOptions) =>
      run(plan, statements, options, terminal),
    );
};

async function run(
  plan: string,
  files: string[],
  options: VerifyReviewOptions,
  terminal: Terminal,
): Promise<void> {
  const { verifyReview } = await import('./verify-review.ts');
  const path = (file: string) => resolve(terminal.cwd, file);
  const { problem, signed } = await verifyReview(
    { plan: path(plan), files: files.map(path), keys: options.key?.map(path), ...options },
    terminal.env,
  );
  print(terminal, options, { verified: problem === undefined, signed, ...(problem && { problem }) }, () =>
    problem === undefined
      ? signed
          .map(({ signer, at, verdict }) => `Reviewed and signed by ${signer}, ${at}: ${verdict}.\n`)
          .join('')
      : // Anyone may have written the statements that it quotes.
        `${printable(problem)}\n`,
  );
  terminal.exitCode = problem === undefined ? ExitCode.ok : ExitCode.no;
}
