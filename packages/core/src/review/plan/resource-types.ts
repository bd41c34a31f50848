import { credentials } from '../../graph/resources/credentials.ts';
import { wireNameIn } from '../../graph/resources/field.ts';
import { type OtherType, otherTypes } from '../../graph/resources/other-types.ts';
import type { Official } from '../../graph/resources/resource.ts';
import { type ResourceType, resourceNamed, resources } from '../../graph/resources/resources.ts';
import { makesEngine } from '../../graph/resources/writes.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import { isUnset } from '../../graph/values/json.ts';
import { toSnakeCase } from '../../graph/values/wire.ts';
import { isServicePackage, officialName } from './service-packages.ts';

/** Fields by their names on the wire, in the spelling of Vault's: `token_policies`. */
export type Fields = Record<string, unknown>;

/** What a review understands of a plan: what a graph has, and other types of the official provider. */
export type PlannedType = ResourceType | keyof typeof otherTypes;

/** How a plan has a type. */
interface TypeInPlan extends Omit<OtherType, 'terraform'>, Pick<Official, 'blocks' | 'isTyped' | 'isWhole'> {}

const otherByType: Partial<Record<PlannedType, OtherType>> = otherTypes;
const inPlan = new Map<PlannedType, TypeInPlan>();

export function typeInPlan(type: PlannedType): TypeInPlan {
  return getOrMake(inPlan, type, () => {
    const { official, ...resource } = resourceNamed(type) ?? {};
    return { ...otherByType[type], ...resource, ...official };
  });
}

/** Pulumi's modules that are not named as in Terraform; the index module has no name there. */
const modules: Record<string, string> = {
  index: '',
  appRole: 'approle_',
  tokenauth: 'token_',
  rabbitMq: 'rabbitmq_',
  terraformcloud: 'terraform_cloud_',
};

/** Terraform's names, where they differ from the form of Pulumi's. */
const otherNames = [
  ['secret_secret_', 'secret_'],
  ['vault_azure_backend', 'vault_azure_secret_backend'],
  ['client_i_d', 'client_id'],
] as const;

/** `vault:jwt/authBackendRole:AuthBackendRole` → `vault_jwt_auth_backend_role`; others stay as they are. */
export function terraformName(pulumiType: string): string {
  const [, name = '', module, resource] = /^(\w+):(\w+)\/(\w+):\w+$/.exec(pulumiType) ?? [];
  if (!isServicePackage(name) || module === undefined || resource === undefined) return pulumiType;
  const official = `vault_${modules[module] ?? `${toSnakeCase(module)}_`}${toSnakeCase(resource)}`;
  return otherNames.reduce((renamed, [found, meant]) => renamed.replace(found, meant), official);
}

/** What a review takes a type of the secrets service for. */
export interface KnownType {
  type: PlannedType;
  /** What it is of, in words. */
  of: string;
}

const named = new Map<string, PlannedType>();
const patterns: { pattern: RegExp; type: PlannedType }[] = [];
for (const [type, { terraform }] of Object.entries(otherTypes) as [keyof typeof otherTypes, OtherType][]) {
  for (const name of terraform) {
    if (typeof name === 'string') named.set(name, type);
    else patterns.push({ pattern: name, type });
  }
}
for (const { type, official } of resources) {
  const names = official ? [terraformName(official.pulumi), ...(official.terraform ?? [])] : [];
  for (const name of names) named.set(name, type);
}

/** @param given its name in Terraform; undefined for a type that is not known */
export function knownType(given: string): KnownType | undefined {
  const name = officialName(given);
  const words = (text: string) => text.replaceAll('_', ' ');
  const type = named.get(name);
  if (type !== undefined) return { type, of: words(name.slice('vault_'.length)) };
  for (const { pattern, type } of patterns) {
    const [, kind, noun = ''] = pattern.exec(name) ?? [];
    if (kind !== undefined) return { type, of: words(`${kind}${noun}`) };
  }
  return undefined;
}

/** Where the official provider moves an engine with all that it holds (`sys/remount`), and how its paths begin. */
function placeOf({ path, backend, mount, options }: Fields): string {
  const { version } = Object(options);
  return JSON.stringify([path, backend, mount, `${version ?? 1}`]);
}

/**
 * What a resource is judged as, undefined where it cannot be. What was in a mount or namespace that is deleted is not in
 * the plan, nor who may read what is in an engine that moves: rules for other paths apply afterwards to what it holds.
 *
 * @param name of its type, as Terraform has it
 * @param sides what is before and after
 */
export function judgedAs(
  name: string,
  sides: readonly Fields[],
  isDeleted: boolean,
): { known?: KnownType | undefined; isRelocated: boolean } {
  const known = knownType(name);
  const isRelocated = known !== undefined && !isDeleted && new Set(sides.map(placeOf)).size > 1;
  if (known === undefined || !typeInPlan(known.type).isInert) return { known, isRelocated };
  const isGone = isDeleted && ['mount', 'namespace'].includes(known.of);
  return isGone || (isRelocated && makesEngine(nameOfType(known.of)))
    ? { isRelocated }
    : { known, isRelocated };
}

/** The name in Terraform of what is not judged by itself, by its words. */
export function nameOfType(of: string): string {
  return `vault_${of.replaceAll(' ', '_')}`;
}

const secrets = [
  ...resources.flatMap(({ fields }) =>
    Object.keys(fields).flatMap((name) => (fields[name]?.secret ? wireNameIn(fields, name) : [])),
  ),
  ...credentials,
];

/** Fields that hold credentials, by their names on the wire: compared, and never kept. `_wo` is only written. */
export const secretFields: ReadonlySet<string> = new Set(secrets.flatMap((name) => [name, `${name}_wo`]));

/** The secrets that change. A write-only one is never in a plan: the number next to it tells. */
export function rotatedBy(differs: (field: string) => boolean): string[] {
  return secrets.filter((name) => ['', '_wo', '_wo_version'].some((end) => differs(`${name}${end}`)));
}

/** What a method asks another system with: without it, it may sign no one in. */
const askingWith = [
  'token_reviewer_jwt',
  'bindpass',
  'api_token',
  'client_secret',
  'secret',
  'secret_key',
  'credentials',
];

/** Those of them that are set and were not. A write-only one is never in a plan: the number next to it tells. */
export function firstSetBy(before: Fields, isSet: (field: string) => boolean): { firstSet?: string[] } {
  const firstSet = askingWith.filter((name) => {
    const names = [name, `${name}_wo_version`];
    return names.every((one) => isUnset(before[one])) && names.some(isSet);
  });
  return firstSet.length > 0 ? { firstSet } : {};
}

/** Whether a field is data of any form that is written to a path. */
export function isWrittenData(type: PlannedType, field: string): boolean {
  return typeInPlan(type).isWrite === true && /^(?:write_)?data/.test(field);
}
