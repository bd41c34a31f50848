import { isComplete, type OtherNode } from '../graph/graph.ts';
import type { AuthMethod } from '../graph/resources/auth-method.ts';
import { listsOf } from '../graph/resources/other-methods.ts';
import type { Role } from '../graph/resources/role.ts';
import { objectOf } from '../graph/values/loose-values.ts';
import { type Principals, principalsWith } from './access-change.ts';
import type { PolicyLists } from './grants.ts';
import { bothKeys, type GraphIndex } from './graph-index.ts';
import type { LimitName } from './reasons/reason.ts';
import { changedLimit, limitOf } from './sign-in/token-limits.ts';

interface RoleOnSide {
  role: Role;
  method?: AuthMethod | undefined;
}

/** Limits that change for the tokens of a role. */
export function limitsOfRole(before: RoleOnSide, after: RoleOnSide): PolicyLists {
  const limitOn = ({ role, method }: RoleOnSide) =>
    limitOf(role.tokenType, role.tokenNumUses, method?.tune?.tokenType);
  return changedLimit(limitOn(before), limitOn(after));
}

/** Limits that change for the tokens of a role or user of another method, of a token role, or for a token. */
export function limitsOfOther(
  [before, nodeBefore]: [GraphIndex, OtherNode | undefined],
  [after, nodeAfter]: [GraphIndex, OtherNode | undefined],
): PolicyLists {
  if (nodeBefore === undefined || nodeAfter === undefined) return changedLimit(undefined, undefined);
  return changedLimit(limitOfOther(before, nodeBefore), limitOfOther(after, nodeAfter));
}

function limitOfOther(side: GraphIndex, node: OtherNode): LimitName | undefined {
  if (node.kind !== 'token' && node.kind !== 'otherRole') return undefined;
  const { lifetime = {} } = node;
  if (node.kind === 'token') return limitOf(lifetime['type'], lifetime['num_uses'], undefined);
  const { token_type: type, token_num_uses: uses } = lifetime;
  // Who makes a token by a token role chooses its type, unless the role says `service` or `batch`.
  if (node.type === 'token') return limitOf(type === 'batch' ? type : 'service', uses, undefined);
  return limitOf(type, uses, ofMount(side, node.method)?.type);
}

/** What a mount's tuning and configuration say of the tokens of those who leave it to them. */
function ofMount(side: GraphIndex, path: string) {
  const mount = side.otherMounts.get(path);
  if (mount === undefined) return undefined;
  const { lifetime = {} } = mount;
  return {
    type: objectOf(lifetime['tune'])?.['token_type'],
    own: lifetime['token_type'],
    uses: lifetime['token_num_uses'],
    kind: mount.type,
  };
}

/** What a mount says of the tokens of those who leave their limits to it. */
function limitAt(side: GraphIndex, path: string): LimitName | undefined {
  const mount = ofMount(side, path);
  return limitOf(mount?.own, mount?.uses, mount?.type ?? side.methods.get(path)?.tune?.tokenType);
}

/** Tokens that have a limit by their mount, and no more: of roles that are elsewhere, or of methods without roles. */
export function limitsOfMounts(
  before: GraphIndex,
  after: GraphIndex,
): { principals: Principals; isUnited: boolean }[] {
  const paths = [
    ...bothKeys(before.otherMounts, after.otherMounts),
    ...bothKeys(before.methods, after.methods),
  ];
  return [...new Set(paths)].flatMap((path) => {
    const isManaged = after.methods.has(path);
    const isKnown = [before, after].every(({ graph }) =>
      isComplete(graph, isManaged ? 'roles' : 'others', path),
    );
    const lists = isManaged ? [] : listsOf(ofMount(after, path)?.kind ?? '');
    const isUnited = lists?.some(({ unites }) => unites) ?? true;
    // A stand-in for roles that are elsewhere has the limit already.
    if ((isKnown && !isUnited) || after.roleNamed(path, '') !== undefined) return [];
    const isKept = [before, after].every((side) => side.methods.has(path) || side.otherMounts.has(path));
    const limits = changedLimit(limitAt(before, path), limitAt(after, path));
    if (!isKept || limits.before.length + limits.after.length === 0) return [];
    const by = { kind: 'sign-ins' as const, method: path };
    const source = { kind: 'method' as const, by, method: path, name: '', ...limits };
    return [{ principals: principalsWith('changed', source), isUnited }];
  });
}
