import { describe, expect, test } from '@jest/globals';
import { readStack } from '../../engine/read-stack.ts';
import { buildEnvironment } from '../../stacks/environment.ts';
import { register, secret } from '../pulumi-mocks.ts';

const root = new URL('../../', import.meta.url).pathname;

async function registerStack(name: string) {
  const stack = await readStack(root, name, { PULUMI_CONFIG_PASSPHRASE: 'gatehouse' });
  const config = Object.fromEntries([...stack.config].map(([key, { value }]) => [key, value]));
  const secretKeys = [...stack.config].filter(([, value]) => value.secret).map(([key]) => key);
  return await register(() => buildEnvironment(root), { config, secretKeys });
}

describe('the dev stack', () => {
  test('registers an auth method of each of the eight kinds', async () => {
    const registered = await registerStack('dev');
    const mounts = registered.filter(({ type }) => type === 'vault:jwt/authBackend:AuthBackend');
    expect(mounts.map(({ inputs }) => [inputs.path, inputs.type])).toEqual([
      ['staff', 'oidc'],
      ['partners', 'oidc'],
      ['suite', 'oidc'],
      ['source', 'oidc'],
      ['workspace', 'oidc'],
      ['community', 'oidc'],
      ['enterprise', 'oidc'],
      ['cluster', 'jwt'],
    ]);
    expect(mounts[0]?.inputs.oidcClientSecret).toEqual(secret('gatehouse-development-only'));
  });
});
