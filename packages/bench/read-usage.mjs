// The process that the bench `usage` measures: `fold`, `parse` or `count`, and a path. Flags as packages/cli/gatehouse.mjs has them.
import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';

const [, , how, path = ''] = process.argv;
if (how === 'fold') {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=50');
  const { readLog } = await import('../cli/src/usage/read-log.ts');
  const { requests } = await readLog({ files: [path], stdin: process.stdin });
  console.log(requests.length);
} else if (how === 'parse') {
  let lines = 0;
  for await (const line of createInterface({ input: createReadStream(path, { highWaterMark: 1 << 18 }) })) {
    JSON.parse(line);
    lines += 1;
  }
  console.log(lines);
} else {
  process.stdout.write(execFileSync('sh', ['-c', 'zcat "$1" | wc -l', 'sh', path]));
}
