import { type AddCommand, addCommand, collectUrn } from './command.ts';
import { appliedJsonHelp, withDeployment } from './deployment-command.ts';

export const addDestroy: AddCommand = (program, context) => {
  const command = addCommand(program, 'destroy', 'delete everything that the stack created', [
    'gatehouse destroy -s dev',
  ])
    .option('--target <urn>', 'only this resource; repeatable', collectUrn)
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', appliedJsonHelp);
  const load = async () => (await import('../../operations/deployment.ts')).destroy;
  withDeployment(command, 'destroy', context, 'Delete all of this?', load);
};
