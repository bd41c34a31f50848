import { z } from 'zod';
import { textList } from '../values/text-list.ts';

/** A policy of the secrets service: what a token that carries its name may do. */
export interface Policy {
  name: string;
  /** HCL or JSON text. */
  text: string;
}

/**
 * Names of policies that a role or a group gives. `root` is refused however it is spelt: the service would trim
 * and lower-case it (facts/security.md, CVE-2025-54996).
 */
export const policyNames = textList.refine(
  (given) => given.every((name) => name.trim().toLowerCase() !== 'root'),
  'the policy root cannot be given to a role or a group',
);

/** A policy as a person writes it: inline, or in a file below the project's folder. */
export const policySettings = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .toLowerCase()
      .refine(
        (name) => name.trim() !== 'root',
        'the policy root is the service’s own and cannot be declared',
      ),
    /** The policy itself. */
    policy: z.string().min(1).optional(),
    /** Path of a `.hcl` file, relative to the folder of Pulumi.yaml. */
    file: z
      .string()
      .regex(/\.hcl$/, 'a policy file ends in .hcl')
      .optional(),
  })
  .refine(({ policy, file }) => (policy === undefined) !== (file === undefined), {
    message: 'exactly one of policy (the text) and file (a .hcl file) is needed',
  });
export type PolicySettings = z.output<typeof policySettings>;
