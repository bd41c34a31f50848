import { mayAcceptIdentityToken, trustsIdentityTokens } from '../../access/sign-in/identity-tokens.ts';
import { signsMore, trustsEngine } from '../../access/sign-in/issued-certificates.ts';
import type { Change } from '../../graph/change.ts';
import { type Graph, isComplete } from '../../graph/graph.ts';
import { engineAt } from '../../graph/nodes/credential-source.ts';
import { ofKind } from '../../graph/nodes/other-node.ts';
import { sourceOf } from './credential-sources.ts';
import type { PlannedResource } from './planned-resource.ts';

/** Whether a PKI role stays and signs nothing that it did not before. */
export function isNarrowed({ of, before, after, replaced }: PlannedResource): boolean {
  if (replaced !== undefined) return false;
  const sourceBefore = before && sourceOf(of, before);
  const sourceAfter = after && sourceOf(of, after);
  return (
    sourceBefore?.kind === 'pkiRole' &&
    sourceAfter?.kind === 'pkiRole' &&
    !signsMore(sourceBefore, sourceAfter)
  );
}

/**
 * Methods whose roles are all known: edges say which of them a credential signs in to. An engine may have other authorities than those
 * that a plan shows, so that a role that trusts none of these is not decided, unless the service was read.
 *
 * @param mounts paths of the PKI engines that the plan changes
 */
export function methodsDecided({ after }: Change, mounts: readonly string[]): string[] {
  const { credentials, others } = after;
  const certificates = isComplete(after, 'others') ? ofKind(others, 'otherMethod') : [];
  const roles = ofKind(others, 'otherRole').filter(({ type }) => type === 'cert');
  const unread = mounts.filter((mount) => engineAt(credentials, mount)?.hasAll !== true);
  const isTrusting = ({ path }: { path: string }) =>
    roles.every(
      (role) =>
        role.method !== path || unread.every((mount) => trustsEngine(role, mount, credentials) !== 'no'),
    );
  return [
    ...after.methods.filter((method) => trustsIdentityTokens(method) && isRead(method, after)),
    ...certificates.filter((method) => method.type === 'cert' && !method.isOpaque && isTrusting(method)),
  ].map(({ path }) => path);
}

/** Whether all roles of a method are known. One that is a program may let in anyone of those that the method trusts. */
function isRead({ path }: { path: string }, graph: Graph): boolean {
  const isProgram = ofKind(graph.others, 'program').some(({ method }) => method === path);
  return isComplete(graph, 'roles', path) && !isProgram;
}

/**
 * Methods with roles for the service's own identity tokens, or perhaps so: those that are not, where all that gives such tokens was
 * read, trust tokens that no one gets.
 *
 * @param methods paths of methods that trust the keys of such tokens
 */
export function methodsWithTokens(methods: readonly string[], { before, after }: Change): string[] {
  const isOpen = (graph: Graph, path: string) => {
    const tokens = (graph.credentials ?? []).filter((source) => source.kind === 'identityTokenRole');
    const roles = graph.roles.filter((role) => role.method === path);
    const isAccepted = roles.some((role) => tokens.some((source) => mayAcceptIdentityToken(source, role)));
    return isAccepted || !isComplete(graph, 'credentials') || !isRead({ path }, graph);
  };
  return methods.filter((path) => isOpen(before, path) || isOpen(after, path));
}
