import type * as pulumi from '@pulumi/pulumi';
import type { BoundValue } from '../core/model/resources/bound-claims.ts';

// What a program in TypeScript may write in several ways, and a program in another language, whose types have no
// unions, in one. The SDK's analyzer takes the type of an input from its promise: packages/pulumi-package/schema.json
// has that.

/** A duration: a text such as `1h`, or seconds. For other languages a text. */
export type DurationInput = string | number | Promise<string> | pulumi.Output<string | number>;

/** One text, or several; one must match. For other languages a list. */
export type TextsInput =
  | string
  | pulumi.Input<string>[]
  | Promise<pulumi.Input<string>[]>
  | pulumi.Output<string | string[]>;

/**
 * One value of a claim, or several; one must match; types count. For other languages anything, which is checked later.
 */
export type ClaimInput =
  | BoundValue
  | BoundValue[]
  | Promise<pulumi.Inputs[string]>
  | pulumi.Output<BoundValue | BoundValue[]>;
