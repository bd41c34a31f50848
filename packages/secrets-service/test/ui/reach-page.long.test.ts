import { beforeAll, describe, expect, test } from '@jest/globals';
import { describeWithChromium } from '../../../../test/harness/chromium.ts';
import { started } from '../../../../test/harness/started.ts';
import { accessibilityProblems } from '../../../host/test/pages/accessibility.ts';
import { looks, openWatched } from '../../../host/test/pages/watched-page.ts';
import { startUiService } from './ui-service.ts';

const service = started(startUiService);
let token: string;
beforeAll(async () => {
  const names = ['x'.repeat(200), 'أسرار/المتجر', 'a\\u202eb', 'team 🧑‍💻', '<img src=x onerror=alert(1)>'];
  const rules = names.map(
    (name) => `path "secret/data/${name}/*" {
  capabilities = ["create", "read", "update", "delete", "list", "patch", "sudo"]
  required_parameters = ["${name}"]
  allowed_parameters = { "${name}" = ["${name}", "1h"] }
}`,
  );
  await service().write('sys/policies/acl/unusual', { policy: rules.join('\n') });
  const { auth } = await service().write('auth/token/create', { policies: ['unusual'] });
  token = auth.client_token;
});

describeWithChromium('what one can reach', (browser) => {
  describe.each(looks)('in %s, %i pixels wide,', (colorScheme, width) => {
    test('can be read, heard and operated by everyone, with the keyboard alone', async () => {
      const watched = await openWatched(browser(), { colorScheme, viewport: { width, height: 800 } });
      const { page } = watched;
      const tabTo = async (text: string) => {
        for (let count = 0; count < 40; count += 1) {
          if ((await page.evaluate('inPage.focused()')) === text) return;
          await page.keyboard.press('Tab');
        }
        throw new Error(`cannot be reached: ${text}`);
      };
      await page.goto(`${service().address}/ui/sign-in`);
      await tabTo('A token of this service');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      await page.keyboard.type(token);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${service().address}/ui/`);
      await tabTo('Access');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'What you can reach' }).waitFor();
      expect(await page.getByText('secret/data/').count()).toBeGreaterThanOrEqual(5);
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(watched.complaints).toEqual([]);
      await watched.close();
    });
  });
});
