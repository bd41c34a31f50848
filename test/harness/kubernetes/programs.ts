import { join } from 'node:path';
import { home, isThere } from '../fetched.ts';

/** As the `go.mod` of each pins it. */
export const versions = { 'kube-apiserver': '1.36.3', etcd: '3.7.3' } as const;

/** Where `build.ts` leaves the programs. */
export const programs = {
  'kube-apiserver': join(home, 'kubernetes', `kube-apiserver-${versions['kube-apiserver']}`),
  etcd: join(home, 'kubernetes', `etcd-${versions.etcd}`),
} as const;

/** Why there is no cluster to be had here; undefined where there is. */
export async function whyNoCluster(): Promise<string | undefined> {
  const missing = [];
  for (const program of Object.values(programs)) if (!(await isThere(program))) missing.push(program);
  if (missing.length === 0) return undefined;
  return `There is no ${missing.join(' and no ')}. With Go, npm run build:kubernetes makes them once, in six minutes.`;
}
