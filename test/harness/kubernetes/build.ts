/**
 * `npm run build:kubernetes`: builds a Kubernetes API server and etcd for the tests on a real cluster, from the Go modules
 * that the `go.sum` next to this file pins. Takes six minutes on two cores, once: `.gatehouse/kubernetes` keeps them.
 */
import { fileURLToPath } from 'node:url';
import { buildOnce } from '../go-build.ts';
import { programs, versions } from './programs.ts';

/** Nothing is measured of them: what is not optimized is built in two thirds of the time. */
const gcflags = 'all=-N -l';
const folder = (name: string) => fileURLToPath(new URL(name, import.meta.url));

await buildOnce([
  {
    program: programs.etcd,
    module: folder('etcd'),
    path: 'go.etcd.io/etcd/server/v3',
    gcflags,
    ldflags: '-s -w',
  },
  {
    program: programs['kube-apiserver'],
    module: folder('kube-apiserver'),
    path: 'k8s.io/kubernetes/cmd/kube-apiserver',
    gcflags,
    ldflags: `-s -w -X k8s.io/component-base/version.gitVersion=v${versions['kube-apiserver']}`,
  },
]);
