import { createHash } from 'node:crypto';
import { chmod, readdir, readFile } from 'node:fs/promises';
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
  for (const program of programs) {
    const started = performance.now();
    const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`;
    await builtOnce(program, () => console.log(`${program.program}: built in ${seconds()}`));
  }
}

/**
 * A program that is built where it is not there yet.
 *
 * @returns its path
 */
export async function builtOnce(
  { program, module, path, ldflags, gcflags = '' }: GoProgram,
  done = () => {},
): Promise<string> {
  const args = ['build', '-mod=readonly', '-gcflags', gcflags, '-ldflags', ldflags];
  const madeOf = async () => [goVersion, ...args, path, await sourcesOf(module)].join('\n');
  return fetched(program, madeOf, async (folder) => {
    const out = join(folder, basename(program));
    await run(await go(), [...args, '-o', out, path], {
      cwd: module,
      // Without a C compiler, too.
      env: { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local' },
      maxBuffer: 64 * 1024 * 1024,
    });
    done();
    return out;
  });
}

/** A digest of what a module has in its own folder: `go.mod` and `go.sum`, which pin everything else, and its programs. */
export async function sourcesOf(module: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(module)).filter((file) => /\.go$|^go\.(mod|sum)$/.test(file)).sort())
    hash.update(JSON.stringify([name, await readFile(join(module, name), 'utf8')]));
  return hash.digest('hex');
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
