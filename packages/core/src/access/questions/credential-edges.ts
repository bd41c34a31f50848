import { isComplete } from '../../graph/graph.ts';
import {
  type CredentialSource,
  engineAt,
  keyOfSource,
  sourcesByKey,
} from '../../graph/nodes/credential-source.ts';
import type { OtherRole } from '../../graph/nodes/other-role.ts';
import { isSame } from '../../graph/resources/field.ts';
import { methodNode, type NodeKey, sourceNode } from '../edges/edge.ts';
import { isRead } from '../edges/template-readers.ts';
import type { GraphIndex } from '../graph-index.ts';
import type { Side } from '../policy-sides.ts';
import { surelyAcceptsIdentityToken, tellsPeopleApart } from '../sign-in/identity-tokens.ts';
import {
  type CertificateSource,
  signsCertificates,
  signsMore,
  surelySignedIn,
  trustsEngine,
} from '../sign-in/issued-certificates.ts';

/** A source that hands out what one signs in with, and the node that one signs in by. */
export interface CredentialEdge {
  source: CredentialSource;
  target: NodeKey;
  /** On the opposite side it does not lead there, or does not give all that it gives here. */
  isOwn: boolean;
}

/** The edges of a side. Of after, an edge that was perhaps not there before counts as new; no loss is said for that reason. */
export function edgesOn(side: Side, indexes: Record<Side, GraphIndex>): CredentialEdge[] {
  const index = indexes[side];
  const opposite = indexes[side === 'after' ? 'before' : 'after'];
  const known = sourcesByKey(opposite.graph.credentials);
  const leads = ({ walk }: GraphIndex, source: CredentialSource) => walk.ends(sourceNode(source), 'signs in');
  return (index.graph.credentials ?? []).flatMap((source) => {
    const there = known.get(keyOfSource(source));
    const targets = new Set(there === undefined ? [] : leads(opposite, there));
    return leads(index, source).map((target) => {
      const isOwn =
        there === undefined ||
        !targets.has(target) ||
        givesMore(there, source, target, index) ||
        (side === 'after' && !isSure(there, source, target, indexes));
      return { source, target, isOwn };
    });
  });
}

/** Whether a source gives more people, or another one, to sign in as by the same node. */
function givesMore(
  there: CredentialSource,
  source: CredentialSource,
  target: NodeKey,
  index: GraphIndex,
): boolean {
  if (isSame(there, source)) return false;
  switch (source.kind) {
    case 'pkiRole':
      return there.kind === 'pkiRole' && signsMore(there, source) && tellsApart(source, target, index);
    case 'identityTokenRole':
      return tellsApart(source, target, index);
    case 'pkiEngine':
      // It gives all names before and after.
      return false;
    case 'acmeOrders':
    case 'keptCredential':
      return true;
  }
}

/**
 * Whether another source gives all that a source does to sign in with by a node: where what it gives says who signs in, one may be
 * another person by each.
 */
export function isCoveredBy(
  other: CredentialSource,
  source: CredentialSource,
  target: NodeKey,
  index: GraphIndex,
): boolean {
  if (keyOfSource(other) === keyOfSource(source) || !tellsApart(source, target, index)) return true;
  // It signs any name.
  if (other.kind === 'pkiEngine') return signsCertificates(source);
  if (other.kind === 'pkiRole' && source.kind === 'pkiRole') return !signsMore(other, source);
  if (other.kind === 'keptCredential' && source.kind === 'keptCredential') return other.of === source.of;
  if (other.kind !== 'identityTokenRole') return false;
  return isSame({ ...other, name: '' }, { ...source, name: '' });
}

/** Whether what a source gives says who one is that signs in by a node, or fills policies in. */
export function tellsApart(source: CredentialSource, target: NodeKey, index: GraphIndex): boolean {
  switch (source.kind) {
    case 'pkiRole':
    case 'pkiEngine':
    case 'acmeOrders':
      // Who signs in by a certificate is known by the name in it.
      return mayBeNamed(target, index);
    case 'identityTokenRole': {
      const role = index.roles.get(target);
      return role === undefined || tellsPeopleApart(role);
    }
    case 'keptCredential':
      return isRead(index.graph, aliasInTemplate);
  }
}

/** What templates read of the alias of a sign-in: its name, which a certificate gives, or metadata, which a secret id has. */
const aliasInTemplate = 'entity.aliases.';

/** Whether a source surely led before where it leads after, as far as it has changed: an edge may be there where it only might. */
function isSure(
  before: CredentialSource,
  after: CredentialSource,
  target: NodeKey,
  indexes: Record<Side, GraphIndex>,
): boolean {
  if (signsCertificates(after) && isTrustedMore(after, target, indexes)) return false;
  if (isSame(before, after)) return true;
  if (before.kind === 'pkiRole' && after.kind === 'pkiRole') {
    const role = otherRoleAt(target, indexes.before);
    return !signsMore(before, after) || (role !== undefined && surelySignedIn(before, after, role));
  }
  const role = indexes.before.roles.get(target);
  if (before.kind !== 'identityTokenRole' || after.kind !== 'identityTokenRole') return true;
  // The key before may have signed for other audiences only.
  if (before.key !== after.key) return false;
  return role !== undefined && surelyAcceptsIdentityToken(before, role);
}

/** Whether it was not known that a certificate role trusts an engine, and either has other authorities now. */
function isTrustedMore(
  { mount }: CertificateSource,
  target: NodeKey,
  { before, after }: Record<Side, GraphIndex>,
): boolean {
  const roleBefore = otherRoleAt(target, before);
  const roleAfter = otherRoleAt(target, after);
  if (roleBefore === undefined || roleAfter === undefined) return true;
  const [sourcesBefore, sourcesAfter] = [before.graph.credentials, after.graph.credentials];
  if (trustsEngine(roleBefore, mount, sourcesBefore) === 'yes') return false;
  const isSameEngine = isSame(engineAt(sourcesBefore, mount), engineAt(sourcesAfter, mount));
  return !isSameEngine || !isSame(roleBefore.bounds['certificate'], roleAfter.bounds['certificate']);
}

function otherRoleAt(target: NodeKey, { others }: GraphIndex): OtherRole | undefined {
  const node = others.get(target);
  return node?.kind === 'otherRole' ? node : undefined;
}

/** Whether an entity may have another alias at the method of a node, or the name of an alias fills a policy in. */
function mayBeNamed(target: NodeKey, index: GraphIndex): boolean {
  const role = otherRoleAt(target, index);
  const isKnown = isComplete(index.graph, 'others') && role !== undefined;
  if (!isKnown || isRead(index.graph, aliasInTemplate)) return true;
  return index.walk.ends(methodNode(role.method), 'any of').length > 0;
}
