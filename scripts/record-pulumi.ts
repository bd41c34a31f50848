// `npm run record`: makes the recordings of test/recorded/ anew, with the `pulumi` on the PATH. `-- --to FOLDER`: elsewhere.
import { parseArgs } from 'node:util';
import { GatehouseError } from '../core/model/values/errors.ts';
import { record } from './recording/record.ts';

const { values } = parseArgs({ options: { to: { type: 'string', default: 'test/recorded' } } });
try {
  const onRun = (recording = 'the first up') => process.stderr.write(`${recording} …\n`);
  const files = await record({ to: values.to, env: process.env, onRun });
  process.stdout.write(`${files.length} files in ${values.to}\n`);
} catch (error) {
  if (!(error instanceof GatehouseError)) throw error;
  process.stderr.write(`${error.code}: ${error.message}\n`);
  process.exitCode = 1;
}
