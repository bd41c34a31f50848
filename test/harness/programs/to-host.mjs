// Preloaded into every process that an engine starts for a program. It hands the program to a process that has the SDK
// loaded (hosts.ts), passes on what that says, and ends as it ends. Plain JavaScript, and next to nothing imported: that is
// the point.
import { connect } from 'node:net';

const [, executor = '', ...args] = process.argv;
const { GATEHOUSE_PROGRAM_HOSTS: hosts, GATEHOUSE_TRACES: traces, ...env } = process.env;

if (hosts === undefined || traces === '1' || !executor.endsWith('/@pulumi/pulumi/cmd/run/index.js'))
  await import('../../../packages/engine/src/local/lean-executor.ts');
else process.exit(await runByHost(hosts));

function runByHost(path) {
  const socket = connect(path);
  socket.write(`${JSON.stringify({ args, env, directory: process.cwd() })}\n`);
  let text = '';
  let code = 1;
  socket.setEncoding('utf8');
  socket.on('data', (part) => {
    const lines = (text + part).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const output = JSON.parse(line);
      if ('code' in output) code = output.code;
      else process[output.stream].write(output.text);
    }
  });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => resolve(code));
  });
}
