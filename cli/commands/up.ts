import { type AddCommand, addCommand, collectUrn } from './command.ts';
import { appliedJsonHelp, withDeployment } from './deployment-command.ts';

export const addUp: AddCommand = (program, context) => {
  const command = addCommand(program, 'up', 'apply what the stack declares', [
    'gatehouse up -s dev',
    'gatehouse up -s prod --engine pulumi --yes',
  ])
    .option('--refresh', 'read every resource from the service first')
    .option(
      '--import <file>',
      'import the resources that this file names instead of creating them (local engine)',
    )
    .option('--target <urn>', 'only this resource; repeatable', collectUrn)
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', appliedJsonHelp);
  withDeployment(
    command,
    'up',
    context,
    'Make these changes?',
    async () => (await import('../../operations/deployment.ts')).up,
  );
};
