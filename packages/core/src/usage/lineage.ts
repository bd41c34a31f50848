import { builtInRules } from '../graph/policies/default-policy.ts';
import { isOfWorkloads } from '../graph/resources/other-methods.ts';
import { type AuditEntry, hashed } from './audit-line.ts';
import type { AskedRequest, Lineage, LoggedPrincipal } from './logged-request.ts';

/** Tokens of a log, each with the sign-in that began it. Tokens of one device are told apart by their hashed accessors. */
export class Lineages {
  /** Path of the namespace that is asked about. */
  readonly #ownNamespace: string;
  readonly #byToken = new Map<string, Lineage>();
  readonly #known = new Map<string, Lineage>();
  /** The namespace of tokens whose beginning the log does not have. */
  readonly #namespaces = new Map<string, string>();

  constructor(ownNamespace: string) {
    this.#ownNamespace = ownNamespace;
  }

  of(token: string): Lineage | undefined {
    return this.#byToken.get(keyOf(token));
  }

  namespaceOf(token: string): string | undefined {
    const key = keyOf(token);
    return this.#byToken.get(key)?.namespace ?? this.#namespaces.get(key);
  }

  noteNamespace(token: string, namespace: string): void {
    if (token !== '') this.#namespaces.set(keyOf(token), namespace);
  }

  /**
   * Notes what an answer gave out. A renewal begins nothing.
   *
   * @param by who asked, with a number that tells principals apart
   */
  note(
    entry: AuditEntry,
    asked: AskedRequest,
    by: { number: number; principal: LoggedPrincipal } | undefined,
  ): Lineage | undefined {
    const { issued, mount, mountType, namespace } = entry;
    if (issued === undefined || issued.by === 'renewal') return undefined;
    const { token, role } = issued;
    const origin: Lineage =
      issued.by === 'sign-in'
        ? {
            method: mount.slice('auth/'.length),
            role,
            type: mountType,
            namespace,
            ...(isOfWorkloads(mountType) && { isOfWorkloads: true as const }),
            ...(namespace !== this.#ownNamespace && { isElsewhere: true as const }),
          }
        : madeIn(entry, asked, by?.principal);
    const { making } = origin;
    const key = JSON.stringify([
      origin.method,
      origin.role,
      origin.type,
      origin.namespace,
      making && [by?.number, making.request.path, making.request.wrapping, making.inherits, making.isOrphan],
      making && Object.keys(making.request.fields),
    ]);
    const lineage = this.#known.get(key) ?? origin;
    this.#known.set(key, lineage);
    // A batch token that was wrapped has nothing to be told apart by.
    if (token !== '') this.#byToken.set(keyOf(token), lineage);
    return lineage;
  }
}

/** Tokens that make tokens that make tokens: from there on, the maker's own lineage stands for theirs. */
const deepest = 6;

function madeIn(
  { fields, namespace, issued }: AuditEntry,
  asked: AskedRequest,
  by: LoggedPrincipal | undefined,
): Lineage {
  const { role = '' } = issued ?? {};
  const { method = 'token', type = 'token', role: origin = '', isElsewhere } = by?.lineage ?? {};
  const of = {
    method,
    type,
    namespace,
    role: by?.lineage === undefined ? role : origin,
    ...(isElsewhere && { isElsewhere }),
  };
  if (by === undefined) return of;
  if (depthOf(by.lineage) >= deepest) return by.lineage ?? of;
  return {
    ...of,
    making: {
      by,
      role,
      inherits: isNone(fields['policies']),
      // Its values are hashed, and not compared.
      request: { ...asked, fields: Object.fromEntries(Object.keys(fields).map((name) => [name, null])) },
      isOrphan: fields['no_parent'] === true,
    },
  };
}

const isNone = (policies: unknown) =>
  policies === undefined ||
  policies === null ||
  policies === '' ||
  (Array.isArray(policies) && policies.length === 0);

function depthOf(lineage: Lineage | undefined): number {
  return lineage?.making === undefined ? 0 : 1 + depthOf(lineage.making.by.lineage);
}

/** Half of a hash is enough to tell tokens apart, and there are many. */
function keyOf(token: string): string {
  return token.startsWith(hashed) ? token.slice(hashed.length, hashed.length + 32) : token;
}

/** Whether a token has nothing but what services give to tokens of their own: no sign-in gives that. */
export const isBuiltIn = (policies: readonly string[]): boolean =>
  policies.length > 0 && policies.every((name) => name !== 'default' && builtInRules(name) !== undefined);

/** Tokens that tokens make are called so, by no matter which token. */
export const isMadeByToken = ({ name, lineage }: LoggedPrincipal): boolean =>
  lineage === undefined && /^token(?:-|$)/.test(name);

/** Tokens of a method are named by its path, below that of a namespace. */
export function isNamedBy({ name }: LoggedPrincipal, method: string): boolean {
  const start = method.replaceAll('/', '-');
  return new RegExp(`^(?:.*-auth-)?${start.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:-|$)`).test(name);
}
