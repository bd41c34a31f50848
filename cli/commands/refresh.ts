import { type AddCommand, addCommand, collectUrn } from './command.ts';
import { appliedJsonHelp, withDeployment } from './deployment-command.ts';

export const addRefresh: AddCommand = (program, context) => {
  const command = addCommand(
    program,
    'refresh',
    'take what the service has into the state; the service is left as it is',
    ['gatehouse refresh -s dev --yes'],
  )
    .option('--target <urn>', 'only this resource; may be given several times', collectUrn)
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', appliedJsonHelp);
  const load = async () => (await import('../../operations/deployment.ts')).refresh;
  withDeployment(command, 'refresh', context, 'Take these into the state?', load);
};
