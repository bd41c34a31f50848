import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './fetched.ts';

/** The Go that the tests' modules ask for. An older one fetches it. */
const goVersion = '1.26.8';

/** The Go on the PATH; if it is older, the one that is wanted, as a module (which a Go before 1.21 does not do by itself). */
export async function go(): Promise<string> {
  const there = (await run('go', ['env', 'GOVERSION'])).stdout.trim();
  const [, major = 0, minor = 0] = (/^go(\d+)\.(\d+)/.exec(there) ?? []).map(Number);
  if (major > 1 || minor >= 26) return 'go';
  const system = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const toolchain = `golang.org/toolchain@v0.0.1-go${goVersion}.${system}`;
  const { stdout } = await run('go', ['mod', 'download', '-json', toolchain]);
  const { Dir: folder } = JSON.parse(stdout) as { Dir: string };
  // An older Go leaves no file of a module executable.
  for (const inner of ['bin', join('pkg', 'tool', system.replace('-', '_'))]) {
    const files = await readdir(join(folder, inner));
    await Promise.all(files.map((file) => chmod(join(folder, inner, file), 0o755)));
  }
  return join(folder, 'bin', 'go');
}
