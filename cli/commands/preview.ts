import { type AddCommand, addCommand, collectUrn } from './command.ts';
import { withDeployment } from './deployment-command.ts';

export const addPreview: AddCommand = (program, context) => {
  const command = addCommand(program, 'preview', 'show what up would change', [
    'gatehouse preview -s dev',
    'gatehouse preview -s prod --refresh --json > plan.json',
  ])
    .option('--refresh', 'read every resource from the service first')
    .option(
      '--import <file>',
      'import the resources that this file names instead of creating them (local engine)',
    )
    .option('--target <urn>', 'only this resource; repeatable', collectUrn)
    .addHelpText('after', '\n--json prints what pulumi preview --json prints. Secrets read "[secret]".');
  withDeployment(
    command,
    'preview',
    context,
    '',
    async () => (await import('../../operations/deployment.ts')).preview,
  );
};
