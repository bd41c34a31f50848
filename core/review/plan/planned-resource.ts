/** What a review understands of a plan: the parts of a login set-up. */
export type ReviewedType = 'method' | 'role' | 'group' | 'alias' | 'policy' | 'message';

/** Fields by their names on the wire, in the spelling of Vault's: `token_policies`. */
export type Fields = Record<string, unknown>;

/** A resource on one side of a plan, before or after. */
export interface PlannedSide {
  fields: Fields;
  /** Fields whose value the plan does not say: known only once applied, or hidden as a secret. They are not in `fields`. */
  unknown: string[];
  /** Field → addresses of the resources that its value comes from, where the plan says so. */
  references: Record<string, string[]>;
}

/** One resource of a plan, whatever tool made it. */
export interface PlannedResource {
  /** How the tool calls it; unique within the plan. */
  address: string;
  type: ReviewedType;
  /** Absent for what is created. */
  before?: PlannedSide;
  /** Absent for what is deleted. */
  after?: PlannedSide;
  /** Whether the plan does anything to it. */
  changes: boolean;
  /** Deleted and made again. */
  replaced: boolean;
  /** Secret fields that change; what they hold is not kept. */
  rotated: string[];
}

/** Resources that a review does not look into. */
export interface PassedOver {
  /** As the tool calls it. */
  type: string;
  count: number;
  /** How many of them the plan changes. */
  changed: number;
  /** Whether it is one of a secrets service's, so that it may bear on access. */
  ofService: boolean;
}

/** What was read from a plan. */
export interface PlanResources {
  tool: 'pulumi' | 'terraform';
  resources: PlannedResource[];
  passedOver: PassedOver[];
  /** Accessors and ids that the plan knows of resources outside it: value → path or name. */
  known: { accessors: Record<string, string>; groups: Record<string, string> };
  /** Why the plan is not the whole of what would happen; empty for a whole one. */
  incomplete: string[];
  /** What a reader should know of it. */
  notes: string[];
}

/** Counts resources that are passed over, by their type. */
export class PassedOverCount {
  readonly #byType = new Map<string, PassedOver>();

  add(type: string, ofService: boolean, isChanged: boolean): void {
    const entry = this.#byType.get(type) ?? { type, count: 0, changed: 0, ofService };
    entry.count += 1;
    if (isChanged) entry.changed += 1;
    this.#byType.set(type, entry);
  }

  list(): PassedOver[] {
    return [...this.#byType.values()].sort((a, b) => (a.type < b.type ? -1 : 1));
  }
}
