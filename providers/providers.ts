import { type ProviderKind, providerKinds } from '@gatehouse/core/graph';
import * as components from './components.ts';

/** What the component of a kind is called: `gitlab_ci` → `GitlabCi`. */
type NameOf<Kind extends string> = Kind extends `${infer First}_${infer Rest}`
  ? `${Capitalize<First>}${NameOf<Rest>}`
  : Capitalize<Kind>;

export function componentName(kind: ProviderKind): string {
  return kind.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());
}

const byName = new Map<string, unknown>(Object.entries(components));

/** The component of each provider kind. A kind without one does not compile. */
export const providers = Object.fromEntries(
  providerKinds.map((kind) => [kind, byName.get(componentName(kind))]),
) as {
  [Kind in ProviderKind]: (typeof components)[NameOf<Kind>];
};
