import { afterEach, expect, test } from '@jest/globals';
import { drift } from '../../packages/cli/src/drift/drift.ts';
import type { BoundClaims } from '../../packages/core/src/graph/resources/bound-claims.ts';
import { LocalEngine } from '../../packages/engine/src/local/local-engine.ts';
import { changes, type DevConfig, environmentFor } from '../harness/environment-under-test.ts';
import { reviewStack } from '../harness/review-stack.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';

describeOnBothServers('typed bound claims', (service) => {
  const environment = environmentFor(service);
  const typed: BoundClaims = { protected: true, project: 42, ref: ['main', 'release, 1'], level: ['a', 7] };
  const subject = 'system:serviceaccount:shop:web';

  afterEach(async () => {
    await environment().run('destroy', stack());
  });

  const stack = (boundClaims?: BoundClaims, fields: object = {}) =>
    environment().stack((config: DevConfig) => {
      const cluster = config['providers'].find(({ name }: { name: string }) => name === 'cluster');
      const web = cluster.roles.find(({ name }: { name: string }) => name === 'web');
      config['providers'] = [
        { ...cluster, roles: [{ ...web, ...fields, ...(boundClaims && { boundClaims }) }] },
      ];
      config['clientSecrets'] = {};
      config['serviceAccountKeys'] = {};
      config['promises'] = [];
    });

  /** Applies it, and finds nothing left to do, on the service either. */
  async function up(boundClaims?: BoundClaims, fields: object = {}): Promise<string[]> {
    const wanted = stack(boundClaims, fields);
    const done = await environment().up(wanted);
    expect(changes(await environment().run('preview', wanted, { refresh: true }))).toEqual([]);
    const { differences } = await drift({ stack: wanted, env: environment().env, unmanaged: false });
    expect(differences).toEqual([]);
    return done;
  }

  const role = async () => (await environment().client.read('auth/cluster/role/web'))?.data;

  async function signIn(claims: Record<string, unknown>): Promise<string> {
    const jwt = await environment().identity.signWorkloadToken({ subject, claims });
    return environment()
      .client.post('auth/cluster/login', { role: 'web', jwt })
      .then(
        () => 'signed in',
        (error: Error) => (/does not match|missing/.exec(error.message) ?? [error.message])[0],
      );
  }

  test('are on the service as they are in the YAML, and compared by type', async () => {
    expect(await up(typed)).toContain('create cluster-web');
    expect((await role())?.['bound_claims']).toEqual(typed);
    const right = { protected: true, project: 42, ref: 'release, 1', level: 'a' };
    expect(await signIn(right)).toBe('signed in');
    expect(await signIn({ ...right, protected: 'true' })).toBe('does not match');
    expect(await signIn({ ...right, project: '42' })).toBe('does not match');
    expect(await signIn({ ...right, ref: 'release' })).toBe('does not match');
  });

  const replaced = ['create-replacement cluster-web', 'delete-replaced cluster-web', 'replace cluster-web'];

  test('a role goes from texts to them and back: it is deleted and created again, and nothing is left of before', async () => {
    await up({ ref: 'main' }, { tokenNumUses: 3, claimMappings: { a: 'b' }, maxAge: 60 });
    expect(await up(typed)).toEqual(replaced);
    expect(await role()).toMatchObject({
      bound_claims: typed,
      token_num_uses: 0,
      claim_mappings: {},
      max_age: 0,
    });
    expect(await up({ ref: 'main' })).toEqual(replaced);
    expect((await role())?.['bound_claims']).toEqual({ ref: ['main'] });
    await up(typed);
    expect(await up()).toEqual(replaced);
    expect((await role())?.['bound_claims']).toBeNull();
  });

  test('a changed type is a change, found on the service and in the YAML', async () => {
    await up(typed);
    const changed = { ...typed, protected: 'true' };
    expect(changes(await environment().run('preview', stack(changed)))).toEqual(['update cluster-web']);
    await environment().client.put('auth/cluster/role/web', { ...(await role()), bound_claims: changed });
    const { differences } = await drift({ stack: stack(typed), env: environment().env, unmanaged: false });
    expect(differences.map(({ subject, field }) => [subject.name, field])).toEqual([['web', 'boundClaims']]);
    await environment().run('up', stack(typed), { refresh: true });
    expect((await role())?.['bound_claims']).toEqual(typed);
  });

  test('a review judges the role as what it will be', async () => {
    await up({ protected: 'true' });
    const engine = new LocalEngine({ env: environment().env });
    const review = await reviewStack(stack({ protected: true }), engine, { now: 0n }, environment().env);
    expect(review.findings.filter(({ rule }) => rule === 'cannot-be-judged')).toEqual([]);
    expect(JSON.stringify(review)).toContain('protected');
    expect(JSON.stringify(review)).not.toContain('write to auth');
  });

  test('a role of a method that moves, and changes from texts to them meanwhile, is at the new path', async () => {
    await up({ ref: 'main' });
    const elsewhere = (boundClaims: BoundClaims) => {
      const { config, ...rest } = stack(boundClaims);
      const providers = JSON.parse(config.get('gatehouse:providers')?.value ?? '');
      const value = JSON.stringify([{ ...providers[0], path: 'elsewhere' }]);
      return { ...rest, config: new Map([...config, ['gatehouse:providers', { value, secret: false }]]) };
    };
    await environment().up(elsewhere(typed));
    const there = await environment().client.read('auth/elsewhere/role/web');
    expect(there?.data['bound_claims']).toEqual(typed);
    expect(changes(await environment().run('preview', elsewhere(typed), { refresh: true }))).toEqual([]);
    await environment().run('up', elsewhere({ ref: 'main' }));
    expect((await environment().client.read('auth/elsewhere/role/web'))?.data['bound_claims']).toEqual({
      ref: ['main'],
    });
  });
});
