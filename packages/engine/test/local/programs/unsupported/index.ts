import * as pulumi from '@pulumi/pulumi';

class Thing extends pulumi.CustomResource {
  constructor(name: string, options: pulumi.CustomResourceOptions = {}) {
    super('test:index:Thing', name, { text: 'x' }, { version: '1.2.3', ...options });
  }
}

/** What the test asks for, one at a time. */
const uses: Record<string, () => unknown> = {
  ignoreChanges: () => new Thing('left', { ignoreChanges: ['text'] }),
  customTimeouts: () => new Thing('slow', { customTimeouts: { create: '1h' } }),
  get: () => new Thing('read', { id: 'there' }),
  retainOnDelete: () => new Thing('kept', { retainOnDelete: true }),
  deletedWith: () => new Thing('gone', { deletedWith: new Thing('other') }),
  transforms: () => new Thing('changed', { transforms: [() => undefined] }),
  hooks: () => new Thing('hooked', { hooks: { beforeCreate: [new pulumi.ResourceHook('hook', () => {})] } }),
  errorHooks: () => new Thing('hooked', { hooks: { onError: [new pulumi.ErrorHook('hook', () => false)] } }),
  stackTransforms: () => {
    pulumi.runtime.registerResourceTransform(() => undefined);
    return new Thing('any');
  },
  invoke: () => pulumi.runtime.invoke('test:index:getThing', {}, { version: '1.2.3' }),
  package: () =>
    new (class extends pulumi.CustomResource {})('other:index:Thing', 'foreign', {}, { version: '1.0.0' }),
};
uses[new pulumi.Config().require('use')]?.();
