import type { z } from 'zod';
import type { ByName, Fields } from './field.ts';

/**
 * What one resource of a login set-up is, once. The text of findings, `--target`, positions in stack files, the
 * canonical form, differences, the reader of the live graph, import files and the reader of plans are derived from it.
 *
 * Its functions are methods, so that one list can hold the resources of all parts.
 */
export interface Resource<Part, Type extends string = string, List extends string = string> {
  /** What it is called in findings, and after `--target`: `role`. */
  type: Type;
  /** Its list in a graph. */
  list: List;
  /** Whether an entry of the list is one, where two resources share it. */
  isOne?(part: Part): boolean;
  fields: Fields;

  nameOf(part: Part): string;
  /** Path of the auth method that it belongs to. Absent for what stands by itself. */
  methodOf?(part: Part): string;
  /** A name in the one form in which the service tells names apart. */
  key(name: string): string;
  /** A name as the service keeps it. Defaults to as it is given. */
  kept?(name: string): string;
  /** `--target` and `--exclude` can name it. Defaults to false: it goes with another one. */
  isNameable?: true;

  /** Its fields in the one form in which they are compared. Defaults to all but its name. */
  canonical?(part: Part): ByName;
  /** What is special about a field that differs; undefined where that means nothing. */
  difference?(found: FieldDifference, declared: Part, live: Part): FieldDifference | undefined;
  /** The reader of the live graph itself tells of those that are not declared. Defaults to false. */
  isToldOnRead?: true;

  /** Policies that its principals have by it. Absent for what gives none. */
  grants?(part: Part): readonly string[];

  /** Where it stands in a stack file. Absent for what no stack declares. */
  yaml?: YamlPlace<Part>;
  /** The official resource. Absent for what has none. */
  official?: Official<Part>;
  /** What others refer to it as. Absent for what nothing refers to by an id. */
  referredAs?: Referred;
  /** What it is read with: where that cannot be read, it is not known either. Absent for what stands by itself. */
  readWith?(part: Part): { type: string; name: string };
  /** What it refers to, by its properties on the wire. */
  references?: Record<string, Reference>;
  /** Where a service lists and answers it. Absent for what is listed and answered in another way. */
  wire?: Wire<Part>;
}

/** A field with two values; an absent one is not set. */
export interface FieldDifference {
  field: string;
  declared?: unknown;
  live?: unknown;
  /** What there is to know of it apart from the values. */
  note?: string;
  /** Nothing that is declared sets it: `up` leaves it as it is. Defaults to false. */
  isLeft?: true;
}

/** Where in a stack file it stands. */
interface YamlPlace<Part> {
  /** Key of its list, below a provider or at the top. */
  list: string;
  below?: 'providers';
  /** Key of its name. */
  name: string;
  /** Reads an entry, where it is the part as a graph has it. */
  settings?: z.ZodType<Part>;
}

/** A resource of the official plugin; OpenTofu has Terraform's names. Properties have their names on the wire. */
export interface Official<Part = never> {
  /** Token in Pulumi: `vault:jwt/authBackendRole:AuthBackendRole`. */
  pulumi: string;
  /** Further names in Terraform; the first one follows from the token. */
  terraform?: readonly string[];
  /** The property with its name. */
  name: string;
  /** Its name where none is given. */
  byDefault?: string;
  /** Several may have one name. Defaults to false. */
  isShared?: true;
  /** Its id for an import. Absent where the service makes one up. */
  importId?(name: string, method: string): string;
  /** The property that tells it from another resource of the same type. */
  variant?: { property: string; is(value: unknown): boolean };
  /** Properties that no table has: they name something, are the service's own, or bear on nothing. */
  lookedAt?: readonly string[];
  /** It is known as a whole or not at all: no property is judged by itself. Defaults to false. */
  isWhole?: true;
  /** Tables of properties that are blocks: both plugins' updates send one only where it changes. */
  blocks?: Record<string, Fields>;
  /** Its properties are checked against the table: another value cannot be judged. Defaults to false. */
  isTyped?: true;
  fromPlan?(fields: ByName, at: PlannedAt): Part;
}

/** What others refer to a resource as. */
export type Referred = 'mount' | 'group' | 'entity';

/** A property that leads to another resource: by its name, by the id that the service gave it, or by its accessor. */
export interface Reference {
  to: Referred;
  by: 'name' | 'id' | 'accessor';
  /** The name that it leads to where it is not given. */
  byDefault?: string;
  /** It leads to any number of them, which are in it. */
  isList?: true;
}

/** What a resource of a plan is called, and refers to, by names. */
export interface PlannedAt {
  name: string;
  mount: string;
  group: string;
  members: { kind: 'group' | 'entity'; name: string }[];
}

interface Wire<Part> {
  /** Path of the list. Each one is read below it, by the key that the list has: a name, or an id. */
  list(method: string): string;
  /** With ids for keys: where a list has the name. */
  nameInList?: string;
  /** Names that a service has by itself: read only where they are declared. */
  builtIn?: readonly string[];
  /** Absent for what the reader of the live graph reads by hand. */
  fromWire?(wire: ByName, name: string, method: string): Part;
}
