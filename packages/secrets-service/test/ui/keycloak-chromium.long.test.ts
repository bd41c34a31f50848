import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeWithChromium } from '../../../../test/harness/chromium.ts';
import { describeWithKeycloak } from '../../../../test/harness/keycloak.ts';
import {
  createMainRealm,
  keycloakClient,
  keycloakPassword,
} from '../../../../test/harness/keycloak-realm.ts';
import { started, startedForEach } from '../../../../test/harness/started.ts';
import { openWatched } from '../../../host/test/pages/watched-page.ts';
import { accessorOf, startUiService } from './ui-service.ts';

// With a real Keycloak and a real browser: docs/providers.md#keycloak-open_source_identity_server.
describeWithKeycloak('with a real Keycloak as the identity provider', (keycloak) => {
  describeWithChromium('a person in Chromium', (browser) => {
    let page: Page;
    const service = started(startUiService, 60_000);
    beforeAll(async () => {
      const redirectUri = `${service().address}/ui/vault/auth/community/oidc/callback`;
      await createMainRealm(keycloak(), [redirectUri]);
      await declareMethod(redirectUri);
    }, 60_000);
    const watched = startedForEach(() => openWatched(browser()));
    beforeEach(async () => {
      page = watched().page;
      await page.goto(`${service().address}/ui/`);
      await page.getByRole('button', { name: 'Continue with Community' }).click();
      await page.waitForURL(`${keycloak().address}/realms/main/**`);
    });

    test('signs in at its login page and has the policies of the role and of the group', async () => {
      await fillIn('ada', keycloakPassword);
      await page.waitForURL(`${service().address}/ui/`);
      expect(await seen()).toEqual({
        name: 'community-ada',
        policies: ['default', 'secrets-admin', 'secrets-read'],
        groups: 1,
      });
    });

    test('who stays signed in at Keycloak is not asked for the password again', async () => {
      await fillIn('ada', keycloakPassword);
      await page.waitForURL(`${service().address}/ui/`);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Continue with Community' }).click();
      await page.waitForURL(`${service().address}/ui/`);
      expect((await seen()).name).toBe('community-ada');
    });

    test('who says no at Keycloak comes back to the sign-in page, which says so', async () => {
      await askForConsent(true);
      try {
        await fillIn('ada', keycloakPassword);
        await page.getByRole('button', { name: 'No' }).click();
        await page.waitForURL(`${service().address}/**`);
        expect(await page.getByRole('alert').textContent()).toContain('access_denied');
        expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in');
      } finally {
        await askForConsent(false);
      }
    });

    async function fillIn(username: string, password: string): Promise<void> {
      await page.getByLabel('Username or email').fill(username);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign In' }).click();
    }

    /** What the page shows of the signed-in person. */
    async function seen() {
      const tags = (term: string) =>
        page.locator('.facts > div', { hasText: term }).locator('.tags li').allTextContents();
      return {
        name: await page.getByRole('heading', { level: 1 }).textContent(),
        policies: await tags('Policies'),
        groups: (await tags('Groups')).length,
      };
    }

    /** Whether Keycloak asks people for consent, which they can refuse. */
    async function askForConsent(consentRequired: boolean): Promise<void> {
      const path = `/main/clients?clientId=${keycloakClient.clientId}`;
      const [client] = (await keycloak().admin('GET', path)) as { id: string }[];
      await keycloak().admin('PUT', `/main/clients/${client?.id}`, { ...client, consentRequired });
    }

    /** One method, one role, one group, as in the docs. */
    async function declareMethod(redirectUri: string): Promise<void> {
      await service().write('sys/auth/community', {
        type: 'oidc',
        description: 'Community',
        config: { listing_visibility: 'unauth' },
      });
      await service().write('auth/community/config', {
        oidc_discovery_url: `${keycloak().address}/realms/main`,
        oidc_client_id: keycloakClient.clientId,
        oidc_client_secret: keycloakClient.clientSecret,
        default_role: 'contributor',
      });
      await service().write('auth/community/role/contributor', {
        user_claim: 'preferred_username',
        groups_claim: 'groups',
        allowed_redirect_uris: [redirectUri],
        token_policies: ['secrets-read'],
        token_ttl: '1h',
      });
      const group = await service().write('identity/group', {
        name: 'maintainers',
        type: 'external',
        policies: ['secrets-admin'],
      });
      await service().write('identity/group-alias', {
        name: '/admins',
        mount_accessor: await accessorOf(service(), 'community'),
        canonical_id: group.data.id,
      });
    }
  });
});
