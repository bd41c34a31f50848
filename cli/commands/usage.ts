import { Argument } from 'commander';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { ExitCode, widthOf } from '../rendering/terminal.ts';
import { type AddCommand, addCommand, print, withStack } from './command.ts';
import { logsOf, type ServiceOptions, secondsOf, serviceOf, withSnapshot } from './service-options.ts';

interface UsageOptions extends ServiceOptions {
  refine?: string;
  floor?: string[];
  since?: string;
  hashPeople?: boolean;
}

export const addUsage: AddCommand = (program, { terminal }) => {
  const command = addCommand(program, 'usage', 'say from audit logs what is used, and what is not', [
    'gatehouse usage audit.log -s prod --live',
    'gatehouse usage audit.log audit.log.1.gz -s prod --snapshot prod.snapshot --since 90d',
    'kubectl logs bao-0 | gatehouse usage - -s prod',
    'gatehouse usage audit.log -s prod --live --refine shop',
  ]);
  command
    .addArgument(new Argument('<logs...>', 'audit logs in JSON, .gz ones too, - for standard input'))
    .option('--since <duration>', 'only what is younger: 90d, 36h')
    .option('--live', 'compare with what the service has (default: what the stack declares)');
  withSnapshot(withStack(command))
    .option('--refine <name>', 'make this policy, or those of this role, smaller by what was used')
    .option(
      '--floor <capabilities>',
      'with --refine: what must stay, as "read secret/data/yearly/*"; repeatable',
      (text: string, before: string[] = []) => [...before, text],
    )
    .option('--hash-people', 'replace names of people by hashes that hold for this report alone')
    .addHelpText('after', '\nExit code 0: the log was read. 1: it cannot be read. Lines are never kept.');
  command.action(async (files: string[], options: UsageOptions) => {
    const [{ usage }, { usageText }, { Progress }] = await Promise.all([
      import('../../operations/usage/usage.ts'),
      import('../rendering/usage-text.ts'),
      import('../rendering/progress.ts'),
    ]);
    if (options.floor !== undefined && options.refine === undefined) {
      throw new GatehouseError({
        code: 'option_conflict',
        what: '--floor is about --refine, which is not given',
        fix: 'Name a policy or a role with --refine.',
      });
    }
    const progress = new Progress(terminal);
    const service = await serviceOf(options, terminal, progress.onRead);
    const { since } = options;
    const log = {
      ...logsOf(files, terminal),
      ...(since !== undefined && { since: service.now - (await secondsOf('--since', since)) * 1000 }),
    };
    if (options.refine !== undefined) {
      const [{ refineUsage }, { refineText }] = await Promise.all([
        import('../../operations/usage/refine.ts'),
        import('../rendering/refine-text.ts'),
      ]);
      const asked = { log, service, name: options.refine, floor: options.floor ?? [] };
      const refined = await refineUsage(asked).finally(() => progress.clear());
      return print(terminal, options, refined, (style) => refineText(refined, style));
    }
    const report = await usage({
      log,
      service,
      hashPeople: options.hashPeople === true,
    }).finally(() => progress.clear());
    print(terminal, options, report, (style) =>
      usageText(report, style, service.now, widthOf(terminal.stdout, terminal.env)),
    );
    terminal.exitCode = ExitCode.ok;
  });
};
