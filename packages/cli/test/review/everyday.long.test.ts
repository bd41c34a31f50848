import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startClusterDouble } from '../../../../test/harness/doubles/cluster.ts';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { readPlan } from '../../../core/src/review/plan/read-plan.ts';
import { jsonReport } from '../../../core/src/review/reports/json.ts';
import { review } from '../../../core/src/review/review.ts';
import { listen } from '../../../host/src/listen.ts';
import {
  type EmbeddedIdentityProvider,
  startIdentity,
} from '../../../secrets-service/src/identity-provider/identity.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { wholeLiveGraph } from '../../src/open/open-graph.ts';
import { type AppliedPlan, OnService, withIds } from './everyday/on-service.ts';
import { plans, shared, textOf, town } from './everyday/plans.ts';
import { abilities, pathsOf, reviewOf, signInsOf } from './everyday/sign-ins.ts';

const folder = `${root}/packages/core/test/review/cases`;
const expected: Record<string, { gains: [string]; losses: string[] }> = JSON.parse(
  readFileSync(`${folder}/expected.json`, 'utf8'),
).terraform;
const unseen: Record<string, string> = { 'r-11-ttl-shorter': 'how long tokens live' };

const ofCases = Object.entries(expected).flatMap(([id, { gains, losses }]) =>
  id.startsWith('r-')
    ? {
        id,
        gains: gains[0],
        losses,
        there: shared[id] ?? [],
        unseen: unseen[id],
        text: readFileSync(`${folder}/terraform/${id}.json`, 'utf8'),
      }
    : [],
);
const own = Object.entries(plans).map(([id, plan]) => {
  const { gains, losses = 'none', unseen } = plan.expects;
  const either = losses === 'any' ? ['none', 'some'] : [losses];
  return { id, gains, losses: either, unseen, there: plan.there ?? [], text: textOf(plan) };
});

/** A double: methods that OpenBao does not have, in front of one that has all else. */
const notThere: Record<string, object> = {
  'auth/ldap/groups': { keys: [] },
  'auth/ldap/users': { keys: [] },
  'auth/aws/roles': { keys: [] },
  'auth/gh/map/teams': { keys: ['core'] },
  'auth/gh/map/teams/core': { key: 'core', value: 'deploy,wide' },
  'auth/gh/map/users': { keys: [] },
};
const types: Record<string, string> = { ldap: 'ldap', aws: 'aws', gh: 'github' };

describeWithOpenBao('everyday plans, on top of a service that is set up as they say', (server) => {
  let identity: EmbeddedIdentityProvider;
  let cluster: Awaited<ReturnType<typeof startClusterDouble>>;
  let clusterAddress = '';
  let doubled = '';
  const at = (address = server().address) => new ServiceClient({ address, token: server().token });
  const double = createServer(async (request, response) => {
    const path = (request.url ?? '').replace(/^\/v1\/|\?.*$/g, '');
    const headers = {
      'x-vault-token': server().token,
      'x-vault-namespace': String(request.headers['x-vault-namespace']),
    };
    const answer = await fetch(`${server().address}${request.url}`, {
      method: request.method ?? '',
      headers,
    });
    const body: any = await answer.json();
    if (path === 'sys/auth')
      for (const [mount, type] of Object.entries(types))
        body.data[`${mount}/`] = { type, accessor: `acc_${mount}` };
    const found = notThere[path];
    response.writeHead(found === undefined ? answer.status : 200);
    response.end(JSON.stringify(found === undefined ? body : { data: found }));
  });

  beforeAll(async () => {
    const claims = { open_source_identity_server: { groups: ['shop', 'pay'] } };
    const redirectUris = [
      'http://localhost:8250/oidc/callback',
      'https://vault.example.com/ui/vault/auth/staff/oidc/callback',
    ];
    identity = await startIdentity({
      people: [{ username: 'alice', email: 'a@example.com', name: 'Alice', groups: [], claims }],
      clients: { open_source_identity_server: [{ clientId: 'vault', clientSecret: 's', redirectUris }] },
    });
    cluster = await startClusterDouble(() => ({
      status: 201,
      body: reviewOf(cluster.asked.at(-1)?.body.spec.token),
    }));
    clusterAddress = JSON.parse(cluster.kubeconfig).clusters[0].cluster.server;
    doubled = `http://127.0.0.1:${await listen(double, 0)}`;
  });
  afterAll(async () => {
    double.close();
    cluster.close();
    await identity.close();
  });

  /** With addresses that answer. */
  const local = <Value>(value: Value): Value =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll('https://git.example.com', identity.issuers.open_source_identity_server)
        .replaceAll('https://cluster.example', clusterAddress),
    );

  it.each([...ofCases, ...own])('$id', async ({ id, text, gains, losses, there, unseen }) => {
    const plan: AppliedPlan = local(JSON.parse(text));
    /** A namespace that is as the plan says it is before. */
    const setUp = async (when: string) => {
      const namespace = `${id.replaceAll(/[^a-z0-9]+/g, '-')}-${when}`;
      await at().put(`sys/namespaces/${namespace}`, {});
      const client = at().with({ namespace });
      const service = new OnService(client);
      for (const [type, side] of local([...town, ...there])) await service.write(type, side);
      await service.setUp(plan);
      return { namespace, client, service };
    };
    const before = await setUp('before');

    const read = at(unseen?.endsWith('a double') ? doubled : undefined).with({ namespace: before.namespace });
    const live = { namespace: '', ...(await wholeLiveGraph(read)) };
    const planned = readPlan(JSON.stringify(withIds(plan, before.service.ids)));
    const found = review(planned, { now: BigInt(Date.now()) * 1_000_000n, live });
    const report = jsonReport(found, 'error');
    // What people can do is compared with how long their tokens live as well.
    expect([id, report.life === 'longer' ? 'some' : report.gains]).toEqual([id, gains]);
    expect(losses).toContain(report.losses);
    const undecided = report.findings.flatMap(({ rule, message }) =>
      rule === 'cannot-be-judged' ? message : [],
    );
    if (gains !== 'unknown' && !losses.includes('unknown')) expect(undecided).toEqual([]);
    if (gains === 'unknown' || unseen !== undefined) return;

    const after = await setUp('after');
    await after.service.apply(plan);
    const signIns = new Map([...(await signInsOf(before.client)), ...(await signInsOf(after.client))]);
    const paths = [...new Set([...(await pathsOf(before.client)), ...(await pathsOf(after.client))])];
    const could = await abilities(before.client, signIns, paths);
    const can = await abilities(after.client, signIns, paths);
    expect(could.size + can.size).toBeGreaterThan(0);
    const gained = [...can].filter((one) => !could.has(one));
    const lost = [...could].filter((one) => !can.has(one));
    expect([gained, gained.length > 0]).toEqual([gained, gains === 'some']);
    expect([lost, losses.includes(lost.length > 0 ? 'some' : 'none') || losses[0] === 'unknown']).toEqual([
      lost,
      true,
    ]);
  });
});
