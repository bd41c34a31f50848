import { beforeAll, expect, test } from '@jest/globals';
import { drift } from '../../packages/cli/src/drift/drift.ts';
import { preflightStack } from '../../packages/cli/src/verify/preflight.ts';
import type { ProviderKind } from '../../packages/core/src/graph/kinds/kinds.ts';
import type { Stack } from '../../packages/engine/src/stack.ts';
import { environmentFor } from '../harness/environment-under-test.ts';
import { describeWithKeycloak } from '../harness/keycloak.ts';
import { createRealmOf, kindsForPeople, providerOf } from '../harness/keycloak-kinds.ts';
import { answerIn, fillInLoginForm, keycloakClient } from '../harness/keycloak-realm.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';

// What the realms can and cannot have of each product: test/harness/keycloak-kinds.ts.
describeWithKeycloak('a realm of a real Keycloak in the shape of each product', (keycloak) => {
  beforeAll(async () => {
    for (const kind of kindsForPeople) await createRealmOf(keycloak(), kind);
  }, 300_000);

  describeOnBothServers('through the component of its kind', (service) => {
    const environment = environmentFor(service);
    let stack: Stack;
    beforeAll(async () => {
      // Each provider has its own authority here.
      delete environment().env['GATEHOUSE_IDENTITY_ADDRESS'];
      stack = environment().stack((config) => {
        config['providers'] = kindsForPeople.map((kind) => providerOf(keycloak(), kind));
        config['clientSecrets'] = Object.fromEntries(
          kindsForPeople.map((kind) => [kind, keycloakClient.clientSecret]),
        );
        for (const key of ['identity', 'messages', 'serviceAccountKeys', 'promises']) delete config[key];
      });
      await environment().up(stack);
    }, 300_000);

    async function policiesOf(username: string, kind: ProviderKind): Promise<unknown> {
      const { redirectUri: redirect_uri } = keycloakClient;
      const { data } = await environment().client.post(`auth/${kind}/oidc/auth_url`, { redirect_uri });
      const redirectUrl = await fillInLoginForm(String(data['auth_url']), username);
      const answer = await environment().client.read(
        `auth/${kind}/oidc/callback`,
        answerIn(redirectUrl ?? ''),
      );
      return answer?.auth?.['policies'];
    }

    test.each(kindsForPeople)(
      '%s: a person has the policies of the role and of the group',
      async (kind) => {
        // Tokens of the workspace suite name no groups.
        const ofGroup = kind === 'workspace_suite' ? [] : ['secrets-admin'];
        expect(await policiesOf('ada', kind)).toEqual(['default', ...ofGroup, 'secrets-read']);
      },
      60_000,
    );

    test.each(kindsForPeople)(
      '%s: a person outside the group has those of the role alone',
      async (kind) => {
        expect(await policiesOf('bob', kind)).toEqual(['default', 'secrets-read']);
      },
      60_000,
    );

    test('a preflight tells the redirect URIs that the clients have from those of the pages', async () => {
      const checks = await preflightStack(stack, environment().env);
      const outcomes = (asked: string) =>
        checks.filter(({ what }) => what.endsWith(asked)).map(({ outcome }) => outcome);
      const every = (outcome: string) => kindsForPeople.map(() => outcome);
      expect(outcomes('its client secret')).toEqual(every('ok'));
      expect(outcomes(`for ${keycloakClient.redirectUri}`)).toEqual(every('ok'));
      expect(outcomes('/ui/sign-in/callback')).toEqual(every('failed'));
    }, 120_000);

    test('nothing has drifted', async () => {
      expect((await drift({ stack, env: environment().env, unmanaged: false })).differences).toEqual([]);
    }, 120_000);
  });
});
