import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ServiceClient } from '../../../client/service-client.ts';
import { type Identity, startIdentity } from '../../../embedded/identity/identity.ts';
import { pageRoutes } from '../../../run-tasks/pages/page-routes.ts';
import { platformRuns } from '../../../run-tasks/pages/platform-runs.ts';
import { ProviderSignIn } from '../../../run-tasks/pages/provider-sign-in.ts';
import { Callers } from '../../../run-tasks/platform/callers.ts';
import { runsApi } from '../../../run-tasks/platform/runs-api.ts';
import { type RunTaskServer, startRunTaskServer } from '../../../run-tasks/server.ts';
import { HttpBrowser, problemsIn } from '../../embedded/secrets/ui/http-browser.ts';
import { write } from '../../harness/ask.ts';
import { describeOnPglite } from '../../harness/two-databases.ts';
import { describeOnBothServers } from '../../harness/two-servers.ts';
import { PlatformUnderTest } from '../platform/platform-under-test.ts';
import { callBack } from '../platform/scripted-integrator.ts';

describeOnBothServers(
  'a policy that is taken away between opening a run and accepting its task',
  (server) => {
    describeOnPglite('with runs', (databases) => {
      let under: PlatformUnderTest;
      let identity: Identity;
      let client: ServiceClient;
      let web: RunTaskServer;
      /** Of somebody who may accept by a group. */
      let token: string;
      let group: string;
      /** Moves between tests alone: within one, who somebody is stays remembered. */
      let now = Date.now();
      beforeAll(async () => {
        under = await PlatformUnderTest.start(await databases.open());
        identity = await startIdentity();
        const issuer = identity.issuers.container_orchestrator;
        await write(server(), 'sys/auth/cluster', { type: 'jwt' });
        await write(server(), 'auth/cluster/config', { oidc_discovery_url: issuer });
        const role = { role_type: 'jwt', user_claim: 'sub', bound_audiences: [issuer] };
        await write(server(), 'auth/cluster/role/web', role);
        await write(server(), 'sys/policies/acl/accept-failures', {
          policy: 'path "none" { capabilities = ["read"] }',
        });
        const jwt = await identity.signWorkloadToken({ subject: 'system:serviceaccount:shop:web' });
        const { auth } = await write(server(), 'auth/cluster/login', { role: 'web', jwt });
        token = auth.client_token;
        const { data } = await write(server(), 'identity/group', {
          ...{ name: 'accepters', policies: ['accept-failures'], member_entity_ids: [auth.entity_id] },
        });
        group = data.id;
        client = new ServiceClient({ address: server().address, maxRetries: 0 });
        const callers = new Callers({ clientOf: (given) => client.with({ token: given }), now: () => now });
        web = await startRunTaskServer({
          routes: [
            ...runsApi(under.platform, callers),
            ...pageRoutes({
              runs: platformRuns(under.platform),
              deliveries: { list: async () => [], read: async () => undefined, redeliver: async () => {} },
              whoami: (given, options) => callers.of(given, options),
              providers: new ProviderSignIn({ client, redirectUri: () => '' }),
              secure: false,
            }),
          ],
          checkReady: async () => undefined,
        });
      });
      afterAll(async () => {
        await web?.close();
        client?.close();
        await identity?.close();
        await under?.close();
      });
      let run: { id: string; planDigest?: string };
      beforeEach(async () => {
        now += 10_000;
        await write(server(), `identity/group/id/${group}`, { policies: ['accept-failures'] });
        const stack = under.reset();
        under.work.decisions = { confirm: 'never', acceptWith: 'accept-failures' };
        under.work.tasks = [under.task('review', ['post_plan'])];
        const { id } = await under.run(stack);
        await callBack(await under.requested({ id }, 'post_plan'), 'failed');
        run = await under.platform.readRun(id);
      });
      const takeAway = () => write(server(), `identity/group/id/${group}`, { policies: [] });
      const statusOf = async () => (await under.platform.readRun(run.id)).status;
      const accept = async () => {
        const answer = await fetch(`${web.address}/runs/${run.id}/accept`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}` },
          body: JSON.stringify({ task: 'review', reason: 'a false alarm', planDigest: run.planDigest }),
        });
        return { status: answer.status, body: (await answer.json()) as any };
      };
      const look = () =>
        fetch(`${web.address}/runs/${run.id}`, { headers: { authorization: `Bearer ${token}` } });

      test('suffices as long as it is there', async () => {
        expect((await accept()).status).toBe(200);
        expect((await under.ended(run.id)).status).toBe('applied');
      });

      describe('over the API', () => {
        test('is missed, though its holder was known a moment ago', async () => {
          expect((await look()).status).toBe(200);
          await takeAway();
          const { status, body } = await accept();
          expect([status, body.error.code]).toEqual([403, 'accepting_refused']);
          expect(await statusOf()).toBe('waiting_for_acceptance');
        });
      });

      describe('over the page', () => {
        const open = async () => {
          const browser = new HttpBrowser(web.address);
          await browser.submit('/ui/sign-in', { token });
          const { text } = await browser.open(`/ui/runs/${run.id}`);
          const [, task = ''] = /name="task" value="([^"]*)"/.exec(text) ?? [];
          const fields = { task, reason: 'a false alarm', plan: run.planDigest ?? '' };
          return { text, press: () => browser.submit(`/ui/runs/${run.id}/accept`, fields) };
        };

        test('is missed, though the form was there', async () => {
          const { text, press } = await open();
          expect(text).toContain('Accept review nevertheless');
          await takeAway();
          const shown = await press();
          expect([shown.status, problemsIn(shown)[0]]).toEqual([
            409,
            'This token may not accept a run task that did not pass. Sign in to a role that gives the policy accept-failures.',
          ]);
          expect(shown.text).not.toContain('Accept review nevertheless');
          expect(await statusOf()).toBe('waiting_for_acceptance');
        });
      });
    });
  },
);
