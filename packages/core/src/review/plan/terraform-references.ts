import { getOrMake } from '../../graph/values/get-or-make.ts';
import { isObject } from '../../graph/values/json.ts';
import type { ConfigModule, ConfigResource, Expression } from './terraform-plan.ts';

/** How deep modules may hand a value on. */
const deepest = 16;

/** A resource that a value comes from. */
export interface Source {
  address: string;
  type: string;
  /** Absent where the configuration names the whole resource. */
  attribute?: string;
}

/**
 * Says what the values of a Terraform plan come from, by the plan's `configuration`: an alias refers to its group and
 * its mount by ids that are not known before these are made.
 *
 * Plans have thousands of instances of a resource, which share its expressions: each is read and followed once.
 */
export class TerraformReferences {
  readonly #root: ConfigModule | undefined;
  readonly #resources = new Map<ConfigModule, Map<string, ConfigResource>>();
  /** Instances by the address without keys; and by all their keys, or the instance of their module, in addition. */
  readonly #instances: ReadonlyMap<string, string[]>;
  readonly #byKeys: ReadonlyMap<string, string[]>;
  readonly #byModule: ReadonlyMap<string, string[]>;
  /** What expressions refer to, and the instances of that. */
  readonly #meant = new WeakMap<Expression, string[]>();
  readonly #named = new Map<string, string[]>();

  constructor(root: unknown, addresses: string[]) {
    this.#root = isObject(root) ? root : undefined;
    this.#instances = Map.groupBy(addresses, withoutKeys);
    this.#byKeys = Map.groupBy(addresses, (address) => `${withoutKeys(address)} ${keysOf(address)}`);
    this.#byModule = Map.groupBy(
      addresses,
      (address) => `${withoutKeys(address)} ${moduleInstance(address)}`,
    );
  }

  /** Whether the configuration gives the field a value; undefined where the resource is not in it. */
  isGiven(address: string, field: string): boolean | undefined {
    const expressions = this.#resource(address)?.resource.expressions;
    return expressions === undefined ? undefined : Object.hasOwn(expressions, field);
  }

  /** Addresses of the resources that the value of a field comes from. */
  of(address: string, field: string): string[] {
    const configured = this.#resource(address);
    const expression = configured?.resource.expressions?.[field];
    if (configured === undefined || expression === undefined) return [];
    const meant = getOrMake(this.#meant, expression, () =>
      mostExact(this.#targets(expression, configured.path)),
    );
    return [...new Set(meant.flatMap((target) => this.#instanceFor(target, address)))];
  }

  /** The resources that values of a resource come from, also in its blocks. @param field the only one. Defaults to all */
  sources(address: string, field?: string): Source[] {
    const configured = this.#resource(address);
    if (configured === undefined) return [];
    const { path, resource } = configured;
    const { expressions = {} } = resource;
    const values = field === undefined ? Object.values(expressions) : [expressions[field]];
    const named = values.flatMap(expressionsIn).flatMap((part) => this.#targets(part, path, true));
    const sources = [...new Set(named)].flatMap((target) => {
      const start = modulesAtStart.exec(target)?.[0] ?? '';
      const [type, name, attribute] = segments(target.slice(start.length));
      if (type === undefined || name === undefined) return [];
      const plain = withoutKeys(`${start}${type.name}.${name.name}`);
      return (this.#instances.get(plain) ?? [plain]).map(
        (instance): Source => ({
          address: instance,
          type: type.name,
          ...(attribute && { attribute: attribute.name }),
        }),
      );
    });
    // `s.id` is listed as `s.id` and `s`: the last one says less.
    const exact = new Set(
      sources.flatMap((source) => (source.attribute === undefined ? [] : source.address)),
    );
    return sources.filter(({ attribute, address: from }) => attribute !== undefined || !exact.has(from));
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
  providerKeys(path: string[] = []): { module: string; key: string }[] {
    const module = this.#module(path);
    if (module === undefined || path.length > deepest) return [];
    const own = list(module.resources).flatMap(({ provider_config_key: key }) =>
      typeof key === 'string' ? [{ module: path.join('.'), key }] : [],
    );
    const calls = Object.keys(module.module_calls ?? {});
    return [...own, ...calls.flatMap((name) => this.providerKeys([...path, name]))];
  }

  #resource(address: string): { resource: ConfigResource; path: string[] } | undefined {
    const { path, local } = split(withoutKeys(address));
    const module = this.#module(path);
    if (module === undefined) return undefined;
    const known = this.#resources.get(module);
    const byAddress =
      known ?? new Map(list(module.resources).map((resource) => [resource.address, resource]));
    this.#resources.set(module, byAddress);
    const resource = byAddress.get(local);
    return resource && { resource, path };
  }

  #module(path: string[]): ConfigModule | undefined {
    return path.reduce<ConfigModule | undefined>(
      (module, name) => own(module?.module_calls, withoutKeys(name))?.module,
      this.#root,
    );
  }

  /** Whole addresses, without keys, of what an expression refers to, through variables and outputs of modules. */
  #targets(
    expression: Expression | undefined,
    path: string[],
    withAttribute = false,
    depth = 0,
    seen = new Map<Expression, Set<string>>(),
  ): string[] {
    if (expression === undefined || Array.isArray(expression) || depth > deepest) return [];
    // What several refer to is followed once: else each level of modules would multiply the work.
    const places = seen.get(expression) ?? new Set();
    const place = path.join('.');
    if (places.has(place)) return [];
    seen.set(expression, places.add(place));
    return list(expression.references).flatMap((reference) => {
      const [{ name: first = '' } = {}, { name: second = '', key = '' } = {}, third] = segments(reference);
      if (first === 'var') {
        if (path.length === 0) return withAttribute ? [`var.${second}`] : [];
        const caller = path.slice(0, -1);
        const call = own(this.#module(caller)?.module_calls, withoutKeys(path.at(-1) ?? ''));
        return this.#targets(own(call?.expressions, second), caller, withAttribute, depth + 1, seen);
      }
      if (first === 'module') {
        const inner = [...path, `${second}${key}`];
        const output = own(this.#module(inner)?.outputs, third?.name ?? '');
        return this.#targets(output?.expression, inner, withAttribute, depth + 1, seen);
      }
      const attribute = withAttribute && third !== undefined ? [third.name] : [];
      return [
        [...path.flatMap((name) => ['module', name]), first, `${second}${key}`, ...attribute].join('.'),
      ];
    });
  }

  /** The instance meant: the only one, the one with the same keys, or the only one in the same instance of a module. */
  #instanceFor(target: string, from: string): string[] {
    const plain = withoutKeys(target);
    const all = this.#instances.get(plain) ?? [];
    const module = moduleInstance(from);
    if (keysOf(target) !== '') {
      const parts = segments(target);
      const isMeant = (instance: string) =>
        segments(instance).every(({ key }, at) => parts[at]?.key === '' || parts[at]?.key === key);
      const named = getOrMake(this.#named, target, () => all.filter(isMeant));
      const near = named.filter((instance) => instance.startsWith(module));
      return near.length > 0 ? near : named;
    }
    const [same, near] = [
      this.#byKeys.get(`${plain} ${keysOf(from)}`),
      this.#byModule.get(`${plain} ${module}`),
    ];
    return [all, same, near].find((instances) => instances?.length === 1) ?? [];
  }
}

/** An expression, or those of a block and of the blocks in it. */
function expressionsIn(value: unknown): Expression[] {
  if (Array.isArray(value)) return value.flatMap(expressionsIn);
  if (!isObject(value)) return [];
  if ('references' in value) return [value as Expression];
  return Object.values(value).flatMap(expressionsIn);
}

/** `g["a"].id` is listed as `g["a"].id`, `g["a"]` and `g`: the last one says less. */
function mostExact(targets: string[]): string[] {
  const last = new RegExp(`(?:${keyPattern})$`);
  const covered = new Set(
    targets.filter((target) => last.test(target)).map((target) => target.replace(last, '')),
  );
  return [...new Set(targets)].filter((target) => !covered.has(target));
}

const keyPattern = String.raw`\["(?:[^"\\]|\\.)*"\]|\[\d+\]`;
const anyKey = new RegExp(keyPattern, 'g');
const segment = new RegExp(String.raw`([^.[]+)((?:${keyPattern})?)(?:\.|$)`, 'g');
const modulesAtStart = new RegExp(String.raw`^(?:module\.[^.[]+(?:${keyPattern})?\.)*`);

/** `module.a["x"].vault_policy.p[0]` → its names, each with its key. */
function segments(address: string): { name: string; key: string }[] {
  return [...address.matchAll(segment)].map(([, name = '', key = '']) => ({ name, key }));
}

/** `module.a["x"].vault_policy.p[0]` → `module.a["x"]`. */
function moduleInstance(address: string): string {
  return modulesAtStart.exec(address)?.[0].replace(/\.$/, '') ?? '';
}

/** `module.a["x"].vault_policy.p[0]` → `module.a.vault_policy.p`. */
function withoutKeys(address: string): string {
  return address.replace(anyKey, '');
}

function keysOf(address: string): string {
  return address.match(anyKey)?.join('') ?? '';
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

function list<Value>(values: Value[] | undefined): Value[] {
  return Array.isArray(values) ? values : [];
}
