import * as pulumi from '@pulumi/pulumi';

class Thing extends pulumi.CustomResource {
  declare readonly computed: pulumi.Output<string>;
  constructor(name: string, args: Record<string, unknown>, options: pulumi.CustomResourceOptions = {}) {
    super('test:index:Thing', name, { computed: undefined, ...args }, { version: '1.2.3', ...options });
  }
}
class TestProvider extends pulumi.ProviderResource {
  constructor(name: string, args: pulumi.Inputs) {
    super('test', name, args, { version: '1.2.3' });
  }
}

const config = new pulumi.Config();
const provider = new TestProvider('mine', { address: config.requireSecret('address') });
const first = new Thing('first', { text: 'x' }, { provider, protect: config.getBoolean('protect') ?? false });
const name = config.get('name') ?? 'second';
const second = new Thing(
  name,
  { text: first.id, place: config.get('place') ?? 'here' },
  { provider, dependsOn: first, aliases: [{ name: 'second' }], additionalSecretOutputs: ['computed'] },
);
const third = new Thing('third', { kind: second.computed }, { provider });

export const reference = first;
export const computed = second.computed;
export const plain = third.computed;
