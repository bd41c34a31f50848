/** The type in a URN (`urn:pulumi:<stack>::<project>::<parent types>$<type>::<name>`), without its parents'. */
export function resourceType(urn: string): string {
  const qualified = urn.split('::')[2] ?? '';
  return qualified.slice(qualified.lastIndexOf('$') + 1);
}

/** The name in a URN; it may hold `::` itself. */
export function resourceName(urn: string): string {
  return urn.split('::').slice(3).join('::');
}
