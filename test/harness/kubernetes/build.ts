/**
 * `npm run build:kubernetes`: builds a Kubernetes API server and etcd for the tests on a real cluster, from the Go modules
 * that the `go.sum` next to this file pins. Takes six minutes on two cores, once: `.gatehouse/kubernetes` keeps them.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetched, run } from '../fetched.ts';
import { go } from '../go-toolchain.ts';
import { programs, versions } from './programs.ts';

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
