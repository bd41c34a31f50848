import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The type of a property, as Pulumi's package schema has it. */
export interface TypeSpec {
  type?: string;
  items?: TypeSpec;
  additionalProperties?: TypeSpec;
  $ref?: string;
  /** Any of these. */
  oneOf?: TypeSpec[];
  /** Never an output: it names a resource, or decides which there are. */
  plain?: boolean;
}

/** A property, with its documentation. */
export interface PropertySpec extends TypeSpec {
  description?: string;
  secret?: boolean;
}

/** An object: the properties, and those that must be given. */
export interface ObjectSpec {
  description?: string;
  properties: Record<string, PropertySpec>;
  required: string[];
}

/** A closed set of texts. */
export interface EnumSpec {
  description: string;
  type: 'string';
  enum: { value: string }[];
}

/** A component: what it is given, and what it tells. */
export interface ComponentSpec extends ObjectSpec {
  isComponent: true;
  inputProperties: Record<string, PropertySpec>;
  requiredInputs: string[];
}

/** What of Pulumi's package schema there is in `schema.json`, which `scripts/write-package-schema.ts` writes. */
export interface PackageSchema {
  name: string;
  resources: Record<string, ComponentSpec>;
  types: Record<string, ObjectSpec | EnumSpec>;
}

const file = fileURLToPath(new URL('schema.json', import.meta.url));
const writer = fileURLToPath(new URL('../../scripts/write-package-schema.ts', import.meta.url));

/** Folders that the schema is made of. */
const sources = [
  'components',
  'packages/core/src/graph/kinds',
  'packages/core/src/graph/resources',
  'packages/core/src/graph/values',
  'providers',
  'packages/pulumi-package',
  'scripts',
].map((folder) => fileURLToPath(new URL(`../../${folder}`, import.meta.url)));

/** Whether a file is missing, or older than a module of the folders. */
export function isOutdated(file: string, folders: readonly string[]): boolean {
  const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return folders.some((folder) =>
    readdirSync(folder).some(
      (name) => name.endsWith('.ts') && statSync(join(folder, name)).mtimeMs > written,
    ),
  );
}

// The npm package has the file and no writer. The writer takes seconds: a clone has it run once for each change.
if (existsSync(writer) && isOutdated(file, sources)) execFileSync(process.execPath, [writer]);

/** What the package tells of its components, but for its version. */
export const schema: PackageSchema = JSON.parse(readFileSync(file, 'utf8'));
