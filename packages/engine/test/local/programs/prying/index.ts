import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';

// What a program that is not trusted would look at, and send somewhere.
const config = new pulumi.Config();
const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
const variablesOf = (id: string) => {
  try {
    return readFileSync(`/proc/${id}/environ`, 'utf8');
  } catch {
    return '';
  }
};
const reached = await fetch(config.require('address')).then(
  ({ status }) => status,
  () => 'not reached',
);
const writes = (path: string) => {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};
const own = import.meta.dirname;
const require = createRequire(import.meta.url);
const installed = dirname(require.resolve('@pulumi/pulumi/package.json'));
const shown = (command: string, ...args: string[]) => spawnSync(command, args, { encoding: 'utf8' }).status;
console.log(
  JSON.stringify({
    variables: Object.keys(process.env),
    holds: processes.filter((id) => variablesOf(id).includes('open sesame')).length,
    reached,
    sees: config.requireObject<string[]>('private').filter(existsSync),
    writes: [own, installed, '/tmp', '/usr', '/', '/root', '/proc/sys/kernel/core_pattern'].filter(writes),
    hasScratch: writes(mkdtempSync(join(tmpdir(), 'a-'))),
    keys: JSON.parse(process.env['PULUMI_CONFIG'] ?? '{}')['gatehouse:runTaskKeys'],
    unmounts: shown('umount', '/proc'),
    nests: shown('unshare', '--user', '--map-root-user', 'true'),
  }),
);
