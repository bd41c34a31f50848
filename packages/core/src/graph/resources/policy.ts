import { z } from 'zod';
import { textOf, textsOf } from '../values/loose-values.ts';
import { policyKey } from '../values/name-key.ts';
import { ownNamespace } from '../values/namespace-path.ts';
import { separateTexts } from '../values/text-list.ts';
import { policyName } from './checks.ts';
import {
  type ByName,
  checked,
  type Fields,
  type FurtherOf,
  field,
  liveFlag,
  readFields,
  text,
  type Values,
} from './field.ts';
import type { Resource } from './resource.ts';
import { until } from './until.ts';

/**
 * Names of policies that a role or a group gives. `root` is refused however it is spelt: the service would trim
 * and lower-case it (docs/inside/measured/weaknesses.md#known-weaknesses, CVE-2025-54996).
 */
export const policyNames = separateTexts.refine(
  (given) => given.every((name) => policyKey(name) !== 'root'),
  'the policy root cannot be given to a role or a group',
);

/** Services compare the names of policies without blanks and in lower case. */
export function canonicalPolicyNames(policies: string[]): string[] {
  return policies.map(policyKey);
}

/** A row for the policies that something gives. */
export const givenPolicies = <const Further extends FurtherOf>(about: string, further: Further) =>
  field('texts', policyNames, 'access', about, {
    ...further,
    isSet: true as const,
    canonical: canonicalPolicyNames,
  });

/** Fields that name the policies which something gives. */
export const givingPolicies = ['token_policies', 'policies', 'allowed_policies'];

/** Names of policies in fields of a plan, as services compare them. */
export function policiesIn(fields: ByName, properties: readonly string[]): string[] {
  return [...new Set(properties.flatMap((name) => canonicalPolicyNames(textsOf(fields[name]))))];
}

/** A policy of the secrets service: what a token that carries its name may do. */
export const policyFields = {
  name: field(
    'text',
    z.string().min(1).toLowerCase(),
    'access',
    'Name of the policy; always lower case; not `root`.',
    { example: 'secrets-read', required: true, check: policyName },
  ),
  text: field('text', z.string().min(1), 'access', 'The policy itself.', {
    takes: 'HCL or JSON',
    example: 'path "secret/*" { … }',
    required: true,
    wire: 'policy',
    isPolicy: true,
  }),
  expiration: text('access', 'When the policy ends, on OpenBao.', { otherwise: 'never', liveOnly: true }),
  allowWildcardsInIdentityTemplates: liveFlag(
    'access',
    'Whether what fills in a template may have `*` and `+`, on OpenBao.',
  ),
  allowSlashesInIdentityTemplates: liveFlag(
    'access',
    'Whether what fills in a template may have a slash, on OpenBao.',
  ),
  casRequired: liveFlag(
    'nothing',
    'Whether a write must name the version that it replaces, on OpenBao.',
    'It says how the policy is written, not what it allows.',
  ),
} as const satisfies Fields;
type PolicyValues = Values<typeof policyFields>;
/** An ACL policy: its name and text. */
export type Policy = PolicyValues & Required<Pick<PolicyValues, 'name' | 'text'>>;

/** A policy as a person writes it: inline, or in a file below the project's folder. */
export const policySettings = z
  .strictObject({
    name: checked(policyFields.name).describe(policyFields.name.about),
    policy: policyFields.text.schema.optional().describe(policyFields.text.about),
    file: z
      .string()
      .regex(/\.hcl$/, 'a policy file ends in .hcl')
      .optional()
      .describe('Path of a `.hcl` file, relative to the folder of Pulumi.yaml.'),
    namespace: ownNamespace,
    until: z.record(z.string(), until.schema).optional().describe('Pattern of a rule → its last day.'),
  })
  .refine(({ policy, file }) => (policy === undefined) !== (file === undefined), {
    message: 'give exactly one of policy (the text) and file (a .hcl file)',
  });

/** The resource of a policy. */
export const policy: Resource<Policy, 'policy', 'policies'> = {
  type: 'policy',
  list: 'policies',
  fields: policyFields,
  nameOf: ({ name }) => name,
  key: policyKey,
  kept: policyKey,
  isNameable: true,
  difference: (found, declared, live) =>
    found.field === 'text' ? { ...found, declared: declared.text, live: live.text } : found,
  yaml: { list: 'policies', name: 'name' },
  official: {
    pulumi: 'vault:index/policy:Policy',
    name: 'name',
    importId: (name) => name,
    // Whether the provider refuses to write over a policy, which a review shows as one that is there.
    lookedAt: ['allow_overwrite'],
    fromPlan: ({ policy: text }, { name }) => ({ name, text: textOf(text) ?? '' }),
  },
  wire: {
    list: () => 'sys/policies/acl',
    builtIn: ['root', 'default'],
    fromWire: ({ policy: text = '', ...wire }, name) => ({
      ...readFields(policyFields, wire),
      name,
      text: String(text),
    }),
  },
};
