import { createRequire } from 'node:module';
import { GatehouseError } from '@gatehouse/core/values';

/**
 * Official packages that few environments need, loaded for their first resource: both together would cost every program
 * 10 MB and a tenth of a second. A team that has none of these resources does not install them.
 */
const require = createRequire(import.meta.url);

/** @throws GatehouseError `package_missing` */
export function kubernetesPackage(): typeof import('@pulumi/kubernetes') {
  return load(
    '@pulumi/kubernetes',
    'What the program creates in a cluster (`cluster` of a container orchestrator)',
  );
}

/** @throws GatehouseError `package_missing` */
export function azureadPackage(): typeof import('@pulumi/azuread') {
  return load(
    '@pulumi/azuread',
    'The application that the program creates (`application` of a cloud directory)',
  );
}

function load<Package>(name: string, user: string): Package {
  try {
    require.resolve(name);
  } catch {
    const { peerDependencies } = require('../package.json');
    throw new GatehouseError('package_missing', { values: { user, name, version: peerDependencies[name] } });
  }
  return require(name);
}
