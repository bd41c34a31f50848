import { isHiddenText } from '../../graph/values/hidden-text.ts';
import { isObject } from '../../graph/values/json.ts';
import { requireShallow } from '../../graph/values/nesting.ts';
import { holds, rewritten } from './json-parts.ts';
import type { PlannedResource, PlannedSide } from './planned-resource.ts';
import { pulumiPreview } from './pulumi-preview.ts';
import { nameOfUrn } from './pulumi-servers.ts';
import { type ResourceOfPreview, resourcesOfPreview } from './read-pulumi-preview.ts';
import { type Fields, terraformName } from './resource-types.ts';
import { isServicePackage } from './service-packages.ts';

/** Media type of a plan as `pulumi preview --json` writes it, where a platform has both forms. */
export const previewType = 'application/vnd.gatehouse.pulumi-preview+json';

/**
 * A Pulumi preview in Terraform's JSON plan format (developer.hashicorp.com/terraform/internals/json-format), for policy
 * checkers that read such plans. It says what the review reads of the preview: a review of either is the same. Secrets
 * are null and marked as sensitive; one that changes is unknown, too.
 *
 * @returns anything that is no Pulumi preview unchanged
 * @throws GatehouseError `nested_too_deep`
 */
export function terraformForm(json: unknown): unknown {
  requireShallow(json, 'the preview');
  const { success, data: preview } = pulumiPreview.safeParse(json);
  if (!success || !Array.isArray((json as { steps?: unknown }).steps)) return json;
  const named = withAddresses(resourcesOfPreview(preview));
  const addresses = new Map(named.map(({ urn, address }) => [urn, address]));
  const sidesAfter = named.flatMap((resource) =>
    resource.resources.flatMap(({ isLeftover, after }) =>
      isLeftover || after === undefined ? [] : [{ resource, after }],
    ),
  );
  const hasErrors = (preview.diagnostics ?? []).some(({ severity }) => severity === 'error');
  return {
    format_version: '1.2',
    gatehouse: { deletes_last: true },
    planned_values: {
      root_module: {
        resources: sidesAfter.map(({ resource, after }) => ({
          ...headOf(resource),
          schema_version: 0,
          ...valuesOf(resource, after),
        })),
      },
    },
    resource_changes: named.flatMap((resource) =>
      resource.resources.map((planned) => changeOf(resource, planned)),
    ),
    configuration: {
      provider_config: providersOf(named),
      root_module: {
        resources: sidesAfter.map(({ resource, after }) => configurationOf(resource, after, addresses)),
      },
    },
    ...(hasErrors && { errored: true }),
    ...(preview.maybeCorrupt === true && { complete: false }),
  };
}

interface Named extends ResourceOfPreview {
  terraformType: string;
  name: string;
  address: string;
}

/** `vault_policy.secrets-read`; a name that two resources of a type have gets a number. */
function withAddresses(resources: ResourceOfPreview[]): Named[] {
  const taken = new Set<string>();
  return resources.map((resource) => {
    const terraformType = terraformName(resource.type);
    const plain = identifier(nameOfUrn(resource.urn));
    let name = plain;
    for (let count = 2; taken.has(`${terraformType}.${name}`); count += 1) name = `${plain}_${count}`;
    const address = `${terraformType}.${name}`;
    taken.add(address);
    return { ...resource, terraformType, name, address };
  });
}

const vaultProvider = 'registry.terraform.io/hashicorp/vault';

/** A name as Terraform allows it. */
function identifier(text: string): string {
  const allowed = text.replace(/[^\p{L}\p{N}_-]/gu, '_');
  return /^[\p{L}_]/u.test(allowed) ? allowed : `_${allowed}`;
}

function headOf({ address, terraformType, name, type }: Named) {
  const [, plugin] = /^(\w+):/.exec(type) ?? [];
  const provider = plugin !== undefined && isServicePackage(plugin) ? vaultProvider : (plugin ?? type);
  return { address, mode: 'managed', type: terraformType, name, provider_name: provider };
}

function changeOf(named: Named, resource: PlannedResource) {
  const { before, after, isLeftover, replaced } = resource;
  const valuesBefore = before && valuesOf(named, before);
  const valuesAfter = after && valuesOf(named, after);
  const actions = actionsOf(resource);
  const isMade = actions.includes('create');
  return {
    ...headOf(named),
    ...(isLeftover ? { deposed: '00000001' } : {}),
    change: {
      actions,
      before: valuesBefore?.values ?? null,
      after: actions[0] === 'forget' ? null : (valuesAfter?.values ?? null),
      after_unknown: after === undefined ? {} : unknownOf(resource, after, isMade),
      before_sensitive: valuesBefore?.sensitive_values ?? false,
      after_sensitive: valuesAfter?.sensitive_values ?? false,
    },
    gatehouse: {
      provider_config_key: providerKey(after ?? before),
      before: hiddenOf(before),
      after: hiddenOf(after),
      is_unordered: replaced === 'unordered',
    },
  };
}

function actionsOf({ before, after, changes, replaced }: PlannedResource): string[] {
  if (!changes) return ['no-op'];
  if (after === undefined) return ['delete'];
  if (before === undefined) return ['create'];
  // It changes, and stays as it is: what is retained, or imported.
  if (before === after) return ['forget'];
  if (replaced === undefined) return ['update'];
  return replaced === 'create-first' ? ['create', 'delete'] : ['delete', 'create'];
}

/** The values of a side, and a tree of marks for what is hidden in them. */
function valuesOf({ secrets }: Named, { fields }: PlannedSide) {
  const shown = rewritten(fields, (value) => (isHidden(value) ? null : undefined)) as Fields;
  const marks = marksOf(fields);
  const every = (value: null | true) => Object.fromEntries(secrets.map((field) => [field, value]));
  return {
    values: { ...shown, ...every(null) },
    sensitive_values: { ...(isObject(marks) && marks), ...every(true) },
  };
}

/** The fields with something hidden: placeholders show which are the same, and not what they are. */
function hiddenOf({ fields = {} }: Partial<PlannedSide> = {}): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => marksOf(value) !== undefined));
}

/** Where names in a map are hidden, all of it is. */
function isHidden(value: unknown): boolean {
  return isHiddenText(value) || (isObject(value) && Object.keys(value).some(isHiddenText));
}

/** True for what is hidden, and trees of it; undefined where nothing is. */
function marksOf(value: unknown): unknown {
  if (isHidden(value)) return true;
  if (!holds(value, isHidden)) return undefined;
  if (Array.isArray(value)) return value.map((part) => marksOf(part) ?? false);
  const marks = Object.entries(value as Fields).map(([name, part]) => [name, marksOf(part)] as const);
  return Object.fromEntries(marks.filter(([, mark]) => mark !== undefined));
}

function unknownOf({ rotated }: PlannedResource, after: PlannedSide, isMade: boolean): Fields {
  const names = [...after.unknown, ...rotated];
  if (isMade && !('id' in after.fields)) names.push('id');
  return Object.fromEntries(names.map((name) => [name, true]));
}

function configurationOf(named: Named, after: PlannedSide, addresses: ReadonlyMap<string, string>) {
  const { provider_name: _, ...head } = headOf(named);
  const expression = (field: string) => {
    const targets = (after.references[field] ?? []).flatMap((urn) => addresses.get(urn) ?? []);
    return targets.length === 0 ? {} : { references: targets.flatMap((target) => [`${target}.id`, target]) };
  };
  const fields = [...Object.keys(after.fields), ...after.unknown, ...named.secrets];
  return {
    ...head,
    provider_config_key: providerKey(after),
    schema_version: 0,
    expressions: Object.fromEntries(
      fields.filter((field) => field !== 'id').map((field) => [field, expression(field)]),
    ),
  };
}

/** A configuration for each server and namespace. The address is a variable: the program takes it from its settings. */
function providersOf(named: Named[]): Record<string, unknown> {
  const sides = named
    .filter(({ type }) => isServicePackage(type.split(':')[0] ?? ''))
    .flatMap(({ resources }) => resources.flatMap(({ before, after }) => [after, before]))
    .filter((side) => side !== undefined);
  return Object.fromEntries(
    // The one without a namespace comes first, as it gives the server its name.
    sides.flatMap(({ server, namespace: own }) =>
      [...new Set(['', own])].map((namespace) => {
        const address = { references: [`var.${identifier(server)}_address`] };
        const within = namespace !== '' && { namespace: { constant_value: namespace } };
        const known = { name: 'vault', full_name: vaultProvider };
        return [providerKey({ server, namespace }), { ...known, expressions: { address, ...within } }];
      }),
    ),
  );
}

function providerKey({ server = '', namespace = '' }: Partial<PlannedSide> = {}): string {
  return namespace === '' ? server : `${server}.${namespace}`;
}
