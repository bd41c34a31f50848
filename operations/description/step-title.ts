import type { Step } from '../../engine/engine.ts';
import { parseUrn } from '../../engine/urn.ts';
import { subjectOf } from './subject-of.ts';

/** A resource as reviews name it (`role web`), or else by its type and name (`ServiceAccount web`). */
export function stepTitle({ urn, newState, oldState }: Pick<Step, 'urn' | 'newState' | 'oldState'>): string {
  const state = newState ?? oldState;
  const subject = state && subjectOf(state, []);
  if (subject !== undefined) return `${subject.type} ${subject.name}`;
  const { type, name } = parseUrn(urn);
  return `${shortType(type)} ${name}`;
}

/** `vault:jwt/authBackendRole:AuthBackendRole` → `AuthBackendRole`; a plugin resource keeps its package. */
function shortType(type: string): string {
  if (type.startsWith('pulumi:providers:')) return type.slice('pulumi:'.length);
  return type.slice(type.lastIndexOf(':') + 1);
}
