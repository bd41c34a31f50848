import type { Dev } from '../../operations/dev.ts';
import type { Style } from './style.ts';

/** What `gatehouse dev` started and showed to work, and what to try next. */
export function devText(dev: Omit<Dev, 'close'>, style: Style, serving: boolean): string {
  const { workload } = dev;
  const width = Math.max(...dev.methods.map(({ kind }) => kind.length));
  const paths = Math.max(...dev.methods.map(({ path }) => path.length));
  const lines = [
    `${style.strong('Secrets service')}    ${dev.address} (OpenBao, in memory)`,
    `${style.strong('Identity provider')}  ${dev.identityAddress}`,
    '',
    style.strong(`${dev.methods.length} auth methods`),
    ...dev.methods.map(
      ({ kind, type, path, roles }) =>
        `  ${kind.padEnd(width)}  ${type.padEnd(4)}  auth/${path.padEnd(paths)}  roles: ${roles.join(', ')}`,
    ),
    `${style.strong('External groups')}  ${dev.groups.join(', ')}`,
    `${style.strong('Policies')}         ${dev.policies.join(', ')}`,
    ...(dev.messagesLeftOut.length === 0
      ? []
      : [
          `${style.strong('Messages')}         left out, this service has none: ${dev.messagesLeftOut.join(', ')}`,
        ]),
    '',
    `${style.added('Signed in')}  ${workload.subject}`,
    `           as ${workload.role} through auth/${workload.method}, for ${workload.leaseSeconds} seconds`,
    `           policies: ${workload.policies.join(', ')}`,
  ];
  if (serving) lines.push('', ...nextSteps(dev, style));
  return `${lines.join('\n')}\n`;
}

function nextSteps(dev: Omit<Dev, 'close'>, style: Style): string[] {
  return [
    style.strong('Try next, in another terminal:'),
    ...Object.entries(dev.variables).map(([name, value]) => `  export ${name}=${value}`),
    '  npx gatehouse preview -s dev     # nothing to do',
    '  # change a role in Pulumi.dev.yaml, then',
    '  npx gatehouse preview -s dev     # shows just that',
    '  npx gatehouse up -s dev          # makes it so',
    '',
    style.faint('Serving until Ctrl-C.'),
  ];
}
