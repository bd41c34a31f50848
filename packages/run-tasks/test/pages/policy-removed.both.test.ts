import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { write } from '../../../../test/harness/ask.ts';
import { started } from '../../../../test/harness/started.ts';
import { describeOnPglite } from '../../../../test/harness/two-databases.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { enableJwt, goodClaims, login, signed } from '../../../../test/security/jwt-methods.ts';
import { HttpBrowser, problemsIn } from '../../../secrets-service/test/ui/http-browser.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { pageRoutes } from '../../src/pages/page-routes.ts';
import { platformRuns } from '../../src/pages/platform-runs.ts';
import { ProviderSignIn } from '../../src/pages/provider-sign-in.ts';
import { Callers } from '../../src/platform/callers.ts';
import { runsApi } from '../../src/platform/runs-api.ts';
import { type RunTaskServer, startRunTaskServer } from '../../src/server.ts';
import { PlatformUnderTest } from '../platform/platform-under-test.ts';
import { callBack } from '../platform/scripted-integrator.ts';

describeOnBothServers(
  'a policy that is taken away between opening a run and accepting its task',
  (server) => {
    describeOnPglite('with runs', (databases) => {
      let client: ServiceClient;
      let web: RunTaskServer;
      /** Of a person who may accept by a group. */
      let token: string;
      let group: string;
      /** Moves between tests alone: within one, callers stay cached. */
      let now = Date.now();

      const under = started(async () => PlatformUnderTest.start(await databases.openDatabase()));
      beforeAll(async () => {
        await enableJwt(server(), { path: 'cluster' });
        const policy = 'path "none" { capabilities = ["read"] }';
        await write(server(), 'sys/policies/acl/accept-failures', { policy });
        const { auth } = (await login(server(), 'cluster', signed({ alg: 'RS256' }, goodClaims()))).body;
        token = auth.client_token;
        const { data } = await write(server(), 'identity/group', {
          name: 'accepters',
          policies: ['accept-failures'],
          member_entity_ids: [auth.entity_id],
        });
        group = data.id;
        client = new ServiceClient({ address: server().address, maxRetries: 0 });
        const callers = new Callers({ clientOf: (given) => client.with({ token: given }), now: () => now });
        const pages = pageRoutes({
          runs: platformRuns(under().platform),
          deliveries: { list: async () => [], read: async () => undefined, retry: async () => {} },
          watched: { read: async () => [], changes: async () => [] },
          whoami: (given, options) => callers.of(given, options),
          providers: new ProviderSignIn({ client, redirectUri: () => '' }),
          secure: false,
        });
        const routes = [...runsApi(under().platform, callers), ...pages];
        web = await startRunTaskServer({ routes, checkReady: async () => undefined });
      });
      afterAll(async () => {
        await web?.close();
        client?.close();
      });

      let run: { id: string; planDigest?: string };
      beforeEach(async () => {
        now += 10_000;
        await write(server(), `identity/group/id/${group}`, { policies: ['accept-failures'] });
        under().reset();
        under().work.decisions = { confirm: 'never', acceptWith: { namespace: '', name: 'accept-failures' } };
        const asked = await under().asked('post_plan');
        await callBack(asked.request, 'failed');
        run = await under().platform.readRun(asked.run.id);
      });

      const takeAway = () => write(server(), `identity/group/id/${group}`, { policies: [] });
      const statusOf = async () => (await under().platform.readRun(run.id)).status;
      const ask = async (path: string, body?: object) => {
        const headers = { authorization: `Bearer ${token}` };
        const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
        const answer = await fetch(`${web.address}/runs/${run.id}${path}`, { headers, ...sent });
        return { status: answer.status, body: (await answer.json()) as any };
      };
      const accept = () =>
        ask('/accept', { task: 'review', reason: 'a false alarm', planDigest: run.planDigest });

      test('suffices as long as it is there', async () => {
        expect((await accept()).status).toBe(200);
        expect((await under().ended(run.id)).status).toBe('applied');
      });

      test('is missed by the API, though its holder was known a moment ago', async () => {
        expect((await ask('')).status).toBe(200);
        await takeAway();
        const { status, body } = await accept();
        expect([status, body.error.code]).toEqual([403, 'accepting_refused']);
        expect(await statusOf()).toBe('waiting_for_acceptance');
      });

      test('is missed by the page, though the form was there', async () => {
        const browser = new HttpBrowser(web.address);
        await browser.submit('/ui/sign-in', { token });
        const { text } = await browser.visit(`/ui/runs/${run.id}`);
        expect(text).toContain('Accept review nevertheless');
        await takeAway();
        const [, task = ''] = /name="task" value="([^"]*)"/.exec(text) ?? [];
        const fields = { task, reason: 'a false alarm', plan: run.planDigest ?? '' };
        const shown = await browser.submit(`/ui/runs/${run.id}/accept`, fields);
        expect([shown.status, problemsIn(shown)[0]]).toEqual([
          409,
          'This token may not accept a run task that did not pass. Sign in to a role that gives the policy accept-failures.',
        ]);
        expect(shown.text).not.toContain('Accept review nevertheless');
        expect(await statusOf()).toBe('waiting_for_acceptance');
      });
    });
  },
);
