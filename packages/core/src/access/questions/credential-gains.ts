import type { Change } from '../../graph/change.ts';
import { isComplete } from '../../graph/graph.ts';
import {
  type AcmeOrders,
  type CredentialRequest,
  type CredentialSource,
  engineAt,
  keyOfSource,
  requestsOf,
  sourcesByKey,
} from '../../graph/nodes/credential-source.ts';
import { keyOfNode } from '../../graph/nodes/other-node.ts';
import { mayOverlap } from '../../graph/policies/pattern-overlap.ts';
import { isSame } from '../../graph/resources/field.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import { addAll } from '../../graph/values/sequences.ts';
import { type Also, type Principals, principalsWith } from '../access-change.ts';
import type { IsAdministrator } from '../administration.ts';
import type { PathChange } from '../decide.ts';
import { type NodeKey, roleNode } from '../edges/edge.ts';
import type { GraphIndex } from '../graph-index.ts';
import type { Side } from '../policy-sides.ts';
import type { AlsoChange, CredentialStep } from '../reasons/also-change.ts';
import type { RuleBook } from '../rule-book.ts';
import { signsCertificates, trustsEngine } from '../sign-in/issued-certificates.ts';
import { type CredentialEdge, edgesOn, isCoveredBy, tellsApart } from './credential-edges.ts';
import { Reach } from './who-can.ts';

/** A step that principals may take: a request that gets a credential, and the edge that it opens. */
interface Step {
  edge: CredentialEdge;
  path: string;
  /** On the opposite side the edge does not lead there, or the principals may not ask. */
  isOwn: boolean;
}

/** From a token to another one. */
interface Chain {
  steps: readonly Step[];
  last: CredentialEdge;
}

type CredentialChange = Extract<AlsoChange, { kind: 'credential' }>;

/** Chains that are shown of one change: of more, no one reads each. */
const mostShown = 100;

/** A source that principals who are not known may ask, and by whom one signs in then, where that is known. */
export interface OpenSource {
  source: CredentialSource;
  signsInBy: Principals | undefined;
}

/** A gain, or a loss, by something else than the policies that principals have. */
export interface OtherGain {
  by: Principals;
  also: Also;
}

/** What is gained and lost by credentials. */
interface CredentialGains {
  gains: OtherGain[];
  open: OpenSource[];
}

/** What is known of a change. */
export interface ChangeInSight extends Pick<Change, 'before' | 'after'> {
  /** The principals of the change. */
  here: readonly Principals[];
  indexes: Record<Side, GraphIndex>;
  /** Whether the whole service is known on both sides. */
  isClosed: boolean;
  isAdministrator: Record<Side, IsAdministrator>;
  /** What becomes of each path. */
  paths: readonly PathChange<Principals>[];
  now: bigint;
  book: RuleBook;
}

/**
 * Who gains by a credential, and who loses by one. A chain is a request that a token may make, a sign-in with what it gets, and on
 * from there: each step is another token, decided by its own policies. It is new if a step leads over a new edge, or is a request
 * that is newly allowed: a gain on its path as well.
 */
export function credentialGains(change: ChangeInSight): CredentialGains {
  const gained = chainsOnOneSide(change, 'after');
  const lost = chainsOnOneSide(change, 'before');
  return { gains: [...gained.gains, ...lost.gains], open: gained.open };
}

/** The chains that are on one side alone. */
function chainsOnOneSide(change: ChangeInSight, side: Side): CredentialGains {
  const { indexes } = change;
  const sources = change[side].credentials ?? [];
  const opposite = indexes[side === 'after' ? 'before' : 'after'];
  const edges = edgesOn(side, indexes);
  const known = sourcesByKey(opposite.graph.credentials);
  const orders = sources
    .filter((source) => source.kind === 'acmeOrders')
    .filter((source) => !isSame(known.get(keyOfSource(source)), source));
  const isTouched = edges.some(({ isOwn }) => isOwn) || mayBeNewlyAsked(edges, change, side);
  if (orders.length === 0 && !isTouched) return { gains: [], open: [] };
  const chains = new Chains(edges, change, side);
  const byChains = chains.gains();
  const all = [...orders.map((source) => chains.orders(source)), ...byChains.map(({ gain }) => gain)];
  const gaining = new Set(byChains.flatMap((chain) => chain.edges));
  return { gains: all.slice(0, mostShown), open: chains.open(gaining) };
}

/** Who comes from one token to the next on one side of a change. */
class Chains {
  readonly #edges: readonly CredentialEdge[];
  readonly #side: Side;
  readonly #book: RuleBook;
  readonly #isClosed: boolean;
  readonly #index: GraphIndex;
  /** The principals that sign in by a node. */
  readonly #byNode: ReadonlyMap<NodeKey, Principals>;
  /** What each of the principals may ask for, by what gives it access. */
  readonly #steps = new Map<string, { by: Principals; steps: Step[] }>();
  /** Edges whose source some may ask, for all that is known. */
  readonly #perhapsAsked = new Set<CredentialEdge>();

  constructor(edges: readonly CredentialEdge[], change: ChangeInSight, side: Side) {
    this.#edges = edges;
    this.#side = side;
    this.#book = change.book;
    // Principals of a namespace above may ask, too.
    this.#isClosed = change.isClosed && isComplete(change[side], 'namespaces');
    this.#index = change.indexes[side];
    const reach = new Reach(change[side], change.now);
    const isNewlyAsked = newlyAsked(change, side);
    const bySource = Map.groupBy(edges, ({ source }) => source);
    const here = change.here.filter((each) => each[side].length > 0 && each.partOf === undefined);
    this.#byNode = new Map(
      here.flatMap((each) => {
        const node = nodeOf(each);
        return node === undefined ? [] : [[node, each] as const];
      }),
    );
    const known = new Map(here.map((each) => [giverOf(each), each]));
    for (const [source, leading] of bySource)
      for (const { by, request, can } of askersOf(source, reach)) {
        if (can === 'unknown') {
          for (const edge of leading) this.#perhapsAsked.add(edge);
          continue;
        }
        const principals = known.get(giverOf(by)) ?? by;
        const start = () => ({ by: principals, steps: [] });
        const { steps } = getOrMake(this.#steps, giverOf(by), start);
        const isNew = isNewlyAsked(principals, request);
        addAll(
          steps,
          leading.map((edge) => ({ edge, path: request.path, isOwn: edge.isOwn || isNew })),
        );
      }
  }

  /** Everyone with a chain to a sign-in that they have none to on the opposite side. */
  gains(): { gain: OtherGain; edges: CredentialEdge[] }[] {
    return [...this.#steps.values()].flatMap(({ by }) => {
      const shared = this.#chainsOf(by, ({ isOwn }) => !isOwn);
      return [...this.#chainsOf(by, () => true)].flatMap(([target, chains]) => {
        const known = shared.get(target) ?? [];
        const chain = chains.find(({ last }) => this.#isNew(last, known, by));
        if (chain === undefined) return [];
        return [{ gain: this.#gainOf(by, chain), edges: chain.steps.map(({ edge }) => edge) }];
      });
    });
  }

  /** Whether an edge leads principals to a sign-in that is not their own, and not that of a chain that is known. */
  #isNew({ source, target }: CredentialEdge, known: readonly Chain[], by: Principals): boolean {
    if (target === nodeOf(by) && !tellsApart(source, target, this.#index)) return false;
    const isSure = !this.#isOfUnknownAuthority(source, target);
    // A chain that may lead nowhere covers none that surely does.
    return !known.some(
      ({ steps, last }) =>
        isCoveredBy(last.source, source, target, this.#index) &&
        (last.source === source || !isSure || this.#isSure(steps)),
    );
  }

  #isSure(steps: readonly Step[]): boolean {
    return steps.every(({ edge: { source, target } }) => !this.#isOfUnknownAuthority(source, target));
  }

  /** Anyone may order certificates of an engine. */
  orders(source: AcmeOrders): OtherGain {
    return this.#gain(anyone(), [{ does: verbs[source.kind], path: orderPath(source) }], []);
  }

  /**
   * Sources that give no principals in sight anything, and may give others something: an engine that was not read may give certificates
   * without a token, by ACME say.
   *
   * @param gaining edges that someone gains over
   */
  open(gaining: ReadonlySet<CredentialEdge>): OpenSource[] {
    const isOpen = (edge: CredentialEdge) =>
      edge.isOwn &&
      !gaining.has(edge) &&
      (this.#perhapsAsked.has(edge) || !this.#isClosed || this.#asksForNone(edge.source));
    return this.#edges
      .filter(isOpen)
      .map(({ source, target }) => ({ source, signsInBy: this.#byNode.get(target) }));
  }

  /** The chains from principals to each node that they come to, by what they sign in with last; the shortest first. */
  #chainsOf(by: Principals, isMeant: (step: Step) => boolean): Map<NodeKey, Chain[]> {
    const chains = new Map<NodeKey, Chain[]>();
    const reached: { principals: Principals; steps: readonly Step[] }[] = [{ principals: by, steps: [] }];
    for (const { principals, steps } of reached)
      for (const step of this.#steps.get(giverOf(principals))?.steps ?? []) {
        const { source, target } = step.edge;
        const known = getOrMake(chains, target, (): Chain[] => []);
        if (!isMeant(step) || known.some(({ last }) => last.source === source)) continue;
        const chain = { steps: [...steps, step], last: step.edge };
        const next = this.#byNode.get(target);
        if (next !== undefined && known.length === 0) reached.push({ principals: next, steps: chain.steps });
        known.push(chain);
      }
    return chains;
  }

  #gainOf(by: Principals, { steps, last: { target: end } }: Chain): OtherGain {
    const said = steps.map(({ edge: { source, target }, path }): CredentialStep => {
      const signedIn = this.#byNode.get(target);
      const isOpen = this.#isOfUnknownAuthority(source, target);
      return {
        does: verbs[source.kind],
        path,
        ...(signedIn && { signsInBy: signedIn.by }),
        ...(isOpen && { isOfUnknownAuthority: true }),
      };
    });
    const last = this.#byNode.get(end);
    const policies = (last?.[this.#side] ?? []).filter((name) => name !== 'default');
    const rules = policies.flatMap((name) => this.#book.sidesOf(name)[this.#side] ?? []);
    const opens = rules
      .filter(({ capabilities }) => !capabilities.includes('deny'))
      .map(({ path, capabilities }) => ({ path, capabilities: [...capabilities] }));
    return this.#gain(by, said, opens);
  }

  /** Whether an engine gives certificates without a token, or may: what else it lets be ordered, its roles decide. */
  #asksForNone(source: CredentialSource): boolean {
    if (!signsCertificates(source)) return false;
    const { credentials } = this.#index.graph;
    const { mount } = source;
    const takesOrders = credentials?.some(
      (other) => other.kind === 'acmeOrders' && other.mount === mount && !other.isForServers,
    );
    return takesOrders || engineAt(credentials, mount)?.hasAll !== true;
  }

  /** Whether it signs certificates, and the target may not trust the authority. */
  #isOfUnknownAuthority(source: CredentialSource, target: NodeKey): boolean {
    if (!signsCertificates(source)) return false;
    const { others, graph } = this.#index;
    const role = others.get(target);
    return role?.kind !== 'otherRole' || trustsEngine(role, source.mount, graph.credentials) !== 'yes';
  }

  #gain(by: Principals, steps: CredentialStep[], opens: CredentialChange['opens']): OtherGain {
    const isNew = this.#side === 'after';
    const what: CredentialChange = { kind: 'credential', isNew, steps, opens };
    return {
      by,
      also: { about: 'credentials', gains: isNew ? 'some' : 'none', losses: isNew ? 'none' : 'some', what },
    };
  }
}

const verbs: { [Kind in CredentialSource['kind']]: CredentialStep['does'] } = {
  identityTokenRole: 'reads',
  pkiRole: 'requests',
  pkiEngine: 'requests',
  acmeOrders: 'orders',
  keptCredential: 'reads',
};

/** The node that principals sign in by, by its key. */
function nodeOf({ kind, method = '', name, node }: Principals): NodeKey | undefined {
  if (kind === 'role') return roleNode(method, name);
  return kind === 'other' && node !== undefined ? keyOfNode(node) : undefined;
}

const giverOf = ({ by }: Principals) => JSON.stringify(by);

/** Principals who may ask a source, and how. */
interface Asker {
  by: Principals;
  request: CredentialRequest;
  can: 'yes' | 'unknown';
}

/** Who may ask a source, and where; without a token, anyone. */
function askersOf(source: CredentialSource, reach: Reach): Asker[] {
  if (source.kind === 'acmeOrders') {
    const request = { path: orderPath(source), capability: 'update' as const };
    return [{ by: anyone(), request, can: 'yes' }];
  }
  return requestsOf(source).flatMap((request) =>
    reach.holdersOf(request).map(({ principals, can }) => ({ by: principals, request, can })),
  );
}

/** Whether the change lets anyone ask for a source, or no longer. */
function mayBeNewlyAsked(edges: readonly CredentialEdge[], { paths }: ChangeInSight, side: Side): boolean {
  const requests = [...new Set(edges.map(({ source }) => source))].flatMap(requestsOf);
  const meant = paths.filter(({ direction }) => direction === directionOn(side));
  return meant.some((path) => requests.some((request) => lets(path, request)));
}

const directionOn = (side: Side) => (side === 'after' ? 'gained' : 'lost');

/** Whether a change of a path is one of a request. */
function lets(
  { pattern, capabilities }: PathChange<Principals>,
  { path, capability }: CredentialRequest,
): boolean {
  return capabilities.includes(capability) && mayOverlap(pattern, path);
}

/**
 * Whether the change lets principals make a request that they could not make on the opposite side. Of administrators it is not said:
 * they may give themselves all of it.
 */
function newlyAsked(
  { paths, isAdministrator }: ChangeInSight,
  side: Side,
): (by: Principals, request: CredentialRequest) => boolean {
  const meant = paths.filter(({ direction }) => direction === directionOn(side));
  const byGiver = Map.groupBy(
    meant.flatMap((path) => [path.by, ...path.together].map((by) => ({ giver: giverOf(by), path }))),
    ({ giver }) => giver,
  );
  return (by, request) => {
    const changed = byGiver.get(giverOf(by)) ?? [];
    return changed.some(({ path }) => lets(path, request)) && !isAdministrator[side](by[side]);
  };
}

const orderPath = ({ mount }: AcmeOrders) => `${mount}/acme/new-order`;

/** Anyone, without a token. */
function anyone(): Principals {
  const source = { kind: 'anyone' as const, by: { kind: 'anyone' as const }, name: 'anyone' };
  return principalsWith('changed', { ...source, before: [], after: [] }, []);
}
