import type { Graph } from '../../model/graph.ts';
import { partWith, resources } from '../../model/resources/resources.ts';
import type { Composed } from './composed-part.ts';

/**
 * Sets fields that a plan does not tell to what the program of the plan declares. What it does not declare either is
 * set by nobody.
 *
 * @returns whether it is declared
 */
export function declaredValues(
  { list, entry, subject }: Composed,
  declared: Graph,
  fields: string[],
): boolean {
  const found = resources
    .filter((one) => one.list === list && one.type === subject.type)
    .map((one) => partWith(declared, one, subject))
    .find((one) => one !== undefined);
  if (found === undefined) return false;
  for (const field of fields) {
    // An auth method's fields are those of its configuration, but for the mount's own.
    const [to, from] = (
      'config' in entry && 'config' in found && field !== 'tune'
        ? [entry.config, found.config]
        : [entry, found]
    ) as [Record<string, unknown>, Record<string, unknown>];
    if (from[field] === undefined) delete to[field];
    else to[field] = from[field];
  }
  return true;
}
