import { isObject } from '../../model/values/json.ts';
import { requireShallow } from '../../model/values/nesting.ts';
import { isHiddenText } from './hidden-values.ts';
import type { Fields, PlannedResource, PlannedSide } from './planned-resource.ts';
import { pulumiPreview } from './pulumi-preview.ts';
import { type ResourceOfPreview, resourcesOfPreview } from './read-pulumi-preview.ts';
import { terraformName } from './resource-types.ts';

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
  const changes = named.flatMap((one) => one.resources.map((resource) => changeOf(one, resource)));
  const hasErrors = (preview.diagnostics ?? []).some(({ severity }) => severity === 'error');
  const wanted = named.flatMap((one) =>
    one.resources.filter(({ isLeftover }) => !isLeftover).map((resource) => ({ ...one, resource })),
  );
  return {
    format_version: '1.2',
    gatehouse: { deletes_last: true },
    planned_values: {
      root_module: {
        resources: wanted.flatMap(({ resource, ...one }) =>
          resource.after === undefined
            ? []
            : [{ ...headOf(one), schema_version: 0, ...valuesOf(one, resource.after) }],
        ),
      },
    },
    resource_changes: changes,
    configuration: {
      provider_config: providersOf(named),
      root_module: {
        resources: wanted.flatMap(({ resource, ...one }) =>
          resource.after === undefined ? [] : [configurationOf(one, resource.after, addresses)],
        ),
      },
    },
    ...(hasErrors ? { errored: true } : {}),
    ...(preview.maybeCorrupt === true ? { complete: false } : {}),
  };
}

interface Named extends ResourceOfPreview {
  terraformType: string;
  name: string;
  address: string;
}

/** `vault_policy.secrets-read`; a name that two resources of a type have is told apart by a number. */
function withAddresses(resources: ResourceOfPreview[]): Named[] {
  const taken = new Set<string>();
  return resources.map((one) => {
    const terraformType = terraformName(one.type);
    const plain = identifier(one.urn.split('::').slice(3).join('::'));
    let name = plain;
    for (let count = 2; taken.has(`${terraformType}.${name}`); count += 1) name = `${plain}_${count}`;
    taken.add(`${terraformType}.${name}`);
    return { ...one, terraformType, name, address: `${terraformType}.${name}` };
  });
}

/** A name as Terraform allows it. */
function identifier(text: string): string {
  const allowed = text.replace(/[^\p{L}\p{N}_-]/gu, '_');
  return /^[\p{L}_]/u.test(allowed) ? allowed : `_${allowed}`;
}

function headOf({ address, terraformType, name, type }: Named) {
  const [, plugin] = /^(\w+):/.exec(type) ?? [];
  const provider = plugin === 'vault' ? 'registry.terraform.io/hashicorp/vault' : (plugin ?? type);
  return { address, mode: 'managed', type: terraformType, name, provider_name: provider };
}

function changeOf(one: Named, resource: PlannedResource) {
  const { before, after, isLeftover, replaced } = resource;
  const [old, wanted] = [before, after].map((side) => side && valuesOf(one, side));
  const actions = actionsOf(resource);
  const isMade = actions.includes('create');
  return {
    ...headOf(one),
    ...(isLeftover ? { deposed: '00000001' } : {}),
    change: {
      actions,
      before: old?.values ?? null,
      after: actions[0] === 'forget' ? null : (wanted?.values ?? null),
      after_unknown: after === undefined ? {} : unknownOf(resource, after, isMade),
      before_sensitive: old?.sensitive_values ?? false,
      after_sensitive: wanted?.sensitive_values ?? false,
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
  const shown = withoutHidden(fields) as Fields;
  const marks = marksOf(fields);
  return {
    values: { ...shown, ...Object.fromEntries(secrets.map((field) => [field, null])) },
    sensitive_values: {
      ...(typeof marks === 'object' ? marks : {}),
      ...Object.fromEntries(secrets.map((field) => [field, true])),
    },
  };
}

/** The fields with something hidden: placeholders tell the review which are the same, and nobody what they are. */
function hiddenOf({ fields = {} }: Partial<PlannedSide> = {}): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => marksOf(value) !== undefined));
}

function withoutHidden(value: unknown): unknown {
  if (isHiddenText(value)) return null;
  if (Array.isArray(value)) return value.map(withoutHidden);
  if (!isObject(value)) return value;
  // Where names are hidden, all of it is.
  if (Object.keys(value).some(isHiddenText)) return null;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutHidden(one)]));
}

/** True for what is hidden, and trees of it; undefined where nothing is. */
function marksOf(value: unknown): unknown {
  if (isHiddenText(value)) return true;
  if (Array.isArray(value)) {
    const marks = value.map((one) => marksOf(one) ?? false);
    return marks.some((mark) => mark !== false) ? marks : undefined;
  }
  if (!isObject(value)) return undefined;
  if (Object.keys(value).some(isHiddenText)) return true;
  const marks = Object.entries(value).flatMap(([name, one]) => {
    const mark = marksOf(one);
    return mark === undefined ? [] : [[name, mark] as const];
  });
  return marks.length === 0 ? undefined : Object.fromEntries(marks);
}

function unknownOf({ rotated }: PlannedResource, after: PlannedSide, isMade: boolean): Fields {
  const names = [...after.unknown, ...rotated];
  if (isMade && !('id' in after.fields)) names.push('id');
  return Object.fromEntries(names.map((name) => [name, true]));
}

function configurationOf(one: Named, after: PlannedSide, addresses: ReadonlyMap<string, string>) {
  const { address, mode, type, name } = headOf(one);
  const referenced = (field: string) =>
    (after.references[field] ?? []).flatMap((urn) => {
      const target = addresses.get(urn);
      return target === undefined ? [] : [`${target}.id`, target];
    });
  const fields = [...Object.keys(after.fields), ...after.unknown, ...one.secrets].filter(
    (field) => field !== 'id',
  );
  return {
    address,
    mode,
    type,
    name,
    provider_config_key: providerKey(after),
    expressions: Object.fromEntries(
      fields.map((field) => {
        const references = referenced(field);
        return [field, references.length === 0 ? {} : { references }];
      }),
    ),
    schema_version: 0,
  };
}

/** A configuration for each server and namespace. The address is a variable: the program takes it from its settings. */
function providersOf(named: Named[]): Record<string, unknown> {
  const sides = named
    .filter(({ type }) => type.startsWith('vault:'))
    .flatMap(({ resources }) => resources.flatMap(({ before, after }) => [after, before]))
    .filter((side) => side !== undefined);
  const configurations = sides.flatMap((side) => {
    const { server, namespace } = side;
    const root: PlannedSide = { ...side, namespace: '' };
    const address = { references: [`var.${identifier(server)}_address`] };
    const known = { name: 'vault', full_name: 'registry.terraform.io/hashicorp/vault' };
    return [
      // First, as it gives the server its name.
      [providerKey(root), { ...known, expressions: { address } }] as const,
      ...(namespace === ''
        ? []
        : [
            [
              providerKey(side),
              { ...known, expressions: { address, namespace: { constant_value: namespace } } },
            ] as const,
          ]),
    ];
  });
  return Object.fromEntries(configurations);
}

function providerKey({ server = '', namespace = '' }: Partial<PlannedSide> = {}): string {
  return namespace === '' ? server : `${server}.${namespace}`;
}
