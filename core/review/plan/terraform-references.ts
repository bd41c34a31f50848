import { isObject } from '../../model/values/json.ts';
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
  /** Address without instance keys → its instances. */
  readonly #instances = new Map<string, Instances>();
  /** What expressions refer to, and the instances of that: thousands of instances share an expression. */
  readonly #meant = new WeakMap<Expression, string[]>();
  readonly #named = new Map<string, string[]>();

  constructor(root: unknown, addresses: string[]) {
    this.#root = (isObject(root) ? root : {}) as ConfigModule;
    for (const address of addresses) {
      const plain = withoutKeys(address);
      let instances = this.#instances.get(plain);
      if (instances === undefined) {
        instances = { all: [], byKeys: new Map(), byModule: new Map() };
        this.#instances.set(plain, instances);
      }
      instances.all.push(address);
      add(instances.byKeys, keysOf(address), address);
      add(instances.byModule, moduleInstance(address), address);
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
    const meant = this.#meant.get(expression) ?? this.#targetsMeant(expression, found.path);
    this.#meant.set(expression, meant);
    return [...new Set(meant.flatMap((target) => this.#instanceFor(target, address)))];
  }

  /** `g["a"].id` is told as `g["a"].id`, `g["a"]` and `g`: the last one says less. */
  #targetsMeant(expression: Expression, path: string[]): string[] {
    const targets = [...new Set(this.#targets(expression, path, 0, new Map()))];
    const withKey = /\[(?:\d+|"(?:[^"\\]|\\.)*")\]$/;
    const said = new Set(targets.filter((one) => withKey.test(one)).map((one) => one.replace(withKey, '')));
    return targets.filter((target) => !said.has(target));
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
      (module, name) => own(module?.module_calls, withoutKeys(name))?.module,
      this.#root,
    );
  }

  /** Whole addresses, without keys, of what an expression refers to, through variables and outputs of modules. */
  #targets(
    expression: Expression,
    path: string[],
    depth: number,
    seen: Map<Expression, Set<string>>,
  ): string[] {
    if (Array.isArray(expression) || depth > deepest) return [];
    // What several refer to is followed once: else each level of modules would multiply the work.
    const places = seen.get(expression) ?? new Set();
    const place = path.join('.');
    if (places.has(place)) return [];
    seen.set(expression, places.add(place));
    return list(expression.references).flatMap((reference) => {
      const [{ name: first = '' } = {}, { name: second = '', key = '' } = {}, third] = segments(reference);
      if (first === 'var') {
        const caller = path.slice(0, -1);
        const call = own(this.#module(caller)?.module_calls, withoutKeys(path.at(-1) ?? ''));
        const given = own(call?.expressions, second);
        return given === undefined ? [] : this.#targets(given, caller, depth + 1, seen);
      }
      if (first === 'module') {
        const inner = [...path, `${second}${key}`];
        const given = own(this.#module(inner)?.outputs, third?.name ?? '')?.expression;
        return given === undefined ? [] : this.#targets(given, inner, depth + 1, seen);
      }
      if (first.startsWith('data') || !first.includes('_')) return [];
      return [[...path.flatMap((name) => ['module', name]), first, `${second}${key}`].join('.')];
    });
  }

  /** The instance meant: the only one, the one with the same keys, or the only one in the same instance of a module. */
  #instanceFor(target: string, from: string): string[] {
    const instances = this.#instances.get(withoutKeys(target));
    if (instances === undefined) return [];
    const module = moduleInstance(from);
    if (keysOf(target) !== '') {
      const wanted = segments(target);
      const isMeant = (one: string) =>
        segments(one).every(({ key }, at) => wanted[at]?.key === '' || wanted[at]?.key === key);
      const named = this.#named.get(target) ?? instances.all.filter(isMeant);
      this.#named.set(target, named);
      const near = named.filter((one) => one.startsWith(module));
      return named.length > 1 && near.length > 0 ? near : named;
    }
    if (instances.all.length === 1) return instances.all;
    const same = instances.byKeys.get(keysOf(from)) ?? [];
    if (same.length === 1) return same;
    const near = instances.byModule.get(module) ?? [];
    return near.length === 1 ? near : [];
  }
}

/** `module.a["x"].vault_policy.p[0]` → its names, each with its key. */
function segments(address: string): { name: string; key: string }[] {
  return [...address.matchAll(/([^.[]+)((?:\["(?:[^"\\]|\\.)*"\]|\[\d+\])?)(?:\.|$)/g)].map(
    ([, name = '', key = '']) => ({ name, key }),
  );
}

/** The instances of a resource, by what tells them apart. */
interface Instances {
  all: string[];
  /** By all their keys, those of their modules first. */
  byKeys: Map<string, string[]>;
  byModule: Map<string, string[]>;
}

function add(map: Map<string, string[]>, key: string, address: string): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [address]);
  else known.push(address);
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
