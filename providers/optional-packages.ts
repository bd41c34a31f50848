import { createRequire } from 'node:module';

/**
 * Official packages that few environments need, loaded for their first resource: both together would cost every program
 * 10 MB and a tenth of a second.
 */
const require = createRequire(import.meta.url);

export function kubernetesPackage(): typeof import('@pulumi/kubernetes') {
  return require('@pulumi/kubernetes');
}

export function azureadPackage(): typeof import('@pulumi/azuread') {
  return require('@pulumi/azuread');
}
