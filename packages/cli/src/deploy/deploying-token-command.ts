import { resolve } from 'node:path';
import { type AddCommand, print, type StackOptions } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addressHelp, stackOf } from './deploy-command.ts';

interface DeployingTokenOptions extends StackOptions {
  plan?: string;
  address?: string;
}

export const addDeployingToken: AddCommand = (program, { terminal }) => {
  program
    .add('deploying-token', 'exchange signed reviews for a token that applies the change', [
      'VAULT_TOKEN=$(gatehouse deploying-token review.sigstore.json -s prod) gatehouse up -s prod',
      'VAULT_TOKEN=$(gatehouse deploying-token review.sigstore.json -s prod --plan tfplan) tofu apply tfplan',
    ])
    .argument('<statements...>', 'files that gatehouse review --sign wrote')
    .option('--plan <file>', 'the plan file that is applied (default: what the platform plans for the stack)')
    .option('--address <url>', addressHelp)
    .withStack()
    .note('VAULT_TOKEN identifies who asks. Writes the token alone. Statements are good for one.')
    .action((statements: string[], options: DeployingTokenOptions) =>
      exchangeReviews(statements, options, terminal),
    );
};

async function exchangeReviews(
  statements: string[],
  options: DeployingTokenOptions,
  terminal: Terminal,
): Promise<void> {
  const [{ openRuns }, { readStatements }, { fileDigest }] = await Promise.all([
    import('./deploy.ts'),
    import('../statement/require-reviewed.ts'),
    import('../statement/reviewed-change.ts'),
  ]);
  const path = (file: string) => resolve(terminal.cwd, file);
  const read = await readStatements(statements.map(path));
  const client = openRuns({ address: options.address, env: terminal.env });
  const issued = await client.deployingToken({
    stack: stackOf(options, terminal),
    statements: read.map(({ text }) => text),
    ...(options.plan !== undefined && { file: await fileDigest(path(options.plan), 'plan') }),
  });
  print(terminal, options, issued, () => `${issued.token}\n`);
}
