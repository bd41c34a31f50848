import { methodOf, ofKind } from '../graph/nodes/other-node.ts';
import { isSame } from '../graph/resources/field.ts';
import { namesPeople, signedInBy } from '../graph/resources/other-methods.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import type { FoldedLog } from './folded-log.ts';
import { type GraphSides, methodIn, roleIn } from './graph-sides.ts';
import { isMadeByToken, isNamedBy } from './lineage.ts';
import type { LoggedPrincipal } from './logged-request.ts';
import { type MountMove, pathsToday } from './moved-mounts.ts';
import type { SignedInAt } from './sign-in-doubt.ts';

/** A sign-in as the log has it. */
type NamedSignIn = Pick<SignedInAt, 'method' | 'role'> & { type?: string };

/** Where the principals of a log signed in: what the log says, and where it is silent, what the graph has of that name. */
export class LoggedOrigins {
  readonly #sides: GraphSides;
  readonly #moves: readonly MountMove[];
  /** By what tokens of one sign-in share, and by entity. */
  readonly #signedIn = new Map<string, SignedInAt[]>();

  constructor(sides: GraphSides, { signIns, moves }: Pick<FoldedLog, 'signIns' | 'moves'>) {
    this.#sides = sides;
    this.#moves = moves.mounts;
    for (const { who, ...named } of signIns) {
      for (const key of [tokenKey(who), entityKey(who)]) {
        const known = getOrMake(this.#signedIn, key, () => []);
        const at = this.#roleAt(named, who);
        if (!known.some((other) => isSame(other, at))) known.push(at);
      }
    }
  }

  /**
   * The auth method and role of the sign-in that began a token: as the log has it by the token itself, else by the entity, else
   * by the name. Undefined where several fit, or none.
   */
  signedInAt(who: LoggedPrincipal): SignedInAt | undefined {
    const then = this.#signedInThen(who);
    return then && this.#ofToday(then);
  }

  /** A method that was moved has its roles at its new path; where the graph has both paths, it may be either. */
  #ofToday(then: SignedInAt): SignedInAt | undefined {
    if (this.#moves.length === 0) return then;
    const methods = pathsToday(`auth/${then.method}`, this.#moves).flatMap((path) =>
      path.startsWith('auth/') ? path.slice('auth/'.length) : [],
    );
    const [now, ...several] = methods.filter((method) => this.#hasMethod(method));
    if (now === undefined) return then;
    return several.length > 0 || this.#hasMethod(then.method) ? undefined : { ...then, method: now };
  }

  #hasMethod(path: string): boolean {
    return this.#indexes().some(
      (index) =>
        methodIn(index, path) !== undefined ||
        index.graph.roles.some(({ method }) => method === path) ||
        index.othersAt(path).length > 0,
    );
  }

  #signedInThen(who: LoggedPrincipal): SignedInAt | undefined {
    const { lineage } = who;
    if (lineage?.isElsewhere) return undefined;
    if (lineage !== undefined && lineage.method !== 'token') return this.#roleAt(lineage, who);
    if (lineage?.making !== undefined) return this.signedInAt(lineage.making.by);
    const isOfSignIn = !isMadeByToken(who);
    const [ofToken, ...differing] = this.#signedIn.get(isOfSignIn ? tokenKey(who) : '') ?? [];
    if (ofToken !== undefined && differing.length === 0) return ofToken;
    const [ofEntity, ...others] = who.entity === '' ? [] : (this.#signedIn.get(entityKey(who)) ?? []);
    if (ofEntity !== undefined && others.length === 0 && (!isOfSignIn || isNamedBy(who, ofEntity.method)))
      return ofEntity;
    const [named, ...several] = isOfSignIn && ofToken === undefined ? this.#named(who) : [];
    return several.length > 0 ? undefined : named;
  }

  /** Where the log leaves out the type of a method, the graph may have it. */
  #roleAt({ method, role: named, type = '' }: NamedSignIn, { metadata }: LoggedPrincipal): SignedInAt {
    const known = type === '' ? this.#typeOf(method) : type;
    const role = named === '' ? signedInBy(known, '', metadata) : named;
    return { method, role, ...(namesPeople(known) && { isPerson: true as const }) };
  }

  #typeOf(method: string): string {
    for (const index of this.#indexes()) {
      const type = index.methods.get(method)?.type;
      const [typed] = ofKind(index.othersAt(method), 'otherMethod', 'otherRole', 'otherAlias');
      const known = type ?? typed?.type;
      if (known !== undefined) return known;
    }
    return '';
  }

  /** Roles of a graph at methods that name their tokens so: the path, then a hyphen and the alias's name, or nothing. */
  #named(who: LoggedPrincipal): SignedInAt[] {
    const roles = new Map<string, SignedInAt>();
    for (const { graph } of this.#indexes()) {
      const paths = [
        ...graph.methods.map(({ path }) => path),
        ...(graph.others ?? []).flatMap((node) => methodOf(node) ?? []),
      ];
      for (const method of new Set(paths)) {
        if (!isNamedBy(who, method)) continue;
        const at = this.#roleAt({ method, role: '' }, who);
        if (at.role !== '' && this.#indexes().some((index) => roleIn(index, at))) roles.set(method, at);
      }
    }
    return [...roles.values()];
  }

  #indexes() {
    return [this.#sides.before, this.#sides.after];
  }
}

/** The same for tokens of one sign-in: groups may change while a token lives. */
function tokenKey({ name, entity, metadata, tokenPolicies }: LoggedPrincipal): string {
  return JSON.stringify([name, entity, metadata, tokenPolicies]);
}

const entityKey = ({ entity }: LoggedPrincipal) => `entity ${entity}`;
