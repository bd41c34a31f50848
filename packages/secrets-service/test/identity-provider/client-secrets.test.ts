import { expect, test } from '@jest/globals';
import { started } from '../../../../test/harness/started.ts';
import { readDiscovery } from '../../../service-client/src/discovery.ts';
import { showSecret } from '../../../service-client/src/provider-client.ts';
import { type Client, developmentClient } from '../../src/identity-provider/development.ts';
import { startIdentity } from '../../src/identity-provider/identity.ts';

const client: Client = { ...developmentClient, clientSecret: 'old' };
const identity = started(() => startIdentity({ clients: { cloud_directory: [client] } }));

test('while a client secret is rotated the provider takes both, and afterwards the new one alone', async () => {
  const { document } = await readDiscovery({ url: identity().issuers.cloud_directory });
  const taken = async () => {
    const shown = ['old', 'new', 'other'].map((secret) =>
      showSecret({ document, clientId: client.clientId }, secret, client.redirectUris[0] ?? ''),
    );
    return (await Promise.all(shown)).map(({ is }) => is === 'so');
  };
  expect(await taken()).toEqual([true, false, false]);
  client.otherSecrets = ['new'];
  expect(await taken()).toEqual([true, true, false]);
  Object.assign(client, { clientSecret: 'new', otherSecrets: [] });
  expect(await taken()).toEqual([false, true, false]);
});
