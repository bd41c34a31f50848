import type { Change } from '../../graph/change.ts';
import {
  type CredentialSource,
  keyOfSource,
  requestsOf,
  sourceWords,
} from '../../graph/nodes/credential-source.ts';
import { keyOfNode } from '../../graph/nodes/other-node.ts';
import { isSame } from '../../graph/resources/field.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import { type Principals, principalsWith } from '../access-change.ts';
import { type NodeKey, roleNode, sourceNode } from '../edges/edge.ts';
import { GraphIndex } from '../graph-index.ts';
import { Reach } from '../questions/who-can.ts';
import type { AlsoChange, CredentialStep } from '../reasons/also-change.ts';
import type { Reason } from '../reasons/reason.ts';
import type { RuleBook } from '../rule-book.ts';
import { tellsPeopleApart } from '../sign-in/identity-tokens.ts';
import { signsMore } from '../sign-in/issued-certificates.ts';
import type { OtherGain, OtherGains } from './other-gains.ts';

/** A source that hands out what one signs in with, and the node that one signs in by. */
interface CredentialEdge {
  source: CredentialSource;
  target: NodeKey;
  /** It did not lead there before, or not with all that it gives now. */
  isNew: boolean;
}

/** A step that principals may take: a request that gets a credential, and the edge that it opens. */
interface Step {
  edge: CredentialEdge;
  path: string;
}

type CredentialChange = Extract<AlsoChange, { kind: 'credential' }>;

/** Chains that are shown of one change: of more, no one reads each. */
const mostShown = 100;

/**
 * Who gains by a credential. A chain is a request that a token may make, a sign-in with what it gets, and on from there: each step
 * is another token, decided by its own policies. It is new if a step leads over a new edge; where a step is a request
 * that is newly allowed, that is a gain on its path already.
 *
 * @param here the principals of the change
 * @param isClosed whether the whole service is known on both sides
 */
export function credentialGains(
  { before, after }: Pick<Change, 'before' | 'after'>,
  here: readonly Principals[],
  isClosed: boolean,
  now: bigint,
  book: RuleBook,
): OtherGains {
  const sources = after.credentials ?? [];
  const known = new Map((before.credentials ?? []).map((source) => [keyOfSource(source), source]));
  if (sources.length === 0) return noGains;
  const edges = edgesBetween(new GraphIndex(before), new GraphIndex(after), known);
  const openly = sources.filter((source) => source.kind === 'acmeOrders' && !known.has(keyOfSource(source)));
  if (openly.length === 0 && !edges.some(({ isNew }) => isNew)) return noGains;
  const chains = new Chains(edges, new Reach(after, now), here, book);
  return {
    gains: [...openly.map(takesOrders), ...chains.gains()].slice(0, mostShown),
    uncertain: chains.open(isClosed),
  };
}

const noGains: OtherGains = { gains: [], uncertain: [] };

/** The edges after a change. */
function edgesBetween(
  before: GraphIndex,
  after: GraphIndex,
  known: ReadonlyMap<string, CredentialSource>,
): CredentialEdge[] {
  const ledBefore = (source: CredentialSource, target: NodeKey) =>
    before.walk.ends(sourceNode(source), 'gives a credential').includes(target);
  return (after.graph.credentials ?? []).flatMap((source) => {
    const sourceBefore = known.get(keyOfSource(source));
    return after.walk.ends(sourceNode(source), 'gives a credential').map((target) => {
      const isKept = sourceBefore !== undefined && ledBefore(sourceBefore, target);
      return { source, target, isNew: !isKept || givesMore(sourceBefore, source, target, after) };
    });
  });
}

/** Whether a source gives more people, or another one, to sign in as by the same node. */
function givesMore(
  before: CredentialSource,
  source: CredentialSource,
  target: NodeKey,
  { roles }: GraphIndex,
): boolean {
  if (isSame(before, source)) return false;
  if (source.kind === 'pkiRole') return before.kind === 'pkiRole' && signsMore(before, source);
  const role = roles.get(target);
  return source.kind !== 'identityTokenRole' || role === undefined || tellsPeopleApart(role);
}

/** Who comes from one token to the next after a change. */
class Chains {
  readonly #edges: readonly CredentialEdge[];
  readonly #book: RuleBook;
  /** The principals that sign in by a node. */
  readonly #byNode: ReadonlyMap<NodeKey, Principals>;
  /** What each of the principals may ask for, by what gives it access. */
  readonly #steps = new Map<string, { by: Principals; steps: Step[] }>();
  /** Edges whose source is asked by principals that are known, and by some of whom that is not known. */
  readonly #asked = new Set<CredentialEdge>();
  readonly #perhapsAsked = new Set<CredentialEdge>();

  constructor(edges: readonly CredentialEdge[], reach: Reach, here: readonly Principals[], book: RuleBook) {
    this.#edges = edges;
    this.#book = book;
    const staying = here.filter(({ after, partOf }) => after.length > 0 && partOf === undefined);
    this.#byNode = new Map(
      staying.flatMap((each) => {
        const node = nodeOf(each);
        return node === undefined ? [] : [[node, each] as const];
      }),
    );
    const known = new Map(staying.map((each) => [giverOf(each), each]));
    for (const edge of edges)
      for (const { by, path, can } of askersOf(edge.source, reach)) {
        if (can === 'unknown') {
          this.#perhapsAsked.add(edge);
          continue;
        }
        this.#asked.add(edge);
        const start = () => ({ by: known.get(giverOf(by)) ?? by, steps: [] });
        getOrMake(this.#steps, giverOf(by), start).steps.push({ edge, path });
      }
  }

  /** Everyone with a chain to a sign-in that they had none to before. */
  gains(): OtherGain[] {
    return [...this.#steps.values()].flatMap(({ by }) => {
      const before = this.#chainsOf(by, ({ edge }) => !edge.isNew);
      const after = [...this.#chainsOf(by, () => true)];
      return after
        .filter(([target]) => !before.has(target) && target !== nodeOf(by))
        .map(([, steps]) => this.#gainOf(by, steps));
    });
  }

  /** What may be gained by principals who are not known. */
  open(isClosed: boolean): Reason[] {
    const isOpen = (edge: CredentialEdge) =>
      edge.isNew && !this.#asked.has(edge) && (this.#perhapsAsked.has(edge) || !isClosed);
    return this.#edges.filter(isOpen).map(({ source, target }) => {
      const { name, method } = this.#byNode.get(target) ?? {};
      const by = `credentials of ${name ?? 'a sign-in that is not known'}`;
      const methods = method === undefined ? [] : [method];
      return { kind: 'unmodeled', effect: { of: 'sign-ins', by, through: [sourceWords(source)], methods } };
    });
  }

  /** The shortest chain from principals to each node that they come to. */
  #chainsOf(by: Principals, isMeant: (step: Step) => boolean): Map<NodeKey, Step[]> {
    const chains = new Map<NodeKey, Step[]>();
    const reached: { principals: Principals; steps: Step[] }[] = [{ principals: by, steps: [] }];
    for (const { principals, steps } of reached)
      for (const step of this.#steps.get(giverOf(principals))?.steps ?? []) {
        const { target } = step.edge;
        if (chains.has(target) || !isMeant(step)) continue;
        chains.set(target, [...steps, step]);
        const next = this.#byNode.get(target);
        if (next !== undefined) reached.push({ principals: next, steps: [...steps, step] });
      }
    return chains;
  }

  #gainOf(by: Principals, steps: readonly Step[]): OtherGain {
    const said = steps.map(({ edge: { source, target }, path }): CredentialStep => {
      const signedIn = this.#byNode.get(target);
      return { does: verbs[source.kind], path, ...(signedIn && { signsInBy: signedIn.by }) };
    });
    const last = this.#byNode.get(steps.at(-1)?.edge.target ?? '');
    const policies = (last?.after ?? []).filter((name) => name !== 'default');
    const rules = policies.flatMap((name) => this.#book.sidesOf(name).after ?? []);
    const opens = rules
      .filter(({ capabilities }) => !capabilities.includes('deny'))
      .map(({ path, capabilities }) => ({ path, capabilities: [...capabilities] }));
    return gainOf(by, said, opens);
  }
}

const verbs: { [Kind in CredentialSource['kind']]: CredentialStep['does'] } = {
  identityTokenRole: 'reads',
  pkiRole: 'requests',
  acmeOrders: 'orders',
  keptCredential: 'reads',
};

/** The node that principals sign in by, by its key. */
function nodeOf({ kind, method = '', name, node }: Principals): NodeKey | undefined {
  if (kind === 'role') return roleNode(method, name);
  return kind === 'other' && node !== undefined ? keyOfNode(node) : undefined;
}

const giverOf = ({ by }: Principals) => JSON.stringify(by);

/** Who may ask a source, and where; without a token, anyone. */
function askersOf(
  source: CredentialSource,
  reach: Reach,
): { by: Principals; path: string; can: 'yes' | 'unknown' }[] {
  if (source.kind === 'acmeOrders') return [{ by: anyone(), path: orderPath(source), can: 'yes' }];
  return requestsOf(source).flatMap((request) =>
    reach.holdersOf(request).map(({ principals, can }) => ({ by: principals, path: request.path, can })),
  );
}

const orderPath = ({ mount }: { mount: string }) => `${mount}/acme/new-order`;

function takesOrders(source: CredentialSource): OtherGain {
  const path = source.kind === 'acmeOrders' ? orderPath(source) : '';
  return gainOf(anyone(), [{ does: verbs[source.kind], path }], []);
}

function gainOf(by: Principals, steps: CredentialStep[], opens: CredentialChange['opens']): OtherGain {
  const what: CredentialChange = { kind: 'credential', steps, opens };
  return { by, also: { about: 'credentials', gains: 'some', losses: 'none', what } };
}

/** Anyone, without a token. */
function anyone(): Principals {
  const source = { kind: 'anyone' as const, by: { kind: 'anyone' as const }, name: 'anyone' };
  return principalsWith('changed', { ...source, before: [], after: [] }, []);
}
