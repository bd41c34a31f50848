import { chmod, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fetched, run } from './fetched.ts';

/** The Go that the modules ask for. An older one fetches it. */
const goVersion = '1.26.8';

export interface GoProgram {
  /** Where it is kept. */
  program: string;
  /** Folder of the module whose `go.sum` pins what it is made of. */
  module: string;
  /** The package's path. */
  path: string;
  ldflags: string;
  /** Defaults to what makes a program fast. */
  gcflags?: string;
}

/** Builds programs that are not there yet, one after the other, and says which. */
export async function buildOnce(programs: GoProgram[]): Promise<void> {
  for (const { program, module, path, ldflags, gcflags = '' } of programs) {
    await fetched(program, async (folder) => {
      const started = performance.now();
      const out = join(folder, basename(program));
      await run(
        await go(),
        ['build', '-mod=readonly', '-gcflags', gcflags, '-ldflags', ldflags, '-o', out, path],
        {
          cwd: module,
          // Without a C compiler, too.
          env: { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local' },
          maxBuffer: 64 * 1024 * 1024,
        },
      );
      console.log(`${program}: built in ${Math.round((performance.now() - started) / 1000)} s`);
      return out;
    });
  }
}

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
