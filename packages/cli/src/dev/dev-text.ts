import { count } from '@gatehouse/core/review';
import { partName } from '@gatehouse/core/values';
import { oneLine, type Style } from '../terminal/style.ts';
import type { Dev } from './dev.ts';

/** What `gatehouse dev` started and tried, and what to try next. `--json` has every name. */
export function devText(dev: Omit<Dev, 'close'>, style: Style, serving: boolean): string {
  const { methods, groups, policies, messages, run, isUnchanged } = dev;
  const title = (text: string) => style.strong(text.padEnd(19));
  const parts = [
    count(methods.length, 'auth method'),
    count(methods.flatMap(({ roles }) => roles).length, 'role'),
    count(groups.length, 'external group'),
    count(policies.length, 'policy', 'policies'),
    count(Object.values(messages).flat().length, 'message'),
  ];
  // The last deployment was reviewed; what it changed then is no news now.
  const tasks = isUnchanged ? [] : run.tasks;
  const reviews = tasks.flatMap(({ name, message }) =>
    message === null ? [] : [`${title(`Run task ${oneLine(name)}`)}${oneLine(message)}`],
  );
  const lines = [
    `${title('Secrets service')}${dev.address}/ui/`,
    `${title('Identity provider')}${dev.identityAddress}`,
    `${title('Run tasks')}${dev.runTaskAddress}/ui/`,
    '',
    `${title(run.status === 'applied' && !isUnchanged ? 'Applied' : 'Applied before')}${parts.join(', ')}`,
    ...(isUnchanged ? [`${title('Unchanged')}nothing to plan or to review since run ${run.id}`] : reviews),
    ...[dev.person, dev.workload].map(
      ({ subject, role, method, policies: held }) =>
        `${title('Signed in')}${subject}, as ${partName('role', method, role)}: ${held.join(', ')}`,
    ),
  ];
  if (serving) {
    const variables = Object.entries(dev.variables).map(([name, value]) => `${name}=${value}`);
    lines.push(
      '',
      `  export ${variables.join(' ')}`,
      '  npx gatehouse preview -s dev     # in another terminal; change a role in Pulumi.dev.yaml first',
      style.faint('Serving until Ctrl-C.'),
    );
  }
  return `${lines.join('\n')}\n`;
}
