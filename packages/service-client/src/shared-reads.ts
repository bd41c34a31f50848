import { AsyncLocalStorage } from 'node:async_hooks';

/** Places whose readers share what is read, and the answers so far; none once it is over. */
interface SharedReads {
  places: ReadonlySet<string>;
  answers: Map<string, Promise<unknown>> | undefined;
}

const sharing = new AsyncLocalStorage<SharedReads>();

/** A key for a service and a namespace in it, for `readOnce`. */
export function placeOf(address: URL, namespace = ''): string {
  return `${address.origin} ${namespace.replace(/^\/+|\/+$/g, '')}`;
}

/**
 * Does some work in which clients of these places share their reads: each request is sent once. The answers are of one
 * moment, so the work must not write. Work inside of other work with these places shares its answers. After the work, each
 * client reads for itself again.
 */
export async function sharingReads<Result>(
  places: Iterable<string>,
  work: () => Promise<Result>,
): Promise<Result> {
  const outer = sharing.getStore();
  if (outer?.answers !== undefined && [...places].every((place) => outer.places.has(place)))
    return await work();
  const scope: SharedReads = { places: new Set(places), answers: new Map() };
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
  // Callers may change their answer, so each gets a copy.
  return structuredClone(await answer);
}
