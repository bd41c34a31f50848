import { trustsIdentityTokens } from '../../access/sign-in/identity-tokens.ts';
import { mayTrustSource, signsMore } from '../../access/sign-in/issued-certificates.ts';
import type { Change } from '../../graph/change.ts';
import { isComplete } from '../../graph/graph.ts';
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
 * that a plan shows, so that a role that trusts none of these is not decided.
 */
export function methodsDecided({ after }: Change): string[] {
  const { credentials = [], others } = after;
  const certificates = isComplete(after, 'others') ? ofKind(others, 'otherMethod') : [];
  const roles = ofKind(others, 'otherRole').filter(({ type }) => type === 'cert');
  const isTrusting = ({ path }: { path: string }) =>
    roles.every(
      (role) => role.method !== path || credentials.every((source) => mayTrustSource(source, role)),
    );
  // A role that is a program may let in anyone of those that the method trusts.
  const programs = new Set(ofKind(others, 'program').map(({ method }) => method));
  const isRead = ({ path }: { path: string }) => isComplete(after, 'roles', path) && !programs.has(path);
  return [
    ...after.methods.filter((method) => trustsIdentityTokens(method) && isRead(method)),
    ...certificates.filter((method) => method.type === 'cert' && !method.isOpaque && isTrusting(method)),
  ].map(({ path }) => path);
}
