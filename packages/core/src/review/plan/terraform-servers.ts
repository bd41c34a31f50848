import { sortedJson } from '../../graph/resources/field.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import { isObject } from '../../graph/values/json.ts';
import type { PlannedResource, PlannedSide } from './planned-resource.ts';
import { isServicePackage } from './service-packages.ts';
import type { ProviderConfiguration, TerraformPlan } from './terraform-plan.ts';
import type { TerraformReferences } from './terraform-references.ts';

export type TerraformServer = Pick<PlannedSide, 'server' | 'namespace'> & Pick<PlannedResource, 'isUnplaced'>;

const onlyServer: TerraformServer = { server: 'vault', namespace: '' };

/**
 * Says which server a resource of a Terraform plan is on. Provider configurations with the same address are one server;
 * a namespace that one has is the start of its resources' own.
 */
export class TerraformServers {
  readonly #byKey = new Map<string, TerraformServer>();
  readonly #references: TerraformReferences;
  /** Address of the only server, where the plan says it. */
  readonly address: string | undefined;
  /** Modules whose resources all have one server. */
  readonly #ofModule = new Map<string, TerraformServer | 'several'>();

  constructor({ configuration, variables }: TerraformPlan, references: TerraformReferences) {
    this.#references = references;
    const addresses = new Set<string | undefined>();
    const names = new Map<string, string>();
    for (const [key, config] of Object.entries(configuration?.provider_config ?? {})) {
      if (!isOfService(key, config)) continue;
      const { address, namespace } = config.expressions ?? {};
      const known = constantOf(namespace);
      addresses.add(addressIn(address, key, variables ?? {}));
      // Without an address it is the environment's, for all of them; a variable of one module is not another's.
      const isConstant = known !== undefined && (address === undefined || constantOf(address) !== undefined);
      const module = isConstant ? '' : key.slice(0, key.lastIndexOf(':') + 1);
      const identity = sortedJson([address ?? null, known === undefined ? namespace : null, module]);
      const server = getOrMake(names, identity, () => key);
      this.#byKey.set(key, { server, namespace: known ?? '' });
    }
    this.address = addresses.size === 1 ? [...addresses][0] : undefined;
    for (const { module, key } of references.providerKeys()) {
      const server = this.#ofKey(key);
      if (server === undefined) continue;
      const known = this.#ofModule.get(module);
      this.#ofModule.set(module, known === undefined || known === server ? server : 'several');
    }
  }

  /** @param key of its provider configuration, where the plan says so with the resource */
  of(address: string, key = this.#references.providerKey(address)): TerraformServer {
    const [only = onlyServer, ...rest] = this.#byKey.values();
    if (rest.length === 0) return only;
    // A deleted resource is often no longer in the configuration.
    const known = this.#ofKey(key);
    if (known !== undefined) return known;
    const module = this.#references.moduleOf(address);
    const near = module === '' ? 'several' : this.#ofModule.get(module);
    if (near !== undefined && near !== 'several') return near;
    return { server: 'not known', namespace: '', isUnplaced: true };
  }

  /** Older versions name a configuration that a module was given by the module. */
  #ofKey(key: string | undefined): TerraformServer | undefined {
    return key === undefined ? undefined : (this.#byKey.get(key) ?? this.#byKey.get(withoutModule(key)));
  }
}

function isOfService(key: string, { name, full_name }: ProviderConfiguration): boolean {
  return [name, full_name, withoutModule(key).split('.')[0]].some(
    (one) => one !== undefined && isServicePackage(one),
  );
}

/** `module.m:vault.b` → `vault.b`. */
function withoutModule(key: string): string {
  return key.slice(key.lastIndexOf(':') + 1);
}

/** An address that is written in the configuration, or is a variable of the root module. */
function addressIn(
  expression: unknown,
  key: string,
  variables: NonNullable<TerraformPlan['variables']>,
): string | undefined {
  const { constant_value: constant, references = [] } = isObject(expression) ? expression : {};
  if (typeof constant === 'string') return constant;
  const [name, ...rest] = Array.isArray(references) ? references.map(String) : [];
  const [, variable] = /^var\.([\w-]+)$/.exec(name ?? '') ?? [];
  if (variable === undefined || rest.length > 0 || key.includes(':')) return undefined;
  const value = Object.hasOwn(variables, variable) ? variables[variable]?.value : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** A namespace that is written in the configuration; none where there is no expression, undefined for any other. */
function constantOf(expression: unknown): string | undefined {
  if (expression === undefined) return '';
  const value = (expression as { constant_value?: unknown } | null)?.constant_value;
  return typeof value === 'string' ? value : undefined;
}
