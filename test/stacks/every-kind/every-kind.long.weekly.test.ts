import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type DriftReport, drift } from '../../../packages/cli/src/drift/drift.ts';
import { openDeclared } from '../../../packages/cli/src/open/open-environment.ts';
import { whoCan } from '../../../packages/cli/src/who-can/who-can.ts';
import { kindById, type ProviderKind, providerKinds } from '../../../packages/core/src/graph/kinds/kinds.ts';
import type { WhoCanReport } from '../../../packages/core/src/review/who-can.ts';
import { pipelineCases } from '../../../packages/core/test/graph/kinds/pipeline-kinds.ts';
import type { DeploymentResult } from '../../../packages/engine/src/engine.ts';
import type { Stack } from '../../../packages/engine/src/stack.ts';
import {
  type Client,
  developmentClient,
} from '../../../packages/secrets-service/src/identity-provider/development.ts';
import { signWorkloadToken } from '../../../packages/secrets-service/src/identity-provider/workload-issuer.ts';
import { changes, EnvironmentUnderTest } from '../../harness/environment-under-test.ts';
import { PrivateIssuer } from '../../harness/private-issuer.ts';
import { describeOnBothServers } from '../../harness/two-servers.ts';
import { kindsThatTake } from './steps.ts';

// Every ✓ of docs/providers.md is one test here on each of two servers.

/** What a kind asks for beyond what the embedded identity provider knows of it. */
const asked: Partial<Record<ProviderKind, object>> = {
  access_management_suite: { scopes: ['profile', 'email'] },
  hosted_identity_platform: { groupsClaim: kindById('hosted_identity_platform').groupsClaim },
};
const isForPeople = (kind: ProviderKind) => kindById(kind).methodType === 'oidc';
const forPeople = providerKinds.filter(isForPeople);
const audience = 'secrets';

/** What a role of a kind for workloads says of them, and the token of one that it lets in. */
function workloadOf(kind: ProviderKind): { role: object; subject: string; claims: Record<string, unknown> } {
  if (kind === 'container_orchestrator') {
    const subject = 'system:serviceaccount:shop:web';
    return { role: { namespace: 'shop', serviceAccount: 'web', audience }, subject, claims: {} };
  }
  const { role = { boundSubject: 'robot-7' }, claims = {} } = pipelineCases[kind] ?? {};
  return { role, subject: 'robot-7', claims };
}

describeOnBothServers('every kind', (service) => {
  /** Of all kinds for workloads. */
  const server = new PrivateIssuer();
  /** At all kinds for people. */
  const client: Client = { ...developmentClient };
  let environment: EnvironmentUnderTest;
  let stack: Stack;
  let previewed: DeploymentResult;
  let applied: DeploymentResult;

  function providerOf(kind: ProviderKind): object {
    const groups = kindsThatTake('groups').includes(kind)
      ? [{ name: `${kind}-admins`, alias: groupOf(kind), policies: ['secrets-admin'] }]
      : [];
    const shared = { kind, name: kind, ...(groups.length > 0 && { groups }) };
    const role = { name: 'reader', policies: ['secrets-read'], ttl: '10m' };
    if (isForPeople(kind)) {
      const { issuer = {} } = kindById(kind).embedded ?? {};
      return { ...shared, ...issuer, ...asked[kind], clientId: client.clientId, roles: [role] };
    }
    const audiences =
      kind === 'jwt' ? { audiences: [audience] } : kind === 'container_orchestrator' ? {} : { audience };
    const source = { issuer: server.issuer.url, caPem: server.caPem, ...audiences };
    return { ...shared, ...source, roles: [{ ...role, ...workloadOf(kind).role }] };
  }

  /** The name that the tokens of a kind have for the group of administrators. */
  function groupOf(kind: ProviderKind): string {
    return kindById(kind).embedded?.groupIds?.['admins'] ?? 'admins';
  }

  async function policiesOfWorkload(kind: ProviderKind): Promise<unknown> {
    const { subject, claims } = workloadOf(kind);
    const jwt = await signWorkloadToken(kind, server.issuer, {
      subject,
      audience,
      claims: { ...claims, groups: [groupOf(kind)] },
    });
    const { auth } = await environment.client.post(`auth/${kind}/login`, { role: 'reader', jwt });
    return auth?.['policies'];
  }

  const policiesOf = async (kind: ProviderKind) =>
    isForPeople(kind)
      ? (await environment.signInAlice(kind, 'reader'))['policies']
      : await policiesOfWorkload(kind);

  const stackWith = (clientSecret: string) =>
    environment.stack((config) => {
      config['providers'] = providerKinds.map(providerOf);
      config['clientSecrets'] = Object.fromEntries(forPeople.map((kind) => [kind, clientSecret]));
      for (const key of ['messages', 'serviceAccountKeys', 'promises']) delete config[key];
    });

  beforeAll(async () => {
    await server.start();
    environment = await EnvironmentUnderTest.start(
      service(),
      Object.fromEntries(forPeople.map((kind) => [kind, [client]])),
    );
    stack = stackWith(client.clientSecret);
    previewed = await environment.run('preview', stack);
    expect(previewed.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    applied = await environment.run('up', stack);
    expect(applied.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  }, 120_000);
  afterAll(async () => {
    await environment?.close();
    server.close();
  });

  test.each(kindsThatTake('declare'))('%s: declare', async (kind) => {
    const { graph } = await openDeclared(stack, environment.env);
    const roles = graph.roles.filter(({ method }) => method === kind);
    expect(roles.map(({ name }) => name)).toEqual(['reader']);
  });

  const ofKind = ({ steps }: DeploymentResult, kind: ProviderKind) =>
    changes({ steps } as DeploymentResult).filter((step) => step.includes(` ${kind}-`));

  test.each(kindsThatTake('preview'))('%s: preview', (kind) => {
    expect(ofKind(previewed, kind)).toEqual(
      expect.arrayContaining([`create ${kind}-mount`, `create ${kind}-reader`]),
    );
  });

  test.each(kindsThatTake('apply'))('%s: apply', (kind) => {
    expect(ofKind(applied, kind)).toEqual(ofKind(previewed, kind));
  });

  test.each(kindsThatTake('sign in'))('%s: sign in', async (kind) => {
    expect(await policiesOf(kind)).toEqual(expect.arrayContaining(['default', 'secrets-read']));
  });

  test.each(kindsThatTake('groups'))('%s: groups', async (kind) => {
    expect(await policiesOf(kind)).toContain('secrets-admin');
  });

  describe('who-can', () => {
    let report: WhoCanReport;
    beforeAll(async () => {
      const question = { capability: 'read' as const, path: 'secret/data/shop' };
      const now = BigInt(Date.now()) * 1_000_000n;
      report = await whoCan(question, { from: 'live', stack, env: environment.env }, now);
    });
    test.each(kindsThatTake('who-can'))('%s: who-can', (kind) => {
      const found = report.abilities.find(({ by }) => by.kind === 'role' && by.method === kind);
      expect(found).toMatchObject({ can: 'yes', policies: ['secrets-read'] });
    });
  });

  describe('drift', () => {
    let found: DriftReport;
    let left: DriftReport;
    beforeAll(async () => {
      for (const kind of providerKinds) {
        const path = `auth/${kind}/role/reader`;
        const { data } = (await environment.client.read(path)) ?? {};
        await environment.client.put(path, { ...data, token_policies: ['secrets-admin'] });
      }
      found = await drift({ stack, env: environment.env, unmanaged: false });
      await environment.run('up', stack, { refresh: true });
      left = await drift({ stack, env: environment.env, unmanaged: false });
    }, 120_000);
    test.each(kindsThatTake('drift'))('%s: drift', (kind) => {
      const of = ({ differences }: DriftReport) =>
        differences.filter(({ subject }) => subject.method === kind).map(({ field }) => field);
      expect([of(found), of(left)]).toEqual([['policies'], []]);
    });
  });

  // Of people's kinds the client secret, of workloads' the key that signs: sign-ins go on while both count, and after.
  describe('rotate', () => {
    const policiesOfAll = async () =>
      new Map(await Promise.all(providerKinds.map(async (kind) => [kind, await policiesOf(kind)] as const)));
    let during: Map<ProviderKind, unknown>;
    let after: Map<ProviderKind, unknown>;
    beforeAll(async () => {
      client.otherSecrets = ['the new secret'];
      await server.rotate();
      during = await policiesOfAll();
      stack = stackWith('the new secret');
      await environment.run('up', stack);
      Object.assign(client, { clientSecret: 'the new secret', otherSecrets: [] });
      after = await policiesOfAll();
    }, 120_000);
    test.each(kindsThatTake('rotate'))('%s: rotate', (kind) => {
      const policies = expect.arrayContaining(['default', 'secrets-read']);
      expect([during.get(kind), after.get(kind)]).toEqual([policies, policies]);
    });
  });

  describe('destroy', () => {
    let before: string[];
    let after: string[];
    const names = async () => {
      const { mounts, roles, groups, aliases } = await environment.live();
      return [...mounts, ...roles, ...groups, ...aliases];
    };
    beforeAll(async () => {
      before = await names();
      await environment.run('destroy', stack);
      after = await names();
    }, 120_000);
    test.each(kindsThatTake('destroy'))('%s: destroy', (kind) => {
      const isOf = (name: string) => name.includes(kind);
      expect(before.filter(isOf)).toEqual(expect.arrayContaining([`${kind}/`, `${kind}/reader`]));
      expect(after.filter(isOf)).toEqual([]);
    });
  });
});
