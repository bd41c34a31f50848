/**
 * The parts of `urn:pulumi:<stack>::<project>::<parent type$…type>::<name>`. Only the name may contain `::`
 * (pulumi/pulumi `sdk/go/common/resource/urn/urn.go`).
 */
export interface UrnParts {
  stack: string;
  project: string;
  /** The resource's own type, without its parents'. */
  type: string;
  name: string;
}

/** Splits a URN. An invalid one is returned as a name, so that it can be shown. */
export function parseUrn(urn: string): UrnParts {
  const [stack, project, types, ...name] = urn.replace(/^urn:pulumi:/, '').split('::');
  if (types === undefined || name.length === 0) return { stack: '', project: '', type: '', name: urn };
  return {
    stack: stack ?? '',
    project: project ?? '',
    type: types.slice(types.lastIndexOf('$') + 1),
    name: name.join('::'),
  };
}

/** The type of the resource that stands for the stack. */
export const rootStackType = 'pulumi:pulumi:Stack';
const pluginTypePrefix = 'pulumi:providers:';

/** Builds a URN as Pulumi does (pulumi/pulumi `pkg/resource/deploy/deployment.go`, `generateURN`). */
export function createUrn(
  stack: string,
  project: string,
  parent: string | undefined,
  type: string,
  name: string,
): string {
  const parentType = qualifiedType(parent ?? '');
  const types = parentType === '' || parentType === rootStackType ? type : `${parentType}$${type}`;
  return `urn:pulumi:${stack}::${project}::${types}::${name}`;
}

/** The types of the resource's parents and its own, joined by `$`. */
export function qualifiedType(urn: string): string {
  return urn.split('::', 3)[2] ?? '';
}

/** True for a plugin resource, default or explicit. */
export function isPluginType(type: string): boolean {
  return type.startsWith(pluginTypePrefix);
}

export function pluginType(packageName: string): string {
  return `${pluginTypePrefix}${packageName}`;
}

/** `pulumi:providers:vault` → `vault`; `vault:jwt/authBackend:AuthBackend` → `vault`. */
export function packageOf(type: string): string {
  return isPluginType(type) ? type.slice(pluginTypePrefix.length) : (type.split(':', 1)[0] ?? '');
}

/** Splits the reference of a plugin resource, `<urn>::<id>`. */
export function parsePluginReference(reference: string): { urn: string; id: string } {
  const at = reference.lastIndexOf('::');
  return { urn: reference.slice(0, at), id: reference.slice(at + 2) };
}

/** Whether it is a plugin resource that the engine creates itself; these are not shown to users. */
export function isDefaultPlugin(urn: string): boolean {
  // Called for every step, so the common case comes first.
  if (!urn.includes(pluginTypePrefix)) return false;
  const { type, name } = parseUrn(urn);
  return isPluginType(type) && /^default(_|$)/.test(name);
}
