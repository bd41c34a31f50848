import type { ConfigModule, ConfigResource, Expression } from './terraform-plan.ts';

/** How deep modules may hand a value on. */
const deepest = 16;

/**
 * Says what the values of a Terraform plan come from, by the plan's `configuration`: an alias refers to its group and
 * its mount by ids that are not known before these are made.
 */
export class TerraformReferences {
  readonly #root: ConfigModule;
  /** Resources of each module, by the module's path: read once, as plans have thousands of instances of a resource. */
  readonly #resources = new Map<ConfigModule, Map<string, ConfigResource>>();
  /** Address without instance keys → addresses of its instances. */
  readonly #instances = new Map<string, string[]>();

  constructor(root: unknown, addresses: string[]) {
    this.#root = (isObject(root) ? root : {}) as ConfigModule;
    for (const address of addresses) {
      const plain = withoutKeys(address);
      this.#instances.set(plain, [...(this.#instances.get(plain) ?? []), address]);
    }
  }

  /** Whether the configuration gives the field a value; undefined where the resource is not in it. */
  isGiven(address: string, field: string): boolean | undefined {
    const expressions = this.#resource(address)?.resource.expressions;
    return expressions === undefined ? undefined : Object.hasOwn(expressions, field);
  }

  /** Addresses of the resources that the value of a field comes from. */
  of(address: string, field: string): string[] {
    const found = this.#resource(address);
    const expression = found?.resource.expressions?.[field];
    if (found === undefined || expression === undefined) return [];
    const targets = [...new Set(this.#targets(expression, found.path, 0))];
    // `g["a"].id` is told as `g["a"].id`, `g["a"]` and `g`: the last one says less.
    const meant = targets.filter((target) => !targets.some((other) => other.startsWith(`${target}[`)));
    return [...new Set(meant.flatMap((target) => this.#instanceFor(target, address)))];
  }

  /** Key of the provider configuration that makes a resource. */
  providerKey(address: string): string | undefined {
    const key = this.#resource(address)?.resource.provider_config_key;
    return typeof key === 'string' ? key : undefined;
  }

  /** Path of the module that a resource is in; empty for the root. */
  moduleOf(address: string): string {
    return split(withoutKeys(address)).path.join('.');
  }

  /** The keys of all resources, with their modules. */
  providerKeys(): { module: string; key: string }[] {
    const found: { module: string; key: string }[] = [];
    const visit = (module: ConfigModule | undefined, path: string[]) => {
      if (module === undefined || path.length > deepest) return;
      for (const { provider_config_key: key } of list(module.resources)) {
        if (typeof key === 'string') found.push({ module: path.join('.'), key });
      }
      for (const [name, call] of Object.entries(module.module_calls ?? {}))
        visit(call?.module, [...path, name]);
    };
    visit(this.#root, []);
    return found;
  }

  #resource(address: string): { resource: ConfigResource; path: string[] } | undefined {
    const { path, local } = split(withoutKeys(address));
    const module = this.#module(path);
    if (module === undefined) return undefined;
    let byAddress = this.#resources.get(module);
    if (byAddress === undefined) {
      byAddress = new Map(list(module.resources).map((resource) => [resource.address, resource]));
      this.#resources.set(module, byAddress);
    }
    const resource = byAddress.get(local);
    return resource === undefined ? undefined : { resource, path };
  }

  #module(path: string[]): ConfigModule | undefined {
    return path.reduce<ConfigModule | undefined>(
      (module, name) => own(module?.module_calls, name)?.module,
      this.#root,
    );
  }

  /** Whole addresses, without keys, of what an expression refers to, through variables and outputs of modules. */
  #targets(expression: Expression, path: string[], depth: number): string[] {
    if (Array.isArray(expression) || depth > deepest) return [];
    return list(expression.references).flatMap((reference) => {
      const [first = '', second = ''] = withoutKeys(reference).split('.');
      if (first === 'var') {
        const caller = path.slice(0, -1);
        const call = own(this.#module(caller)?.module_calls, path.at(-1) ?? '');
        const given = own(call?.expressions, second);
        return given === undefined ? [] : this.#targets(given, caller, depth + 1);
      }
      if (first === 'module') {
        const [, , output = ''] = withoutKeys(reference).split('.');
        const inner = [...path, second];
        const given = own(this.#module(inner)?.outputs, output)?.expression;
        return given === undefined ? [] : this.#targets(given, inner, depth + 1);
      }
      if (first.startsWith('data') || !first.includes('_')) return [];
      const key = keysOf(reference.split('.', 2).join('.'));
      return [[...path.flatMap((name) => ['module', name]), first, `${second}${key}`].join('.')];
    });
  }

  /** The instance meant: the only one, the one with the same keys, or the only one in the same instance of a module. */
  #instanceFor(target: string, from: string): string[] {
    const key = keysOf(target);
    const all = this.#instances.get(withoutKeys(target)) ?? [];
    const instances = key === '' ? all : all.filter((instance) => instance.endsWith(key));
    if (instances.length <= 1) return instances;
    const keys = key === '' ? keysOf(from) : keysOf(moduleInstance(from)) + key;
    const same = instances.filter((instance) => keysOf(instance) === keys);
    if (same.length === 1) return same;
    const near = instances.filter((instance) => moduleInstance(instance) === moduleInstance(from));
    return near.length === 1 ? near : [];
  }
}

/** `module.a["x"].vault_policy.p[0]` → `module.a["x"]`. */
function moduleInstance(address: string): string {
  return (
    /^(?:module\.[^.[]+(?:\["(?:[^"\\]|\\.)*"\]|\[\d+\])?\.)*/.exec(address)?.[0].replace(/\.$/, '') ?? ''
  );
}

/** `module.a["x"].vault_policy.p[0]` → `module.a.vault_policy.p`. */
function withoutKeys(address: string): string {
  return address.replace(/\["(?:[^"\\]|\\.)*"\]|\[\d+\]/g, '');
}

function keysOf(address: string): string {
  return (address.match(/\["(?:[^"\\]|\\.)*"\]|\[\d+\]/g) ?? []).join('');
}

function split(plain: string): { path: string[]; local: string } {
  const parts = plain.split('.');
  const path: string[] = [];
  while (parts[0] === 'module' && parts.length > 2) path.push(parts.splice(0, 2)[1] ?? '');
  return { path, local: parts.join('.') };
}

function own<Value>(record: Record<string, Value> | undefined, name: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

function list<Value>(given: Value[] | undefined): Value[] {
  return Array.isArray(given) ? given : [];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
