import * as pulumi from '@pulumi/pulumi';

class Thing extends pulumi.CustomResource {
  declare readonly computed: pulumi.Output<string>;
  declare readonly text: pulumi.Output<string>;
  declare readonly secret: pulumi.Output<string> | undefined;

  constructor(name: string, args: Record<string, unknown>, options?: pulumi.CustomResourceOptions) {
    super('test:index:Thing', name, { computed: undefined, ...args }, { version: '1.2.3', ...options });
  }
}

class Pair extends pulumi.ComponentResource {
  readonly left: Thing;
  constructor(name: string, text: pulumi.Input<string>, options?: pulumi.ComponentResourceOptions) {
    super('simple:index:Pair', name, {}, options);
    this.left = new Thing(`${name}-left`, { text }, { parent: this });
    const right = new Thing(`${name}-right`, { text: this.left.computed }, { parent: this });
    this.registerOutputs({ text: right.text });
  }
}

const config = new pulumi.Config();
const greeting = config.require('greeting');
const password = config.requireSecret('password');
const plain = new Thing('plain', { text: greeting });
const hidden = new Thing('hidden', { secret: password }, { dependsOn: [plain] });
const pair = new Pair('pair', plain.computed);
console.log('hello from the program');
if (config.get('fail') === 'log') pulumi.log.error('not as it should be');
if (config.get('fail') === 'complain') console.error('as the SDK does');
if (config.get('fail') === 'throw') throw new Error('boom');

export const text = plain.text;
export const secret = hidden.secret ?? password;
export const left = pair.left.computed;
