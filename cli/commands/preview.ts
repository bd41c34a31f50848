import { type AddCommand, addCommand, collectUrn } from './command.ts';
import { withDeployment } from './deployment-command.ts';

export const addPreview: AddCommand = (program, context) => {
  const command = addCommand(program, 'preview', 'show what up would change, and change nothing', [
    'gatehouse preview -s dev',
    'gatehouse preview -s prod --refresh --json > plan.json',
  ])
    .option('--refresh', 'read every resource from the service first')
    .option('--import <file>', 'take over what this file names, instead of creating it (local engine)')
    .option('--target <urn>', 'only this resource; may be given several times', collectUrn)
    .addHelpText(
      'after',
      '\nWith --json it prints what pulumi preview --json prints; secrets read "[secret]".',
    );
  withDeployment(
    command,
    'preview',
    context,
    '',
    async () => (await import('../../operations/deployment.ts')).preview,
  );
};
