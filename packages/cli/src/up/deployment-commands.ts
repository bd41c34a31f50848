import { GatehouseError } from '@gatehouse/core/values';
import type { OperationResult } from '../deployment/deployment.ts';
import {
  type AddCommand,
  type CommandContext,
  type GatehouseCommand,
  wholeNumber,
} from '../terminal/command.ts';
import { areSeveral } from '../terminal/each-stack.ts';
import type { DeploymentOptions } from './deployment-options.ts';

const appliedJsonHelp =
  '--json prints what pulumi preview --json prints, plus outputs and result (succeeded, failed).';
const continueOnError = [
  '--continue-on-error',
  'after a failure, go on with everything that does not depend on it',
] as const;

export const addPreview: AddCommand = (program, context) => {
  const command = program.add('preview', 'show what up would change', [
    'gatehouse preview -s dev',
    'gatehouse preview -s prod --refresh --json > plan.json',
  ]);
  withPlanOptions(command).note('--json prints what pulumi preview --json prints. Secrets read "[secret]".');
  withDeployment(command, 'preview', context, '');
};

export const addUp: AddCommand = (program, context) => {
  const command = program.add('up', 'apply what the stack declares', [
    'gatehouse up -s dev',
    'gatehouse up -s prod --engine pulumi --yes',
    "gatehouse up -s 'prod-*'",
  ]);
  withPlanOptions(command)
    .option(
      '--preflight',
      'first ask the identity providers whether people could sign in; if not, change nothing',
    )
    .repeatable(
      '--take-over <name>',
      "overwrite this, although it exists and this stack did not create it: 'policy deploy'; repeatable",
    )
    .repeatable(
      '--require-review <file>',
      'a signed review of this change, as gatehouse:reviews asks for; repeatable',
    )
    .option(
      '--allow-replace',
      'recreate auth methods that move to another namespace: everyone’s identity there is lost',
    )
    .option(
      '--max-failures <number>',
      'with several stacks: start no more after this many failures (default: 1)',
      wholeNumber(1, 9999),
    )
    .option(...continueOnError)
    .option('-y, --yes', 'do not ask')
    .note(appliedJsonHelp);
  withDeployment(command, 'up', context, 'Make these changes?');
};

export const addRefresh: AddCommand = (program, context) => {
  const command = program.add('refresh', 'read the service into the state, without changing the service', [
    'gatehouse refresh -s dev --yes',
  ]);
  withTarget(command).option('-y, --yes', 'do not ask').note(appliedJsonHelp);
  withDeployment(command, 'refresh', context, 'Update the state?');
};

export const addDestroy: AddCommand = (program, context) => {
  const command = program.add('destroy', 'delete everything that the stack created', [
    'gatehouse destroy -s dev',
  ]);
  withTarget(command)
    .option(...continueOnError)
    .option('-y, --yes', 'do not ask')
    .note(appliedJsonHelp);
  withDeployment(command, 'destroy', context, 'Delete all of this?');
};

function withTarget(command: GatehouseCommand, ofStacks = ''): GatehouseCommand {
  return command
    .repeatable(
      '--target <name>',
      "work only on this: 'role web', 'group staff/*', 'provider staff', or a URN; repeatable",
    )
    .repeatable('--exclude <name>', 'leave this unchanged; named the same way; repeatable')
    .option('--parallel <number>', `how many steps at once (default: 16)${ofStacks}`, wholeNumber(1, 9999));
}

function withPlanOptions(command: GatehouseCommand): GatehouseCommand {
  command
    .withReading()
    .withBase()
    .withReplay()
    .option('--refresh', 'read every resource from the service first')
    .option(
      '--import <file>',
      'import the resources that this file names instead of creating them (local engine)',
    )
    .repeatable(
      '--policy-pack <folder>',
      'have this policy pack of Pulumi judge it (pulumi engine); repeatable',
    )
    .repeatable(
      '--policy-pack-config <file>',
      'configuration of the policy pack that is named in the same place; repeatable',
    );
  return withTarget(command, '; with several stacks, how many stacks at once (up: 1)');
}

function withDeployment(
  command: GatehouseCommand,
  verb: OperationResult['verb'],
  context: CommandContext,
  question: string,
): void {
  command
    .withStack()
    .withEngine()
    .withAllStacks(verb === 'refresh' || verb === 'destroy')
    .action(async (options: DeploymentOptions) => {
      if (areSeveral(options) && verb !== 'preview' && verb !== 'up') {
        throw new GatehouseError('option_conflict.one_at_a_time', { values: { verb } });
      }
      // Loaded here, so that --help and the other commands need not wait for it.
      const { deployStacks } = await import('./deploy-stacks.ts');
      return deployStacks(verb, question, options, context);
    });
}
