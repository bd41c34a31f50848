import { readFileSync } from 'node:fs';
import { maskError, maskOf } from '@gatehouse/core/values';
import * as pulumi from '@pulumi/pulumi';
import type { ConstructResult, Provider } from '@pulumi/pulumi/provider/index.js';
import { runError, secretsIn, withSecrets } from '../../components/inputs.ts';
import { components } from './components.ts';
import { readInputs } from './read-inputs.ts';
import { schema } from './schema.ts';

/** Makes the package's components for programs in other languages: a plugin for the SDK's server. */
export class ComponentPlugin implements Provider {
  readonly version: string = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ).version;
  readonly schema = JSON.stringify({ ...schema, version: this.version });

  /**
   * Makes a component and what it is made of.
   *
   * @throws InputPropertiesError with each input that does not fit the schema
   * @throws Error with the message and code of what else is wrong
   */
  async construct(
    name: string,
    type: string,
    inputs: pulumi.Inputs,
    options: pulumi.ComponentResourceOptions,
  ): Promise<ConstructResult> {
    const spec = schema.resources[type];
    const Component = components.get(type.split(':')[2] ?? '');
    if (spec === undefined || Component === undefined) {
      throw new Error(`there is no component ${type}; there are ${Object.keys(schema.resources).join(', ')}`);
    }
    const { args, failures } = await readInputs(spec, inputs);
    if (failures.length > 0) {
      throw new pulumi.InputPropertiesError({
        message: 'these inputs are not valid (inputs_invalid)',
        errors: failures,
      });
    }
    try {
      const component = new Component(name, args as never, options);
      const outputs = Object.keys(spec.properties).map((output) => [output, Reflect.get(component, output)]);
      return { urn: component.urn, state: Object.fromEntries(outputs) };
    } catch (error) {
      // The schema says which inputs are secret, and not every program marks them.
      throw runError(maskError(error, maskOf(await secretsIn(withSecrets(args)))));
    }
  }
}
