import { formatDuration } from '../../core/model/values/duration.ts';
import type { Dev } from '../../operations/dev/dev.ts';
import { oneLine, type Style } from './style.ts';

/** What `gatehouse dev` started and tried, and what to try next: twelve lines while it serves. */
export function devText(dev: Omit<Dev, 'close'>, style: Style, serving: boolean): string {
  const row = (title: string, text: string) => `${style.strong(title.padEnd(17))}  ${text}`;
  const messages = Object.values(dev.messages).flat();
  const counts = [
    countOf(dev.methods.length, 'auth method'),
    countOf(dev.methods.flatMap(({ roles }) => roles).length, 'role'),
    countOf(dev.groups.length, 'external group'),
    `${dev.policies.length} ${dev.policies.length === 1 ? 'policy' : 'policies'}`,
    countOf(messages.length, 'message'),
  ];
  const lines = [
    row('Secrets service', `${dev.address}/ui/`),
    row('Identity provider', dev.identityAddress),
    row('Run tasks', `${dev.runTaskAddress}/ui/`),
    row('Declared', counts.join(', ')),
    row('Review', reviewOf(dev.run)),
    row('', `${dev.runTaskAddress}/ui/runs/${dev.run.id}`),
    ...[dev.person, dev.workload].map(({ subject, role, method, policies, leaseSeconds }) =>
      row(
        'Signed in',
        `${subject} as ${role} of auth/${method} for ${formatDuration(leaseSeconds)}: ${policies.join(', ')}`,
      ),
    ),
  ];
  if (serving) lines.push(...nextSteps(dev, style));
  return `${lines.join('\n')}\n`;
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** The first line of what the run tasks said; a start that changes nothing asks none. */
function reviewOf({ tasks, hasChanges }: Dev['run']): string {
  if (hasChanges === false) return 'nothing to change';
  const said = tasks.map(({ status, message }) => (message === null ? status : `${status}: ${message}`));
  return oneLine(said[0] ?? 'none');
}

function nextSteps(dev: Omit<Dev, 'close'>, style: Style): string[] {
  const variables = Object.entries(dev.variables).map(([name, value]) => `${name}=${value}`);
  return [
    '',
    style.strong('Try next, in another terminal; Ctrl-C here stops everything:'),
    `  export ${variables.join(' ')}`,
    '  npx gatehouse preview -s dev',
  ];
}
