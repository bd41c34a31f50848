import { readFileSync } from 'node:fs';

/** The type of a property, as Pulumi's package schema has it. */
export interface TypeSpec {
  type?: string;
  items?: TypeSpec;
  additionalProperties?: TypeSpec;
  $ref?: string;
  /** Never an output: it names a resource, or decides which there are. */
  plain?: boolean;
}

/** A property, with its documentation. */
export interface PropertySpec extends TypeSpec {
  description?: string;
}

/** An object: the properties, and those that must be given. */
export interface ObjectSpec {
  description?: string;
  properties: Record<string, PropertySpec>;
  required: string[];
}

/** A component: what it is given, and what it tells. */
export interface ComponentSpec extends ObjectSpec {
  isComponent: true;
  inputProperties: Record<string, PropertySpec>;
  requiredInputs: string[];
}

/** What of Pulumi's package schema there is in `schema.json`. */
export interface PackageSchema {
  name: string;
  resources: Record<string, ComponentSpec>;
  types: Record<string, ObjectSpec>;
}

/** What the package tells of its components, but for its version. `node scripts/write-package-schema.ts` writes it. */
export const schema: PackageSchema = JSON.parse(
  readFileSync(new URL('schema.json', import.meta.url), 'utf8'),
);
