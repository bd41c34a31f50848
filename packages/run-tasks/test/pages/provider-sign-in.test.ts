import { beforeEach, expect, test } from '@jest/globals';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { startedForEach } from '../../../../test/harness/started.ts';
import { signIn } from '../../../secrets-service/src/identity-provider/sign-in.ts';
import {
  HttpBrowser,
  problemsIn,
  providerLinkIn,
  textIn,
} from '../../../secrets-service/test/ui/http-browser.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { ProviderSignIn } from '../../src/pages/provider-sign-in.ts';
import { pathOf } from './issuer-under-test.ts';
import { startPages } from './page-server.ts';
import { startSignIn } from './sign-in-under-test.ts';

let browser: HttpBrowser;
const service = startedForEach(startEmbeddedService);
const under = startedForEach(() => startSignIn(service(), { mostPending: 2 }));
beforeEach(async () => {
  browser = new HttpBrowser(under().pages.address);
});

const begin = async (from = browser) =>
  providerLinkIn(await from.submit('/ui/sign-in/oidc', { method: 'staff' }));
const back = async (authUrl: string) => pathOf((await signIn({ authUrl, username: 'alice' })).redirectUrl);

test('the sign-in page says that the secrets service does not answer, and still takes a token later', async () => {
  await service().close();
  const shown = await browser.visit('/ui/sign-in');
  expect([shown.status, problemsIn(shown)]).toEqual([503, [expect.stringMatching(/does not answer/)]]);
  expect(shown.text).toContain('name="token"');
});

test('the sign-in page has the product and the icon of a kind that is known', async () => {
  const client = new ServiceClient({ address: service().address, maxRetries: 0 });
  const kinds = async () => new Map([['staff', 'cloud_directory' as const]]);
  const known = await startPages({ providers: new ProviderSignIn({ client, redirectUri: () => '', kinds }) });
  const { text } = await new HttpBrowser(known.address).visit('/ui/sign-in');
  const unknown = (await browser.visit('/ui/sign-in')).text;
  await known.close();
  client.close();
  expect(textIn(text)).toContain('People of staff Microsoft Entra ID · auth/staff');
  expect([text, unknown].map((page) => page.includes('<svg class="provider"'))).toEqual([true, false]);
});

test('a sign-in does not begin where the secrets service does not answer', async () => {
  await browser.visit('/ui/sign-in');
  await service().close();
  const shown = await browser.submit('/ui/sign-in/oidc', { method: 'staff' });
  expect([shown.status, problemsIn(shown)]).toEqual([503, [expect.stringMatching(/does not answer/)]]);
});

test('a sign-in does not end where the secrets service does not answer', async () => {
  const answer = await back(await begin());
  await service().close();
  const shown = await browser.visit(answer);
  expect([shown.status, problemsIn(shown)]).toEqual([503, [expect.stringMatching(/does not answer/)]]);
  expect((await browser.visit('/ui/runs')).path).toContain('/ui/sign-in');
});

test('of too many sign-ins in progress the oldest is forgotten', async () => {
  const browsers = [new HttpBrowser(under().pages.address), new HttpBrowser(under().pages.address)];
  const first = await begin();
  for (const other of browsers) await begin(other);
  expect((await browser.visit(await back(first))).status).toBe(400);
  const last = await begin();
  expect((await browser.visit(await back(last))).path).toBe('/ui/runs');
});
