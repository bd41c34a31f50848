import { toSnakeCase } from '../../graph/values/wire.ts';

/** Packages whose resources are named and work as those of the official `vault`: forks, and what bridges them. */
const packages = ['vault', 'openbao', 'bao'];

const anyPackage = packages.join('|');
const ofPackage = new RegExp(`^(?:${anyPackage})[_:]`);
const prefix = new RegExp(`^(?:${anyPackage})_`);
const provider = new RegExp(`(?:^|/)(?:${anyPackage})$`);

/** What no other provider is known to have: what such types end with in a package of any name. */
const ownEnding = /(?:^|_)(?:\w+_)?(?:auth_backend(?:_\w+)?|identity_(?:group|entity)_alias)$/;

/** Whether a package of Pulumi, or a provider of Terraform, makes what a secrets service has: `vault`, `hashicorp/vault`. */
export function isServicePackage(name: string): boolean {
  return provider.test(name);
}

/** A type of Terraform by its name in the official provider: `bao_policy` → `vault_policy`. Others stay as they are. */
export function officialName(type: string): string {
  return type.replace(prefix, 'vault_');
}

/**
 * Whether a resource is of a secrets service, or may be one: by its package, or by a type that ends as those of the official
 * provider do.
 *
 * @param type as Terraform or Pulumi has it
 * @param providerName of its provider, as Terraform has it
 */
export function mayBeOfService(type: string, providerName = ''): boolean {
  return ofPackage.test(type) || isServicePackage(providerName) || ownEnding.test(snakeForm(type));
}

/** `bao:jwt/authBackendRole:AuthBackendRole` → `jwt_auth_backend_role` */
function snakeForm(type: string): string {
  const [, module, resource] = /^[\w-]+:(\w+)\/(\w+):\w+$/.exec(type) ?? [];
  return module === undefined || resource === undefined ? type : toSnakeCase(`${module}_${resource}`);
}
