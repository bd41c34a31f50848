import { createUrn, parseUrn, qualifiedType, rootStackType } from '../urn.ts';
import type { Goal, ResourceAlias } from './goal.ts';

/** Supplies the parts of a name that an alias leaves out. */
interface AliasScope {
  project: string;
  stack: string;
  /** The old URN of a resource of this deployment that was found in state by an alias. */
  formerUrn(urn: string): string | undefined;
}

/**
 * The other URNs that a resource may have in state: its aliases, and those that follow from its parent's (pulumi/pulumi
 * `pkg/resource/deploy/step_generator.go`, `generateAliases`).
 */
export function aliasUrns(goal: Goal, scope: AliasScope): string[] {
  const own = goal.aliases.map((alias) => collapse(goal, alias, scope));
  const { parent } = goal;
  const formerParent = parent === undefined ? undefined : scope.formerUrn(parent);
  if (parent === undefined || formerParent === undefined) return [...new Set(own)];
  // A child named after its parent (`app-role` under `app`) was named after the parent's former name.
  const parentName = parseUrn(parent).name;
  const formerName = parseUrn(formerParent).name;
  const formerOf = (name: string) =>
    name.startsWith(parentName) ? formerName + name.slice(parentName.length) : name;
  const inherited = [goal, ...own.map(parseUrn)].map(({ type, name }) =>
    createUrn(scope.stack, scope.project, formerParent, type, formerOf(name)),
  );
  return [...new Set([...own, ...inherited])];
}

function collapse(goal: Goal, alias: ResourceAlias, scope: AliasScope): string {
  if ('urn' in alias) return alias.urn;
  let parent = alias.parent ? (scope.formerUrn(alias.parent) ?? alias.parent) : goal.parent;
  if (alias.noParent || (parent !== undefined && qualifiedType(parent) === rootStackType)) parent = undefined;
  const { stack, project } = scope;
  return createUrn(
    alias.stack || stack,
    alias.project || project,
    parent,
    alias.type || goal.type,
    alias.name || goal.name,
  );
}
