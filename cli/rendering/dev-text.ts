import type { Dev } from '../../operations/dev/dev.ts';
import { RunText } from './run-text.ts';
import type { Style } from './style.ts';

/** What `gatehouse dev` started and tried, and what to try next. */
export function devText(dev: Omit<Dev, 'close'>, style: Style, serving: boolean): string {
  const width = Math.max(...dev.methods.map(({ kind }) => kind.length));
  const paths = Math.max(...dev.methods.map(({ path }) => path.length));
  const lines = [
    `${style.strong('Secrets service')}    ${dev.address}`,
    `${style.strong('Identity provider')}  ${dev.identityAddress}`,
    `${style.strong('Run tasks')}          ${dev.runTaskAddress}/ui/`,
    '',
    style.strong(`${dev.methods.length} auth methods`),
    ...dev.methods.map(
      ({ kind, type, path, roles }) =>
        `  ${kind.padEnd(width)}  ${type.padEnd(4)}  auth/${path.padEnd(paths)}  roles: ${roles.join(', ')}`,
    ),
    `${style.strong('External groups')}  ${dev.groups.join(', ')}`,
    `${style.strong('Policies')}         ${dev.policies.join(', ')}`,
    ...Object.entries(dev.messages).map(
      ([state, titles], index) =>
        `${index === 0 ? style.strong('Messages') : ' '.repeat(8)}         ${state}: ${titles.join(', ') || 'none'}`,
    ),
    '',
    new RunText(style).news(dev.run),
    ...[dev.person, dev.workload].flatMap(({ subject, role, method, policies, leaseSeconds }) => [
      `${style.added('Signed in')}  ${subject}`,
      `           as ${role} through auth/${method}, for ${leaseSeconds} seconds`,
      `           policies: ${policies.join(', ')}`,
    ]),
  ];
  if (serving) lines.push('', ...nextSteps(dev, style));
  return `${lines.join('\n')}\n`;
}

function nextSteps(dev: Omit<Dev, 'close'>, style: Style): string[] {
  return [
    `${style.strong('Sign in with a browser:')} ${dev.address}/ui/ and ${dev.runTaskAddress}/ui/`,
    '',
    style.strong('Try next, in another terminal:'),
    ...Object.entries(dev.variables).map(([name, value]) => `  export ${name}=${value}`),
    '  npx gatehouse preview -s dev     # nothing to do',
    '  # change a role in Pulumi.dev.yaml, then',
    '  npx gatehouse preview -s dev     # shows the change',
    '  npx gatehouse up -s dev          # applies it at once, or:',
    '  npx gatehouse deploy -s dev      # applies it, gated by the run task',
    '',
    style.faint('Serving until Ctrl-C.'),
  ];
}
