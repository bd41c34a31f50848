/**
 * A resource's name in a stack: `urn:pulumi:<stack>::<project>::<parent type$…type>::<name>`. The name comes
 * last because it alone may hold `::` (pulumi/pulumi `sdk/go/common/resource/urn/urn.go`).
 */
export interface UrnParts {
  stack: string;
  project: string;
  /** The resource's own type, without its parents'. */
  type: string;
  name: string;
}

/** Splits a URN. A text that is none comes back as a name without a type, so that it can still be shown. */
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
