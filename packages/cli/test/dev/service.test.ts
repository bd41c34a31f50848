import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { write } from '../../../../test/harness/ask.ts';
import { started } from '../../../../test/harness/started.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { developmentClient } from '../../../secrets-service/src/identity-provider/development.ts';
import { startIdentity } from '../../../secrets-service/src/identity-provider/identity.ts';
import { startDevService } from '../../src/dev/service.ts';

const identity = started(startIdentity);

test('what the service tells no caller is in its log: why there is no URL to sign in at', async () => {
  const home = temporaryFolder();
  const stack = { home, directory: home, project: 'sign-in', name: 'dev', main: '.', config: new Map() };
  const service = await startDevService(stack, { port: 0 });
  await write(service, 'sys/auth/staff', { type: 'oidc' });
  await write(service, 'auth/staff/config', {
    oidc_discovery_url: identity().issuers.oidc,
    oidc_client_id: developmentClient.clientId,
    oidc_client_secret: developmentClient.clientSecret,
  });
  const [allowed_redirect_uris, redirect_uri] = ['https://a.example/callback', 'https://b.example/callback'];
  await write(service, 'auth/staff/role/reader', { user_claim: 'sub', allowed_redirect_uris });
  const { data } = await write(service, 'auth/staff/oidc/auth_url', { role: 'reader', redirect_uri });
  await service.close();
  expect([data.auth_url, readFileSync(join(home, 'dev', 'secrets.log'), 'utf8')]).toEqual([
    '',
    'auth/staff: no auth_url for role reader: redirect URI "https://b.example/callback" is not allowed\n',
  ]);
});
