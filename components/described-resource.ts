import * as pulumi from '@pulumi/pulumi';
import { wireNameIn } from '../core/model/resources/field.ts';
import type { AnyResource, Part } from '../core/model/resources/resources.ts';
import { toCamelCase } from '../core/model/values/wire.ts';

/** The official resource of a part that has the fields of its table and no more, as a policy has. */
export class DescribedResource extends pulumi.CustomResource {
  constructor(
    { official, fields, nameOf }: AnyResource & Required<Pick<AnyResource, 'official'>>,
    part: Part,
    opts?: pulumi.CustomResourceOptions,
  ) {
    const inputs = Object.entries(part).map(([name, value]) => [
      toCamelCase(wireNameIn(fields, name)),
      value,
    ]);
    super(official.pulumi, nameOf(part), Object.fromEntries(inputs), opts);
  }
}
