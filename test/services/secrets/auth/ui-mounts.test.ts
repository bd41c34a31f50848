import { expect, test } from '@jest/globals';
import { describeOnBothServers } from '../../../two-servers.ts';

describeOnBothServers('the methods that anyone may see', (server) => {
  const call = async (path: string, body?: object) => {
    const response = await fetch(`${server().address}/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      body: body && JSON.stringify(body),
      headers: body && { 'X-Vault-Token': server().token },
    });
    return response.status === 204 ? undefined : ((await response.json()) as any);
  };

  test('are those whose listing_visibility is unauth, with type and description alone', async () => {
    const method = { type: 'jwt', description: 'Shown' };
    await call('sys/auth/shown', { ...method, config: { listing_visibility: 'unauth' } });
    await call('sys/auth/kept', { ...method, config: { listing_visibility: 'hidden' } });
    await call('sys/auth/silent', method);
    const { data } = await call('sys/internal/ui/mounts');
    expect(data).toEqual({
      auth: { 'shown/': { type: 'jwt', description: 'Shown', options: {} } },
      secret: {},
    });
  });
});
