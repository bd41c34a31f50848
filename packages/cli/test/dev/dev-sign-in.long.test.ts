import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { signIn } from '../../../secrets-service/src/identity-provider/sign-in.ts';
import { HttpBrowser, providerLinkIn } from '../../../secrets-service/test/ui/http-browser.ts';
import { type Dev, startDev } from '../../src/dev/dev.ts';

const home = temporaryFolder();
let dev: Dev;
beforeAll(async () => {
  const ports = { port: 0, identityPort: 0, runTaskPort: 0 };
  const env = { PATH: process.env['PATH'], GATEHOUSE_HOME: home };
  dev = await startDev({ directory: root, env, version: '1.2.3', ...ports });
});
afterAll(async () => {
  await dev?.close();
});

test.each(['staff', 'partners', 'suite', 'source', 'workspace', 'community', 'enterprise'])(
  'what npm start runs signs people in to the pages of runs at %s',
  async (method) => {
    const browser = new HttpBrowser(dev.runTaskAddress);
    expect((await browser.visit('/ui/sign-in')).text).toContain(`</span> · auth/${method}</span></span>`);
    const authUrl = providerLinkIn(await browser.submit('/ui/sign-in/oidc', { method }));
    const { redirectUrl } = await signIn({ authUrl, username: 'alice' });
    const shown = await browser.visit(redirectUrl.slice(dev.runTaskAddress.length));
    expect([shown.path, shown.text]).toEqual(['/ui/runs', expect.stringContaining('gatehouse dev')]);
    await browser.submit('/ui/sign-out');
  },
);
