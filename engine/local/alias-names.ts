import { createUrn, parseUrn, qualifiedType, rootStackType } from '../urn.ts';
import type { Alias, Goal } from './goal.ts';

/** Where names come from that an alias leaves out. */
interface AliasScope {
  project: string;
  stack: string;
  /** URN under which a resource of this deployment was found in state, when that was an alias. */
  formerUrn(urn: string): string | undefined;
}

/**
 * The URNs under which a resource may be known in state, its own aside: its aliases, and those that follow
 * from its parent's (pulumi/pulumi `pkg/resource/deploy/step_generator.go`, `generateAliases`).
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
  const given = orUndefined(alias.parent);
  let parent = given === undefined ? goal.parent : (scope.formerUrn(given) ?? given);
  if (alias.noParent === true || (parent !== undefined && qualifiedType(parent) === rootStackType)) {
    parent = undefined;
  }
  return createUrn(
    orUndefined(alias.stack) ?? scope.stack,
    orUndefined(alias.project) ?? scope.project,
    parent,
    orUndefined(alias.type) ?? goal.type,
    orUndefined(alias.name) ?? goal.name,
  );
}

/** A child named after its parent, `app-role` under `app`, was named after the parent's former name. */
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

/** The wire has empty strings for what is left out. */
function orUndefined(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
