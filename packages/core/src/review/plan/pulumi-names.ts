import type { PulumiState, PulumiStep } from './pulumi-preview.ts';
import { type Fields, terraformName } from './resource-types.ts';

/** Properties that Pulumi has in the plural, and Terraform in the singular. */
const plurals: Readonly<Record<string, string>> = {
  allowedPoliciesGlobs: 'allowedPoliciesGlob',
  disallowedPoliciesGlobs: 'disallowedPoliciesGlob',
  cidrLists: 'cidrList',
  ec2Metadatas: 'ec2Metadata',
  gceMetadatas: 'gceMetadata',
  iamMetadatas: 'iamMetadata',
  ocidLists: 'ocidList',
  ocspServersOverrides: 'ocspServersOverride',
};
/** Blocks in the plural, of types by their names in Terraform: other types have fields of the same name. */
const blocks: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  vault_okta_auth_backend: { groups: 'group', users: 'user' },
};

/**
 * A property in the number that Terraform has it in.
 *
 * @param type of the resource, as Terraform has it
 */
export function officialProperty(type: string, property: string): string {
  const own = Object.hasOwn(blocks, type) ? blocks[type] : undefined;
  for (const names of [own ?? {}, plurals])
    if (Object.hasOwn(names, property)) return names[property] ?? property;
  return property;
}

/** A step whose properties are in the number that Terraform has them in. */
export function withOfficialProperties(step: PulumiStep, pulumiType: string): PulumiStep {
  const type = terraformName(pulumiType);
  const named = (property: string) => officialProperty(type, property);
  const atPath = (path: string) => path.replace(/^[^.[]+/, named);
  const renamed = <Value>(values: Record<string, Value>, nameOf: (name: string) => string) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [nameOf(name), value]));
  const stateOf = (state: PulumiState): PulumiState => ({
    ...state,
    inputs: renamed<Fields[string]>(state.inputs, named),
    outputs: renamed<Fields[string]>(state.outputs, named),
    ...(state.propertyDependencies && { propertyDependencies: renamed(state.propertyDependencies, named) }),
  });
  const { oldState, newState, diffReasons, detailedDiff } = step;
  return {
    ...step,
    ...(oldState && { oldState: stateOf(oldState) }),
    ...(newState && { newState: stateOf(newState) }),
    ...(diffReasons && { diffReasons: diffReasons.map(atPath) }),
    ...(detailedDiff && { detailedDiff: renamed(detailedDiff, atPath) }),
  };
}
