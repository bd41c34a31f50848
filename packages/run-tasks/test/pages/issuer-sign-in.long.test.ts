import { expect, test } from '@jest/globals';
import { describeWithKeycloak } from '../../../../test/harness/keycloak.ts';
import { createMainRealm, fillInLoginForm, keycloakClient } from '../../../../test/harness/keycloak-realm.ts';
import { HttpBrowser, problemsIn } from '../../../secrets-service/test/ui/http-browser.ts';
import { beginAtIssuer, pathOf, startWithIssuer } from './issuer-under-test.ts';

describeWithKeycloak('a real Keycloak as the issuer of the pages of runs', (keycloak) => {
  test('signs in people of a group, by the names and policies of the settings, and no one else', async () => {
    // Keycloak compares ports, and the pages have one that the system chose.
    await createMainRealm(keycloak(), ['http://127.0.0.1/*', '*']);
    const { pages } = await startWithIssuer({
      issuer: `${keycloak().address}/realms/main`,
      clientId: keycloakClient.clientId,
      clientSecret: keycloakClient.clientSecret,
      userClaim: 'preferred_username',
      scopes: ['profile'],
      groups: { '/admins': ['gatehouse-deploy'] },
    });
    const arrive = async (username: string) => {
      const browser = new HttpBrowser(pages.address);
      const back = await fillInLoginForm((await beginAtIssuer(browser)).href, username);
      return browser.visit(pathOf(back ?? ''));
    };
    const { host } = new URL(keycloak().address);
    const ada = await arrive('ada');
    expect([ada.path, ada.text]).toEqual(['/ui/runs', expect.stringContaining(`${host}/ada`)]);
    const bob = await arrive('bob');
    expect([bob.status, problemsIn(bob)[0]]).toEqual([403, expect.stringContaining('none of your groups')]);
    await pages.close();
  });
});
