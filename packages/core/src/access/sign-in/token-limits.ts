import type { PathRule } from '../../graph/policies/parse-policy.ts';
import { isUnset } from '../../graph/values/json.ts';
import type { LimitName } from '../reasons/reason.ts';

/** What a kind of token may not do, whatever its policies say. */
interface TokenLimit {
  closes: readonly string[];
}

const making = ['auth/token/create', 'auth/token/create-orphan', 'auth/token/create/*'];
const ownOfToken = ['cubbyhole/*', 'auth/token/renew-self', 'auth/token/revoke-self'];

/** Measured on OpenBao 2.7.2, each path by a token that a policy allows it: 400. What has no row, such a token may as any other. */
export const limits = {
  uses: { closes: making },
  batch: { closes: [...making, ...ownOfToken] },
} as const satisfies Record<LimitName, TokenLimit>;

/** No policy is called so. A limit is in the lists of policies of principals, as a denial that nothing overrides. */
const mark = '\u0001limit ';

/** Whether an entry in a list of policies is a limit of the token. */
export function isLimit(policy: string): boolean {
  return policy.startsWith(mark);
}

/** What a limit closes, as rules; undefined for a policy. */
export function closedBy(policy: string): PathRule[] | undefined {
  if (!isLimit(policy)) return undefined;
  return limits[nameOf(policy)].closes.map((path) => ({ path, capabilities: ['deny'], closes: true }));
}

/** The limit that tokens lose; undefined where none goes. */
export function liftedLimit({
  before,
  after,
}: Record<'before' | 'after', readonly string[]>): LimitName | undefined {
  const gone = before.find((one) => isLimit(one) && !after.includes(one));
  return gone === undefined ? undefined : nameOf(gone);
}

function nameOf(policy: string): LimitName {
  return policy.slice(mark.length) as LimitName;
}

/** The limit that comes and the one that goes, as entries of both lists; nothing where it is the same on both sides. */
export function changedLimit(
  before: LimitName | undefined,
  after: LimitName | undefined,
): Record<'before' | 'after', string[]> {
  const listOf = (one: LimitName | undefined) => (one === undefined || before === after ? [] : [mark + one]);
  return { before: listOf(before), after: listOf(after) };
}

/** A mount that says `service` or `batch` says it for all roles. One that is not known leaves it to them. */
export function tokenTypeOf(given: unknown, mounts: unknown): string {
  const own = String(mounts ?? 'default-service');
  const isFree = own.startsWith('default-') && given !== undefined && given !== 'default';
  return (isFree ? String(given) : own).replace('default-', '');
}

/** The limit of tokens with a type and a number of uses. */
export function limitOf(type: unknown, uses: unknown, ofMount: unknown): LimitName | undefined {
  if (tokenTypeOf(type, ofMount) === 'batch') return 'batch';
  return isUnset(uses) ? undefined : 'uses';
}
