/** What gives principals their policies, by the names of things. */
export type Giver =
  | { kind: 'role'; method: string; name: string }
  /** Roles of a method that are not in the graph. */
  | { kind: 'method'; method: string }
  /** All who sign in at a mount. */
  | { kind: 'sign-ins'; method: string }
  /** `at`: another mount, at which the same entities sign in. */
  | { kind: 'alias'; method: string; name: string; group: string; at?: string }
  | { kind: 'group' | 'entity'; name: string }
  | { kind: 'other'; name: string }
  /** People without a token. */
  | { kind: 'anyone' }
  /** Whatever has a policy and is not in the graph. */
  | { kind: 'policy'; name: string }
  | PickedGiver;

/** A token with one policy alone of those that these may pick from. */
export interface PickedGiver {
  kind: 'picked';
  from: Giver;
  policy: string;
}

/** A key that orders givers by what people call them: a group by its own name, before those of its aliases. */
export function giverKey(giver: Giver): string {
  switch (giver.kind) {
    case 'picked':
      return JSON.stringify([giverKey(giver.from), giver.policy]);
    case 'alias':
      return JSON.stringify([giver.group, giver.method, giver.name]);
    case 'role':
      return JSON.stringify([giver.method, giver.name]);
    case 'method':
    case 'sign-ins':
      return giver.method;
    case 'anyone':
      return giver.kind;
    default:
      return giver.name;
  }
}
