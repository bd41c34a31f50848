import { runCommand } from '../../cli/test/running-command.ts';
import type { RunGatehouse } from '../command.ts';
import type { hosts } from './hosts.ts';

type Host = (typeof hosts)[number];

/**
 * A host whose jobs run `gatehouse` in this process. gitlab.test.ts starts it as it is, and so do drift.both.test.ts and
 * github.both.test.ts in `npm run test:long`.
 */
export function inProcess(host: Host): Host {
  return { ...host, main: (argv, env, say) => host.main(argv, env, say, run) };
}

const run: RunGatehouse = async (args, folder, env) => {
  const { code, out, err } = await runCommand(args, env, folder);
  return { code, stdout: out, stderr: err };
};
