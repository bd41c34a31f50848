import { type AddCommand, addCommand, collectUrn } from './command.ts';
import { appliedJsonHelp, withDeployment } from './deployment-command.ts';

export const addRefresh: AddCommand = (program, context) => {
  const command = addCommand(
    program,
    'refresh',
    'read the service into the state, without changing the service',
    ['gatehouse refresh -s dev --yes'],
  )
    .option('--target <urn>', 'only this resource; repeatable', collectUrn)
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', appliedJsonHelp);
  const load = async () => (await import('../../operations/deployment.ts')).refresh;
  withDeployment(command, 'refresh', context, 'Update the state?', load);
};
