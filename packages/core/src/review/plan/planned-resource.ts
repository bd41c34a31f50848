import type { Graph } from '../../graph/graph.ts';
import type { Fields, PlannedType } from './resource-types.ts';

/** A resource on one side of a plan, before or after. */
export interface PlannedSide {
  /** Provider configuration that it is made with: two of them are two servers. */
  server: string;
  /** The provider configuration's, where it has one; a resource's own is relative to it. */
  namespace: string;
  /** What the plan tells. A hidden value is a placeholder, the same for the same value. */
  fields: Fields;
  /** Fields that cannot be judged: known only once applied, or hidden and changed. */
  unknown: string[];
  /** Field → addresses of the resources that its value comes from, where the plan says so. */
  references: Record<string, string[]>;
}

/** A side that leaves nothing open. */
export function sideOf(fields: Fields, server = '', namespace = ''): PlannedSide {
  return { server, namespace, fields, unknown: [], references: {} };
}

/** In which order a replacement is made; `unordered` where the plan does not say. */
export type Replacement = 'delete-first' | 'create-first' | 'unordered';

/** One resource of a plan, whatever tool made it. */
export interface PlannedResource {
  /** How the tool calls it; unique within the plan. */
  address: string;
  type: PlannedType;
  /** What it is of, in words: `kubernetes` for a role of that method, `quota rate limit`. */
  of: string;
  /** Absent for what is created. */
  before?: PlannedSide | undefined;
  /** Absent for what is deleted; the same object as `before` for what stays. */
  after?: PlannedSide | undefined;
  /** Whether the plan does anything to it. */
  changes: boolean;
  replaced?: Replacement | undefined;
  /** The plan tells only the name of what is there before: a service has the rest. */
  isHiddenBefore?: true;
  /** The plan does not tell an update from a replacement. */
  mayBeReplaced?: true;
  /** An older object of a resource that is still to be deleted: what it names may be the newer one's. */
  isLeftover?: true;
  /** The plan does not say which of several servers it is on. */
  isUnplaced?: true;
  /** Secret fields that change; what they hold is not kept. */
  rotated: string[];
  /** Secret fields that are set and were not, of what stays. Absent for none. */
  firstSet?: string[];
}

/** A resource newly holds a credential. */
export interface CredentialFlow {
  /** Address of what one signs in by. */
  of: string;
  /** The field that is the credential. */
  field: string;
  /** Address of the resource that holds it. */
  to: string;
  /** Of a name and a password that are written out: the name. They are a credential where a user of the service has it. */
  user?: string;
}

/** Resources that a review does not look into. */
export interface PassedOver {
  /** As the tool calls it. */
  type: string;
  count: number;
  /** How many of them the plan changes. */
  changed: number;
  /** How many of them it moves, with all that they hold; absent for none. */
  relocated?: number;
  /** Whether it is one of a secrets service's, so that it may bear on access. */
  ofService: boolean;
}

/** What was read from a plan. */
export interface PlanResources {
  tool: 'pulumi' | 'terraform' | 'gatehouse';
  resources: PlannedResource[];
  passedOver: PassedOver[];
  /** What the plan knows of things outside it: they stay as they are. */
  outside: PlannedResource[];
  /** Resources that newly hold credentials. Absent for none. */
  flows?: CredentialFlow[];
  /** Resources that are no longer declared are deleted when all else is done, as Pulumi does. Defaults to false. */
  deletesLast?: boolean;
  /** Address of the service, where the plan is of only one and says it. */
  address?: string;
  /** Why the plan is not the whole of what would happen; empty for a whole one. */
  incomplete: string[];
  /** What a reader should know of it. */
  notes: string[];
  /** What the program of the plan declares by namespace, for a stack of our own: it tells what the plan does not. */
  declared?: ReadonlyMap<string, Graph>;
}

export type PassedOne = Pick<PassedOver, 'type' | 'ofService'> & {
  isChanged: boolean;
  isRelocated?: boolean;
};

export function passedOverTypes(all: PassedOne[]): PassedOver[] {
  return [...Map.groupBy(all, ({ type }) => type)]
    .map(([type, ofType]) => {
      const relocated = ofType.filter(({ isRelocated }) => isRelocated).length;
      return {
        type,
        count: ofType.length,
        changed: ofType.filter(({ isChanged }) => isChanged).length,
        ...(relocated > 0 && { relocated }),
        ofService: ofType.some(({ ofService }) => ofService),
      };
    })
    .sort((a, b) => (a.type < b.type ? -1 : 1));
}

/** A retained resource stays on the service, with its secrets; its successor is another resource. */
export function retained({ before, replaced: _, ...rest }: PlannedResource): PlannedResource[] {
  const successor = { ...rest, rotated: [] };
  return [{ ...successor, before, after: before }, ...(rest.after === undefined ? [] : [successor])];
}

export function driftNote(tool: 'Pulumi' | 'Terraform', count: number): string {
  return `Resources that were changed outside of ${tool} since it last looked: ${count}. The review starts from what is there now.`;
}
