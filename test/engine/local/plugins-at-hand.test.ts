import { expect, test } from '@jest/globals';
import { pluginsAtHand } from '../../../engine/local/local-engine.ts';
import { KubernetesPlugin } from '../../../engine/plugins/kubernetes/kubernetes-plugin.ts';
import { VaultPlugin } from '../../../engine/plugins/vault/vault-plugin.ts';

test('the plugins are our own, and there are no others', async () => {
  const { vault, kubernetes, ...others } = pluginsAtHand({ PATH: '' });
  expect(await vault?.()).toBeInstanceOf(VaultPlugin);
  expect(await kubernetes?.()).toBeInstanceOf(KubernetesPlugin);
  expect(others).toEqual({});
});
