import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DeploymentRequest } from '../../packages/engine/src/engine.ts';
import { LocalEngine } from '../../packages/engine/src/local/local-engine.ts';
import {
  type EmbeddedIdentityProvider,
  startIdentity,
} from '../../packages/secrets-service/src/identity-provider/identity.ts';
import { ServiceClient } from '../../packages/service-client/src/service-client.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';

const directory = fileURLToPath(new URL('./programs/auth-method', import.meta.url));

describeOnBothServers('an auth method whose mount is replaced', (service) => {
  let identity: EmbeddedIdentityProvider;
  let home: string;
  let client: ServiceClient;

  beforeAll(async () => {
    identity = await startIdentity();
    home = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    client = new ServiceClient(service());
  });
  afterAll(async () => {
    client.close();
    await identity.close();
    await rm(home, { recursive: true, force: true });
  });

  async function up(config: Record<string, string>) {
    const env = {
      ...process.env,
      VAULT_ADDR: service().address,
      VAULT_TOKEN: service().token,
      PULUMI_CONFIG_PASSPHRASE: 'test',
    };
    const stack = {
      directory,
      project: 'auth-method',
      main: '.',
      name: 'test',
      home,
      // The passphrase `test`, so that the state can hold the client secret.
      encryptionSalt: 'v1:XT+aEQ5rY8I=:v1:GnZsnK7ePteWBmas:P7Sz1+xdqgC9UCW6FTNDo8G3ipPK0g==',
      config: new Map(
        Object.entries({ issuer: identity.issuers.hosted_identity_platform, ...config }).map(
          ([key, value]) => [`auth-method:${key}`, { value, secret: false }],
        ),
      ),
    };
    const request = {
      verb: 'up' as const,
      stack,
      dryRun: false,
      refresh: false,
      targets: [],
    } satisfies DeploymentRequest;
    const result = await new LocalEngine({ env }).run(request);
    expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    return result.steps
      .filter(({ op }) => op !== 'same')
      .map(({ op, urn }) => `${op} ${urn.split('::').at(-1)}`)
      .sort();
  }

  async function roles(path: string) {
    return ((await client.list(`auth/${path}/role`))?.data['keys'] as string[]).sort();
  }
  async function accessor(path: string) {
    return ((await client.read(`sys/auth/${path}`))?.data as any).accessor;
  }
  async function alias() {
    const { key_info } = (await client.list('identity/group-alias/id'))?.data as any;
    return Object.values(key_info).map(({ mount_accessor }: any) => mount_accessor);
  }

  test('has every role afterwards, and its alias follows the new accessor', async () => {
    await up({ type: 'oidc' });
    const before = await accessor('people');
    expect(await roles('people')).toEqual(['reader', 'writer']);

    await up({ type: 'jwt' });
    expect(await roles('people')).toEqual(['reader', 'writer']);
    expect((await client.read('auth/people/role/reader'))?.data).toMatchObject({
      role_type: 'jwt',
      token_policies: ['reader'],
    });
    const after = await accessor('people');
    expect(after).not.toBe(before);
    expect(await alias()).toEqual([after]);
    expect(await up({ type: 'jwt' })).toEqual([]);
  });

  test('keeps its roles and its accessor when it is moved to another path', async () => {
    const before = await accessor('people');
    await up({ type: 'jwt', path: 'staff' });
    expect(await roles('staff')).toEqual(['reader', 'writer']);
    expect(await accessor('staff')).toBe(before);
    expect(await up({ type: 'jwt', path: 'staff' })).toEqual([]);
  });

  test('has its roles changed at the new path', async () => {
    expect(await up({ type: 'jwt', path: 'staff', policy: 'other' })).toEqual([
      'update people-reader',
      'update people-reader-role',
      'update people-writer',
      'update people-writer-role',
    ]);
    expect((await client.read('auth/staff/role/reader'))?.data['token_policies']).toEqual(['other']);
  });
  test('keeps its alias when its resource gets a name of its own: only the component has changed', async () => {
    const settings = {
      type: 'jwt',
      path: 'staff',
      policy: 'other',
      aliasResource: 'people-team-id-groupalias',
    };
    expect(await up(settings)).toEqual(['update team']);
    expect(await alias()).toEqual([await accessor('staff')]);
  });
});
