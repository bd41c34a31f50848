import type { Complete, Graph } from '../../graph/graph.ts';
import { type Memberships, type Named, namedKey } from '../../graph/memberships.ts';
import {
  type AcmeOrders,
  type CredentialSource,
  type IdentityTokenRole,
  type KeptCredential,
  keyOfSource,
  type PkiEngine,
  type PkiRole,
} from '../../graph/nodes/credential-source.ts';
import type { Guard } from '../../graph/nodes/guard.ts';
import type { EntityAlias, OtherAlias } from '../../graph/nodes/other-alias.ts';
import type { OtherMethod } from '../../graph/nodes/other-method.ts';
import type { OtherNode } from '../../graph/nodes/other-node.ts';
import type { OtherRole } from '../../graph/nodes/other-role.ts';
import type { IssuedTokens } from '../../graph/nodes/tokens.ts';
import type { GroupAlias } from '../../graph/resources/group-alias.ts';
import type { Role } from '../../graph/resources/role.ts';
import { nameKey, policyKey } from '../../graph/values/name-key.ts';
import type { OpenEdge } from '../reasons/reason.ts';
import type { GroupReading } from '../sign-in/group-reading.ts';
import type { OpenEnd } from './open-end.ts';

/**
 * How what an edge leads to comes to a token.
 * - `always`: each token has it. - `any of`: a token has any of them, as its sign-in or its entity brings them.
 * - `some of`: who makes the token picks. - `only if`: a sign-in brings one of them at least.
 * - `fills in`: a template of a policy reads it. - `guards`: sign-ins there are asked for more, and have no other policies.
 * - `signs in`: who may ask the source for a credential signs in there, and has another token then: policies of two are never united.
 */
export type How = 'always' | 'any of' | 'some of' | 'only if' | 'fills in' | 'guards' | 'signs in';

/** What of a token an attribute decides. */
export type Decided =
  | 'who'
  | 'identity'
  | 'groups'
  | 'policies'
  | 'abilities'
  | 'templates'
  | 'rules'
  | 'credentials'
  | 'lifetime';

/** Names a node: equal for every spelling of its name. */
export type NodeKey = string;

/** The kinds of nodes that have rows. */
export interface EdgeNodes {
  role: Role;
  otherRole: OtherRole;
  /** A mount of any type: whatever signs in there. */
  method: { path: string };
  /** All methods of a type. */
  methodType: { type: string };
  /** The aliases of groups at a mount. */
  groupAliases: { path: string };
  otherMethod: OtherMethod;
  alias: GroupAlias;
  otherAlias: OtherAlias;
  entityAlias: EntityAlias;
  issuedTokens: IssuedTokens;
  /** Of an OIDC or JWT method, or of the service itself, with all that is attached to it. */
  group: Named & { policies: readonly string[] };
  entity: Named & { policies: readonly string[] };
  guard: Guard;
  identityTokenRole: IdentityTokenRole;
  pkiRole: PkiRole;
  pkiEngine: PkiEngine;
  acmeOrders: AcmeOrders;
  keptCredential: KeptCredential;
  /** What gives policies by itself, or says something of a sign-in: a token of a plan, a write, a secret id. */
  other: OtherNode;
  /** Edges lead to it, and none from it. */
  policy: Graph['policies'][number];
}
export type EdgeKind = keyof EdgeNodes;

/** A node with its kind. */
export type NodeOfGraph = { [Kind in EdgeKind]: { kind: Kind; node: EdgeNodes[Kind] } }[EdgeKind];

/** What is looked up along edges. */
export interface Lookup {
  graph: Graph;
  memberships: Memberships;
  /** Whether the change makes a node, or makes it anew: nothing elsewhere hangs on its id. */
  isFresh(key: NodeKey): boolean;
  /** The metadata of a group or an entity, by its key. */
  metadata: ReadonlyMap<NodeKey, Readonly<Record<string, string>>>;
  readingOf(role: Role): GroupReading;
  /** Whether a role of a method reads groups, or may. */
  readsGroups(method: string): boolean;
  aliasesAt(method: string): readonly GroupAlias[];
  othersAt(method: string): readonly OtherNode[];
  /** Paths of the methods at which an entity has an alias. */
  methodsOf(entity: string): readonly string[];
  /** The type of a method; empty where it is not known. */
  typeOf(method: string): string;
  /** The provider's groups that the bounds of a role require one of; empty if a token may be in no group. */
  keptBy(role: Role): readonly { name: string }[];
  /** The open ends of everything that each token has that has one of these nodes. */
  openFrom(keys: readonly NodeKey[]): readonly OpenEnd[];
}

/** An attribute of a kind of node, and what of a token it decides. */
interface RowOf<From> {
  attribute: string;
  decides: readonly Decided[];
  /** What shows it, in a server's source. Defaults to requests that were measured on OpenBao. */
  source?: { file: string; symbol: string };
  /** Open ends that come to a token with the node, by whatever leads there. */
  along?(from: From, lookup: Lookup, key: NodeKey): readonly OpenEnd[];
  /** Open ends of a node that are compared on both sides, where those of its ends do not tell. */
  open?(from: From, lookup: Lookup, key: NodeKey): readonly OpenEnd[];
  /** Only of a node that stays they are compared: who comes by a new one had nothing of it. Defaults to any. */
  isOfStaying?: true;
}

/** A row that leads to other nodes. */
export interface LeadingRow<From> extends RowOf<From> {
  how: How;
  to: EdgeKind;
  /** Absent where a graph does not have what it leads to. */
  ends?(from: From, lookup: Lookup): readonly NodeKey[];
  /**
   * The lists of a graph that hold its other end: for a guard, itself. While one of them is not complete, an end may be elsewhere.
   * Absent where every end is in the graph.
   */
  lists?: readonly Complete['list'][];
  /** What a node led to before that did not have the attribute. Defaults to nothing. */
  former?(from: From): OpenEnd;
  /** A text that occurs in every template that it fills in. Defaults to nothing in particular. */
  readAs?: string;
}

/** A row that leads nowhere by itself. */
interface DecidingRow<From> extends RowOf<From> {
  how?: undefined;
  /**
   * The edge by which something elsewhere may hang on the node, and on no other that is made under its name. Without `open`, it
   * comes to a token with the node, by whatever leads there.
   */
  opens?: OpenEdge;
}

/** One row of the table: what an attribute of a kind of node decides, and where it leads. */
export type EdgeRow<From> = LeadingRow<From> | DecidingRow<From>;

export const policyNode = (name: string): NodeKey => `policy ${policyKey(name)}`;
/** The name of a policy; undefined for the key of anything else. */
export const policyOf = (key: NodeKey): string | undefined =>
  key.startsWith('policy ') ? key.slice('policy '.length) : undefined;
export const roleNode = (method: string, name: string): NodeKey =>
  `role ${JSON.stringify([method, nameKey(name)])}`;
export const aliasNode = ({ method, name }: Pick<GroupAlias, 'method' | 'name'>): NodeKey =>
  `alias ${JSON.stringify([method, nameKey(name)])}`;
export const methodNode = (path: string): NodeKey => `mount ${path}`;
export const methodTypeNode = (type: string): NodeKey => `type ${type}`;
export const groupAliasesNode = (path: string): NodeKey => `group aliases ${path}`;
export const groupNode = (name: string): NodeKey => namedKey({ kind: 'group', name });
export const sourceNode = (source: CredentialSource): NodeKey => `credential ${keyOfSource(source)}`;
export const entityNode = (name: string): NodeKey => namedKey({ kind: 'entity', name });

/** The policies that a node names. */
export const policyNodes = ({ policies = [] }: { policies?: readonly string[] }): NodeKey[] =>
  policies.map(policyNode);
