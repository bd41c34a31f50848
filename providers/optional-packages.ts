import { createRequire } from 'node:module';

/**
 * Official packages that few environments need, loaded when the first resource of theirs is made: both together take
 * 10 MB of every program, and a tenth of a second.
 */
const require = createRequire(import.meta.url);

export function kubernetesPackage(): typeof import('@pulumi/kubernetes') {
  return require('@pulumi/kubernetes');
}

export function azureadPackage(): typeof import('@pulumi/azuread') {
  return require('@pulumi/azuread');
}
