import { GatehouseError } from '../../core/model/values/errors.ts';
import type { Stack } from '../stack.ts';
import type { Deployment } from './deployment.ts';
import { type ProgramEnd, runProgram } from './program.ts';
import { withoutStackTrace } from './program-message.ts';

export interface ProgramRunOptions {
  stack: Stack;
  dryRun: boolean;
  parallel: number;
  env: NodeJS.ProcessEnv;
  /** Keep the program's stack traces and debug messages. */
  verbose: boolean;
}

/**
 * Runs the stack's program against the deployment and ends the deployment. Resolves to whether the program ran
 * well; its messages are in the deployment's report.
 *
 * @param address where both services of the deployment listen
 */
export async function evaluateProgram(
  deployment: Deployment,
  address: string,
  options: ProgramRunOptions,
): Promise<boolean> {
  const complaints: string[] = [];
  const end = await runProgram({
    ...options,
    monitorAddress: address,
    engineAddress: address,
    signal: deployment.stopped,
    onLine: (line, stream) => {
      if (stream === 'stderr') complaints.push(line);
      else if (line !== '') deployment.report.diagnose('info', line);
    },
  });
  await deployment.finish(end === 'succeeded');
  tellComplaints(complaints.join('\n'), end, deployment, options);
  return end === 'succeeded';
}

/** What the program wrote to stderr is only worth an error when it failed without another word. */
function tellComplaints(
  complaints: string,
  end: ProgramEnd,
  { report }: Deployment,
  { stack, verbose }: ProgramRunOptions,
): void {
  const text = verbose ? complaints : withoutStackTrace(complaints, stack.directory);
  if (end !== 'succeeded' && !report.failed) {
    report.error(
      new GatehouseError({
        code: 'program_failed',
        what: 'the program ended with an error',
        ...(text === '' ? {} : { given: text }),
        fix: 'Fix the program; nothing was deleted.',
      }),
    );
  } else if (text !== '') report.diagnose('info', text);
}
