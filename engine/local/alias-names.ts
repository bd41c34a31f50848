import { createUrn, parseUrn, qualifiedType, rootStackType } from '../urn.ts';
import type { Alias, Goal } from './goal.ts';

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
  const formerParent = goal.parent === undefined ? undefined : scope.formerUrn(goal.parent);
  if (goal.parent === undefined || formerParent === undefined) return [...new Set(own)];
  const parentName = parseUrn(goal.parent).name;
  const inherited = [
    inheritedAlias(goal.type, goal.name, parentName, formerParent, scope),
    ...own.map((urn) => {
      const { type, name } = parseUrn(urn);
      return inheritedAlias(type, name, parentName, formerParent, scope);
    }),
  ];
  return [...new Set([...own, ...inherited])];
}

function collapse(goal: Goal, alias: Alias, scope: AliasScope): string {
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

/** A child named after its parent (`app-role` under `app`) was named after the parent's former name. */
function inheritedAlias(
  type: string,
  name: string,
  parentName: string,
  formerParent: string,
  { stack, project }: AliasScope,
): string {
  const former = name.startsWith(parentName)
    ? parseUrn(formerParent).name + name.slice(parentName.length)
    : name;
  return createUrn(stack, project, formerParent, type, former);
}
