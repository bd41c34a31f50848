import { AsyncLocalStorage } from 'node:async_hooks';

/** Places whose readers share what is read, and the answers so far; none once it is over. */
interface Sharing {
  places: ReadonlySet<string>;
  answers: Map<string, Promise<unknown>> | undefined;
}

const sharing = new AsyncLocalStorage<Sharing>();

/** A service and a namespace in it, as `readOnce` compares them. */
export function placeOf(address: URL, namespace = ''): string {
  return `${address.origin} ${namespace.replace(/^\/+|\/+$/g, '')}`;
}

/**
 * Does some work in which clients that share reads ask each thing once, of these places. All reads then are of one moment, so
 * nothing in it may write. Inside of another one with these places, it shares what that has. Where it is over, each
 * client asks for itself again.
 */
export async function sharingReads<Result>(
  places: Iterable<string>,
  work: () => Promise<Result>,
): Promise<Result> {
  const outer = sharing.getStore();
  if (outer?.answers !== undefined && [...places].every((one) => outer.places.has(one))) return await work();
  const scope: Sharing = { places: new Set(places), answers: new Map() };
  try {
    return await sharing.run(scope, work);
  } finally {
    scope.answers = undefined;
  }
}

/**
 * The answer to a request, or that of the same request before.
 *
 * @param request all that the answer depends on, apart from the place
 */
export async function readOnce<Answer>(
  place: string,
  request: readonly unknown[],
  read: () => Promise<Answer>,
): Promise<Answer> {
  const { places, answers } = sharing.getStore() ?? {};
  if (answers === undefined || places?.has(place) !== true) return await read();
  const key = JSON.stringify([place, ...request]);
  const answer = (answers.get(key) as Promise<Answer> | undefined) ?? read();
  answers.set(key, answer);
  // A change to one answer changes no other.
  return structuredClone(await answer);
}
