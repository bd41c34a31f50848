import type { State } from '../../model/state.ts';
import type { Composed } from './composed-part.ts';

/**
 * Sets fields that a plan does not tell to what the program of the plan declares. What it does not declare either is
 * set by nobody.
 *
 * @returns whether it is declared
 */
export function declaredValues({ part }: Composed, declared: State, fields: string[]): boolean {
  const found = declaredEntry(part, declared);
  if (found === undefined) return false;
  for (const field of fields) {
    // An auth method's fields are those of its configuration, but for the mount's own.
    const isMounts = part.list === 'methods' && field !== 'tune';
    const [to, from] = (
      isMounts ? [part.entry.config, (found as typeof part.entry).config] : [part.entry, found]
    ) as [Record<string, unknown>, Record<string, unknown>];
    if (from[field] === undefined) delete to[field];
    else to[field] = from[field];
  }
  return true;
}

function declaredEntry({ list, entry }: Composed['part'], declared: State): object | undefined {
  switch (list) {
    case 'methods':
      return declared.methods.find(({ path }) => path === entry.path);
    case 'roles':
      return declared.roles.find(({ method, name }) => method === entry.method && name === entry.name);
    case 'groups':
      return declared.groups.find(({ name }) => name === entry.name);
    case 'aliases':
      return declared.aliases.find(({ method, name }) => method === entry.method && name === entry.name);
    case 'policies':
      return declared.policies.find(({ name }) => name === entry.name);
    case 'holders':
      return declared.holders?.find(({ kind, name }) => kind === entry.kind && name === entry.name);
    case 'messages':
      return declared.messages.find(({ title }) => title === entry.title);
    default:
      return undefined;
  }
}
