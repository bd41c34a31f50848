import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { write } from '../../../../test/harness/ask.ts';
import { longTest } from '../../../../test/harness/long-run.ts';
import { describeOnPglite } from '../../../../test/harness/two-databases.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { isEnd } from '../../../core/src/run-task/run.ts';
import { HttpBrowser } from '../../../secrets-service/test/ui/http-browser.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { gateRoutes } from '../../src/gate/gate-routes.ts';
import { Integrator } from '../../src/integrator/integrator.ts';
import { Outbound } from '../../src/outbound/outbound.ts';
import { Callers } from '../../src/platform/callers.ts';
import { type RunTaskServer, startRunTaskServer } from '../../src/server.ts';
import { Queue } from '../../src/store/queue.ts';
import { fine } from '../integrator/running-integrator.ts';
import { PlatformUnderTest } from '../platform/platform-under-test.ts';
import { callBack } from '../platform/scripted-integrator.ts';

/** Who is let in. */
type Kind =
  /** Everyone: nothing there is anyone's. */
  | 'everyone'
  /** The token of a task, or a signature: never a token of the secrets service. */
  | 'task'
  /** A token of the secrets service as a bearer. */
  | 'token'
  /** A browser with a session that such a token began. */
  | 'session'
  /** Begins such a session. */
  | 'sign-in';

/** Every route of the gate. A new one fails the test until it has a row. */
const rows: Record<string, Kind> = {
  'GET /health': 'everyone',
  'GET /ready': 'everyone',
  'GET /metrics': 'everyone',
  'GET /openapi.json': 'everyone',
  'POST /integrator/:endpoint': 'task',
  'PATCH /api/v2/task-results/:id/callback': 'task',
  'GET /api/v2/plans/:run/json-output': 'task',
  'GET /api/v2/configuration-versions/:run/download': 'task',
  'POST /runs': 'token',
  'GET /runs': 'token',
  'GET /runs/:id': 'token',
  'GET /runs/:id/events': 'token',
  'POST /runs/:id/confirm': 'token',
  'POST /runs/:id/discard': 'token',
  'POST /runs/:id/accept': 'token',
  'POST /runs/:id/retry': 'token',
  'POST /runs/:id/cancel': 'token',
  'POST /runs/:id/rerun': 'token',
  'GET /reviews': 'token',
  'POST /deploying-tokens': 'token',
  'GET /': 'everyone',
  'GET /ui': 'everyone',
  'GET /ui/': 'everyone',
  'GET /ui/assets/:name': 'everyone',
  'GET /ui/sign-in': 'everyone',
  'POST /ui/sign-in': 'sign-in',
  'POST /ui/sign-in/oidc': 'everyone',
  'GET /ui/sign-in/callback': 'sign-in',
  'POST /ui/sign-in/callback': 'everyone',
  'POST /ui/sign-in/issuer': 'everyone',
  'GET /ui/sign-in/issuer/callback': 'everyone',
  'POST /ui/sign-out': 'everyone',
  'GET /ui/runs': 'session',
  'GET /ui/runs/:id': 'session',
  'GET /ui/runs/:id/events': 'session',
  'POST /ui/runs/:id/confirm': 'session',
  'POST /ui/runs/:id/discard': 'session',
  'POST /ui/runs/:id/accept': 'session',
  'POST /ui/runs/:id/retry': 'session',
  'POST /ui/runs/:id/cancel': 'session',
  'POST /ui/runs/:id/rerun': 'session',
  'GET /ui/watch': 'session',
  'GET /ui/watch/:id': 'session',
  'GET /ui/deliveries': 'session',
  'GET /ui/deliveries/:id': 'session',
  'POST /ui/deliveries/:id/retry': 'session',
};

type Outcome = 'let in' | 'other namespace' | 'not signed in' | 'no task';
const outcomeFor = (kind: Kind, isOwn: boolean): Outcome => {
  if (kind === 'task') return 'no task';
  if (isOwn || kind === 'everyone') return 'let in';
  return kind === 'session' ? 'not signed in' : 'other namespace';
};

const namespaces = ['', 'team', 'team/a'];
const shown = (namespace: string) => namespace || 'root';

describeOnBothServers('policies of the same names in three namespaces', (service) => {
  describeOnPglite('with runs', (databases) => {
    const tokens = new Map<string, string>();
    let under: PlatformUnderTest;
    let client: ServiceClient;
    let integrator: Integrator;

    beforeAll(async () => {
      await write(service(), 'sys/namespaces/team', {});
      await write(service(), 'sys/namespaces/a', {}, 'team');
      for (const namespace of namespaces) {
        const policies = ['gatehouse-deploy', 'gatehouse-accept'];
        for (const name of policies) {
          const policy = 'path "*" { capabilities = ["sudo", "read", "update"] }';
          await write(service(), `sys/policies/acl/${name}`, { policy }, namespace || undefined);
        }
        const { auth } = await write(
          service(),
          'auth/token/create',
          { policies, display_name: 'ann' },
          namespace || undefined,
        );
        tokens.set(namespace, auth.client_token);
      }
      const database = await databases.openDatabase();
      under = await PlatformUnderTest.start(database);
      client = new ServiceClient({ address: service().address, maxRetries: 0 });
      integrator = new Integrator({
        database,
        queue: new Queue(database, {}),
        review: async () => fine,
        userAgent: 'test',
        outbound: new Outbound({ allowedOrigins: [] }),
        endpoints: [{ name: 'review', keys: ['a key'] }],
      });
    });
    afterAll(async () => {
      client?.close();
      await under?.close();
    });

    describe.each(namespaces)('where people are those of %j', (own) => {
      let gate: RunTaskServer;
      /** It waits for a person, with a task that did not pass. */
      let run: string;
      let task: string;

      beforeAll(async () => {
        const inOwn = client.with({ namespace: own });
        gate = await startRunTaskServer({
          routes: gateRoutes({
            integrator,
            platform: under.platform,
            database: under.database,
            secure: false,
            watched: { read: async () => [], changes: async () => [] },
            callers: new Callers({ clientOf: (token) => inOwn.with({ token }), namespace: own }),
            providers: {
              redirectUri: 'http://127.0.0.1/',
              methods: async () => [],
              revoke: async () => {},
              begin: async () => new URL('http://127.0.0.1/'),
              takeForm: async () => new URLSearchParams(),
              // The provider signed someone in, at the namespace that the code names.
              finish: async (query) => ({
                method: 'staff',
                to: '/ui/runs',
                token: tokens.get(query.get('code') ?? '') ?? '',
              }),
            },
          }),
          checkReady: async () => undefined,
        });
        under.reset();
        const acceptWith = { namespace: own, name: 'gatehouse-accept' };
        under.work.decisions = { confirm: 'always', acceptWith };
        const asked = await under.asked('post_plan');
        await callBack(asked.request, 'failed');
        run = asked.run.id;
        task = asked.request.task_result_id;
      });
      afterAll(async () => {
        await gate?.close();
        for (const { id } of await under.platform.readRuns({ stack: under.stack, limit: 10 })) {
          if (!isEnd((await under.platform.readRun(id)).status)) await under.cancel(id);
        }
      });

      /** What becomes of a request with a token of a namespace, wherever the route takes one. */
      const outcomeOf = async (
        browser: HttpBrowser,
        { method, path }: { method: string; path: string },
        of: string,
      ): Promise<Outcome> => {
        const token = tokens.get(of) ?? '';
        const at = path
          .replace(':endpoint', 'review')
          .replace(':run', run)
          .replace(':id', path.includes('task-results') ? task : run);
        const fields = { task, reason: 'nevertheless', token, stack: under.stack };
        const isPage = path.startsWith('/ui/');
        const query = path === '/ui/sign-in/callback' ? `?${new URLSearchParams({ code: of })}` : '';
        const answer = isPage
          ? await (method === 'GET'
              ? browser.send(at + query)
              : browser.post(at, { form_token: await browser.formToken(), ...fields }))
          : await fetch(gate.address + at, {
              method,
              redirect: 'manual',
              headers: { authorization: `Bearer ${token}` },
              ...(method !== 'GET' && { body: JSON.stringify(bodyFor(path, fields)) }),
            });
        const to = answer.headers.get('location') ?? '';
        const text = answer.headers.get('content-type') === 'text/event-stream' ? '' : await answer.text();
        if (!answer.bodyUsed) await answer.body?.cancel();
        if (answer.status === 401) return 'no task';
        if (answer.status === 403) {
          expect(text).toMatch(/not of the namespace|of another namespace|to another namespace/);
          return 'other namespace';
        }
        expect(answer.status).toBeLessThan(500);
        return /^\/ui\/sign-in\?(to=|notice=ended)/.test(to) ? 'not signed in' : 'let in';
      };
      const allOutcomes = async (of: string) => {
        const outcomes: Record<string, Outcome> = {};
        for (const route of gate.routes) {
          const browser = new HttpBrowser(gate.address);
          const name = `${route.method} ${route.path}`;
          if (rows[name] === 'session') await browser.submit('/ui/sign-in', { token: tokens.get(of) ?? '' });
          outcomes[name] = await outcomeOf(browser, route, of);
        }
        return outcomes;
      };

      test('every route has a row', () => {
        const routes = gate.routes.map(({ method, path }) => `${method} ${path}`);
        expect(routes.toSorted()).toEqual(Object.keys(rows).toSorted());
      });

      longTest.each(namespaces.filter((of) => of !== own).map((of) => [shown(of), of]))(
        'a token of %s is no one’s, at every endpoint and page',
        async (_, of) => {
          expect(await allOutcomes(of)).toEqual(
            Object.fromEntries(Object.entries(rows).map(([name, kind]) => [name, outcomeFor(kind, false)])),
          );
          const { status, decisions } = await under.platform.readRun(run);
          expect([status, decisions]).toEqual(['waiting_for_acceptance', []]);
          expect(await under.platform.readRuns({ stack: under.stack, limit: 10 })).toHaveLength(1);
        },
      );

      test(`a token of ${shown(own)} is let in, and decides`, async () => {
        const accept = { method: 'POST', path: '/runs/:id/accept' };
        expect(await outcomeOf(new HttpBrowser(gate.address), accept, own)).toBe('let in');
        expect(await allOutcomes(own)).toEqual(
          Object.fromEntries(Object.entries(rows).map(([name, kind]) => [name, outcomeFor(kind, true)])),
        );
        const { decisions } = await under.platform.readRun(run);
        expect(decisions.map(({ kind, by }) => `${by} ${kind}`)).toContain('token-ann accepted');
      });
    });
  });
});

/** The JSON of a request to the API, as its schema takes it. */
function bodyFor(path: string, { task, reason, stack }: Record<string, string>): object {
  if (path === '/runs') return { stack };
  if (path.endsWith('/accept') || path.endsWith('/retry')) return { task, reason };
  return {};
}
