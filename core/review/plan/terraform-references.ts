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
    const plain = new Set(this.#targets(expression, found.path, 0));
    return [...plain].flatMap((target) => this.#instanceFor(target, address));
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
      return [[...path.flatMap((name) => ['module', name]), first, second].join('.')];
    });
  }

  /** The instance meant: the only one, or the one with the same keys as who refers to it. */
  #instanceFor(plain: string, from: string): string[] {
    const instances = this.#instances.get(plain) ?? [];
    if (instances.length <= 1) return instances;
    const keys = keysOf(from);
    const same = instances.filter((instance) => keysOf(instance) === keys);
    return same.length === 1 ? same : [];
  }
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
