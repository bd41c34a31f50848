import { largestOf } from '../graph/values/sequences.ts';
import type { AuditEntry } from './audit-line.ts';
import type { LoggedRequest, PresentPlace } from './logged-request.ts';
import { countedMissing, type MissingFromLog } from './missing-from-log.ts';

/** A mount that has another path at the end of a log than earlier in it. Paths as the policies of the namespace call them. */
export interface MountMove {
  before: string;
  after: string;
  /** The namespace below that of the policies that it is in now; absent for theirs. */
  below?: string;
  /** Another mount has the earlier path now. */
  isReplaced: boolean;
}

/** What a log says of mounts that were moved (`sys/remount`). */
export interface MountMoves {
  mounts: MountMove[];
  /** Mounts that came from a namespace whose tokens are others: who uses them here, the log does not tell. */
  arrived: string[];
  /** Mounts that were used before some move, and not seen after it: they may be at any path. */
  unplaced: number;
}

interface MountPlace {
  namespace: string;
  mount: string;
  /** Milliseconds since 1970. */
  last: number;
}

/** Mounts that no one can move. */
const ofSystem = /^(?:ns_)?(?:token|system|identity|cubbyhole)$/;
const systemPaths = new Set(['auth/token', 'sys', 'identity', 'cubbyhole']);
const writing = new Set(['create', 'update']);

/**
 * Follows mounts by their accessors, which stay the same when a mount is moved. The request that moves one says little: devices
 * hash its fields, and the server answers before it is done.
 */
export class MountsSeen {
  /** The places of mounts by accessor, then by the whole path. */
  readonly #places = new Map<string, Map<string, MountPlace>>();
  /** First use of mounts that have no accessor in the log, by the whole path. */
  readonly #unnamed = new Map<string, number>();
  readonly #remounts: { at: number; before: string; after: string }[] = [];

  note(entry: AuditEntry): void {
    const { accessor, mount, mountType, namespace, at, outcome, issued } = entry;
    if (entry.path === 'sys/remount') this.#noteRemount(entry);
    if (mount === '' || ofSystem.test(mountType) || systemPaths.has(mount)) return;
    const path = wholePath(namespace, mount);
    if (accessor === '') {
      if (outcome === 'allowed' || issued !== undefined)
        this.#unnamed.set(path, Math.min(at, this.#unnamed.get(path) ?? at));
      return;
    }
    const places = this.#places.get(accessor) ?? new Map<string, MountPlace>();
    this.#places.set(accessor, places);
    const known = places.get(path);
    if (known === undefined) places.set(path, { namespace, mount, last: at });
    else known.last = Math.max(known.last, at);
  }

  #noteRemount({ operation, failed, outcome, namespace, fields, at }: AuditEntry): void {
    if (!writing.has(operation) || failed || outcome === 'refused') return;
    const wholePathOf = (text: unknown) =>
      typeof text === 'string' ? wholePath(namespace, text.replace(/^\/+|\/+$/g, '')) : '';
    this.#remounts.push({ at, before: wholePathOf(fields['from']), after: wholePathOf(fields['to']) });
  }

  /**
   * @param ownNamespace path of the namespace whose policies are asked about
   * @param isInOrder whether the times of the log tell what came last; else a mount may be at each of its places
   */
  result(ownNamespace: string, isInOrder: boolean): MountMoves {
    const lastMove = largestOf(
      this.#remounts.map(({ at }) => at),
      0,
    );
    const mounts = [...this.#places.values()].map((all) => this.#followed([...all.values()]));
    const present = new Set(mounts.map(({ now }) => wholePath(now.namespace, now.mount)));
    const moves: MountMove[] = [];
    const arrived = new Set<string>();
    for (const { places, now } of mounts) {
      const ends = isInOrder ? [now] : places;
      for (const end of ends) {
        const endSeen = seenFrom(ownNamespace, end);
        for (const place of places) {
          const placeSeen = seenFrom(ownNamespace, place);
          if (endSeen === undefined || place === end) continue;
          if (place.namespace !== end.namespace) arrived.add(endSeen.path);
          if (placeSeen !== undefined && placeSeen.path !== endSeen.path) {
            const isReplaced = !isInOrder || present.has(wholePath(place.namespace, place.mount));
            moves.push({
              before: placeSeen.path,
              after: endSeen.path,
              isReplaced,
              ...(endSeen.below !== '' && { below: endSeen.below }),
            });
          }
        }
      }
    }
    const isLost = ({ places, now }: (typeof mounts)[number]) =>
      isInOrder ? now.last < lastMove : lastMove > 0 && places.length === 1;
    const lost = mounts.filter(isLost).length;
    const unnamed = [...this.#unnamed.values()].filter((first) => first < lastMove).length;
    return { mounts: moves, arrived: [...arrived], unplaced: lost + unnamed };
  }

  /** Where one is at the end: as it was last seen, and moved by requests that have their fields in clear. */
  #followed(seen: MountPlace[]): { places: MountPlace[]; now: MountPlace } {
    const places = [...seen];
    let now = places.reduce((last, place) => (place.last > last.last ? place : last));
    for (const { at, before, after } of [...this.#remounts].sort((left, right) => left.at - right.at)) {
      if (at < now.last || after === '' || before !== wholePath(now.namespace, now.mount)) continue;
      const [namespace = '', mount = ''] = splitPath(after, now);
      now = { namespace, mount, last: at };
      places.push(now);
    }
    return { places, now };
  }
}

const wholePath = (namespace: string, path: string) => (namespace === '' ? path : `${namespace}/${path}`);

/** A path does not say which of its parts are namespaces: those that the mount was in, else those before `auth/`. */
function splitPath(path: string, { namespace }: MountPlace): [namespace: string, mount: string] {
  if (namespace === '' || path.startsWith(`${namespace}/`))
    return [namespace, namespace === '' ? path : path.slice(namespace.length + 1)];
  const auth = path.indexOf('/auth/');
  return auth === -1 ? ['', path] : [path.slice(0, auth), path.slice(auth + 1)];
}

function seenFrom(
  ownNamespace: string,
  { namespace, mount }: MountPlace,
): { path: string; below: string } | undefined {
  const isHere = namespace === ownNamespace;
  const start = ownNamespace === '' ? '' : `${ownNamespace}/`;
  if (!isHere && !namespace.startsWith(start)) return undefined;
  const below = isHere ? '' : namespace.slice(start.length);
  return { path: wholePath(below, mount), below };
}

const isBelow = (path: string, mount: string) => path === mount || path.startsWith(`${mount}/`);

/** Where a path is today, once for each mount that had it; nothing where none was moved. */
export const pathsToday = (path: string, moves: readonly MountMove[]): string[] =>
  moves.flatMap(({ before, after }) => (isBelow(path, before) ? after + path.slice(before.length) : []));

/** Notes on requests where they would be asked today. */
export function notePresent(requests: readonly LoggedRequest[], { mounts }: MountMoves): void {
  if (mounts.length === 0) return;
  for (const request of requests) {
    const present = presentPlaces(request, mounts);
    if (present !== undefined) request.present = present;
  }
}

/** The places where a request would be made today; undefined where no mount was moved from its path. */
function presentPlaces(
  { path, below, pki }: PresentPlace,
  moves: readonly MountMove[],
): PresentPlace[] | undefined {
  const ours = moves.filter(({ before }) => isBelow(path, before));
  if (ours.length === 0) return undefined;
  const own: PresentPlace = {
    path,
    ...(below !== undefined && { below }),
    ...(pki !== undefined && { pki }),
  };
  const present = ours.map(
    ({ before, after, below: into }): PresentPlace => ({
      path: after + path.slice(before.length),
      ...(into !== undefined && { below: into }),
      ...(pki !== undefined && { pki: after }),
    }),
  );
  return ours.some(({ isReplaced }) => isReplaced) ? [own, ...present] : present;
}

/** A request at each path that it has or had: what it used may be a rule of either. */
export function atAllPlaces(request: LoggedRequest): LoggedRequest[] {
  const places = (request.present ?? []).filter(({ path }) => path !== request.path);
  return [request, ...places.map((place) => atPlace(request, place))];
}

/** A request as it would be asked today. */
export function asOfToday(request: LoggedRequest): LoggedRequest[] {
  return request.present?.map((place) => atPlace(request, place)) ?? [request];
}

function atPlace(request: LoggedRequest, place: PresentPlace): LoggedRequest {
  return { ...request, below: undefined, pki: undefined, ...place };
}

/** What a log lacks by moves; nothing where all mounts were seen after the last one. */
export function missingMounts({ unplaced, arrived }: MountMoves): MissingFromLog[] {
  return [
    ...countedMissing('mounts-not-seen', unplaced),
    ...arrived.map((mount) => ({ kind: 'arrived-mounts' as const, mount })),
  ];
}
