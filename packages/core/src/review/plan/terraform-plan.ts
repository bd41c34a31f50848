import { z } from 'zod';

/**
 * What is read of `terraform show -json PLAN` (developer.hashicorp.com/terraform/internals/json-format; OpenTofu's is
 * the same). Properties that are not known here are passed over, as the format asks.
 */
const change = z.looseObject({
  actions: z.array(z.string()),
  before: z.unknown(),
  after: z.unknown(),
  after_unknown: z.unknown().optional(),
  before_sensitive: z.unknown().optional(),
  after_sensitive: z.unknown().optional(),
});

/** What a plan of Gatehouse says in addition to the format (`terraformForm`). */
const ofGatehouse = z.looseObject({
  /** Provider configuration, also of what is deleted and so no longer configured. */
  provider_config_key: z.string().optional(),
  /** Fields in which secrets are null: placeholders, the same for the same value. */
  before: z.record(z.string(), z.unknown()).optional(),
  after: z.record(z.string(), z.unknown()).optional(),
  /** Whether a replacement may be in the other order, too. */
  is_unordered: z.boolean().optional(),
});

const resourceChange = z.looseObject({
  address: z.string(),
  /** Its address before, where that is another one. */
  previous_address: z.string().optional(),
  mode: z.string().default('managed'),
  type: z.string(),
  provider_name: z.string().optional(),
  /** The state's name of an older object that is still to be deleted. */
  deposed: z.string().optional(),
  gatehouse: ofGatehouse.optional(),
  change,
});
export type TerraformResourceChange = z.output<typeof resourceChange>;

/** What a provider is asked to do apart from its resources, since Terraform 1.14. */
const actionInvocation = z.looseObject({
  type: z.string().default(''),
  provider_name: z.string().default(''),
});

const providerConfiguration = z.looseObject({
  name: z.string().optional(),
  full_name: z.string().optional(),
  expressions: z.record(z.string(), z.unknown()).optional(),
});
export type ProviderConfiguration = z.output<typeof providerConfiguration>;

/** A list that is left out, or null, where it is empty. */
const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((given) => given ?? []);

export const terraformPlan = z.looseObject({
  format_version: z.string(),
  /** Of a plan of Gatehouse. */
  gatehouse: z.looseObject({ deletes_last: z.boolean().optional() }).optional(),
  resource_changes: listOf(resourceChange),
  resource_drift: listOf(z.unknown()),
  deferred_changes: listOf(z.unknown()),
  action_invocations: listOf(actionInvocation),
  deferred_action_invocations: listOf(z.unknown()),
  output_changes: z.record(z.string(), z.unknown()).nullish(),
  /** Since Terraform 1.7. */
  applyable: z.boolean().default(false),
  errored: z.boolean().default(false),
  complete: z.boolean().default(true),
  variables: z.record(z.string(), z.looseObject({ value: z.unknown().optional() })).nullish(),
  configuration: z
    .looseObject({
      provider_config: z.record(z.string(), providerConfiguration).nullish(),
      root_module: z.unknown().optional(),
    })
    .nullish(),
  prior_state: z
    .looseObject({ values: z.looseObject({ root_module: z.unknown().optional() }).nullish() })
    .nullish(),
});
export type TerraformPlan = z.output<typeof terraformPlan>;

/** A module of `configuration`: what its resources are written as. */
export interface ConfigModule {
  resources?: ConfigResource[];
  module_calls?: Record<string, { expressions?: Expressions; module?: ConfigModule }>;
  outputs?: Record<string, { expression?: Expression }>;
}

export interface ConfigResource {
  address: string;
  expressions?: Expressions;
  provider_config_key?: string;
}

export type Expressions = Record<string, Expression>;
export type Expression = { references?: string[]; constant_value?: unknown } | unknown[];
