import { type Graph, isComplete } from '../../graph/graph.ts';
import { ofKind } from '../../graph/nodes/other-node.ts';
import { type AuthMethod, keySourcesOf } from '../../graph/resources/auth-method.ts';
import { listsOf, namesPerson } from '../../graph/resources/other-methods.ts';
import type { Trusting } from '../../graph/resources/unmodeled.ts';
import { isHiddenText } from '../../graph/values/hidden-text.ts';
import { nameKey } from '../../graph/values/name-key.ts';

/** The methods and users of a service, as far as they are known. */
export class ServiceInSight {
  readonly #graphs: readonly Graph[];
  /** Whether it has no methods but these. */
  readonly hasAllMethods: boolean;

  constructor(graphs: readonly Graph[]) {
    this.#graphs = graphs;
    const isRead = graphs.every((graph) => isComplete(graph, 'methods') && isComplete(graph, 'others'));
    this.hasAllMethods = isRead && graphs.some((graph) => isComplete(graph, 'namespaces'));
  }

  /** Whether a user is in sight who signs in by this name. */
  hasUser(name: string): boolean {
    return this.#graphs.some(({ others }) =>
      ofKind(others, 'otherRole').some(
        (role) => namesPerson(role.noun) && nameKey(role.name) === nameKey(name),
      ),
    );
  }

  /**
   * Paths of the methods that may trust something: one of a type that no table has may trust anything.
   *
   * @param narrowed leaves out those of one namespace that do not. Defaults to none.
   */
  trusting(
    { types, keysFrom, givenKeys }: Trusting,
    narrowed?: { of: Graph; to: (methods: string[]) => string[] },
  ): string[] {
    const paths = this.#graphs.flatMap((graph) => {
      const { methods, others } = graph;
      const all = [
        ...methods.flatMap((method) => (mayTrust(method, keysFrom, givenKeys) ? method.path : [])),
        ...ofKind(others, 'otherMethod', 'otherRole')
          .filter(({ type }) => types.includes(type) || listsOf(type) === undefined)
          .map((node) => (node.kind === 'otherMethod' ? node.path : node.method)),
      ];
      return narrowed?.of === graph ? narrowed.to(all) : all;
    });
    return [...new Set(paths)].sort();
  }
}

/** A method without any keys in sight may have those that were given to it: its configuration may not be readable. */
function mayTrust(method: AuthMethod, keysFrom: RegExp | undefined, givenKeys = false): boolean {
  const { jwtValidationPubkeys: keys = [] } = method.config;
  const sources = keySourcesOf(method);
  if (givenKeys && (keys.length > 0 || sources.length === 0)) return true;
  return keysFrom !== undefined && sources.some((text) => isHiddenText(text) || keysFrom.test(text));
}
