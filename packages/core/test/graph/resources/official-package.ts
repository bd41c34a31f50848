import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../../../test/harness/environment-under-test.ts';
import { toSnakeCase } from '../../../src/graph/values/wire.ts';
import { officialProperty } from '../../../src/review/plan/pulumi-names.ts';
import { terraformName } from '../../../src/review/plan/resource-types.ts';

/** A resource of the official package. */
export interface OfficialType {
  /** Its token in Pulumi. */
  token: string;
  /** Its name in Terraform. */
  name: string;
  /** The properties that it is given in Pulumi. */
  properties: string[];
  /** The same in Terraform. */
  fields: string[];
}

/** All resources of the official package, as it is compiled. */
export function officialPackage(folder = join(root, 'node_modules/@pulumi/vault')): OfficialType[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js') && !path.includes('node_modules'))
    .flatMap((path) => {
      const text = readFileSync(join(folder, path), 'utf8');
      const token = /__pulumiType = '(vault:[^']+)'/.exec(text)?.[1];
      if (token === undefined) return [];
      const name = terraformName(token);
      const properties = [...text.matchAll(/resourceInputs\["(\w+)"\] = args/g)].map(([, one = '']) => one);
      return {
        token,
        name,
        properties,
        fields: properties.map((one) => toSnakeCase(officialProperty(name, one))),
      };
    });
}
