/**
 * `npm run build:kubernetes`: builds a Kubernetes API server and etcd for the tests on a real cluster, from the Go modules
 * that the `go.sum` next to this file pins. Takes six minutes on two cores, once: `.gatehouse/kubernetes` keeps them.
 */
import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetched, run } from '../fetched.ts';
import { programs, versions } from './programs.ts';

/** The Go that the modules ask for. An older one fetches it. */
const goVersion = '1.26.8';

const packages = {
  etcd: { path: 'go.etcd.io/etcd/server/v3', flags: '-s -w' },
  'kube-apiserver': {
    path: 'k8s.io/kubernetes/cmd/kube-apiserver',
    flags: `-s -w -X k8s.io/component-base/version.gitVersion=v${versions['kube-apiserver']}`,
  },
};

for (const name of ['etcd', 'kube-apiserver'] as const) {
  const { path, flags } = packages[name];
  await fetched(programs[name], async (folder) => {
    console.log(`building ${name} ${versions[name]}`);
    const out = join(folder, name);
    await run(await go(), ['build', '-mod=readonly', '-ldflags', flags, '-o', out, path], {
      cwd: fileURLToPath(new URL(name, import.meta.url)),
      // Without a C compiler, too.
      env: { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local' },
      maxBuffer: 64 * 1024 * 1024,
    });
    return out;
  });
}

/** The Go on the PATH; if it is older, the one that is wanted, as a module (which a Go before 1.21 does not do by itself). */
async function go(): Promise<string> {
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
