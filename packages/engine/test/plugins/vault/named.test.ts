import { expect, test } from '@jest/globals';
import { describeResource, testLifecycle, types } from './resource-session.ts';

describeResource('Policy (terraform-provider-vault vault/resource_policy.go)', types.policy, (bed) => {
  const session = () => bed.session('reader');
  const text = '# a comment\npath "kv/*" { capabilities = ["read"] }  \n';

  const other = 'path "other/*" { capabilities = ["list"] }';

  let count = 0;
  testLifecycle(bed, () => ({ name: `reader${++count}`, policy: text }));

  test('an autonamed one is written under its autoname', async () => {
    const policy = await session().create({ policy: text });
    expect(policy.id).toMatch(/^reader-[0-9a-f]{7}$/);
    await expect(bed.service.read(`sys/policies/acl/${policy.id}`)).resolves.toBeDefined();
  });

  test('its text changes in place', async () => {
    const policy = await session().create({ name: 'changing', policy: text });
    await expect(policy.differences({ name: 'changing', policy: '' })).resolves.toEqual({
      policy: 'update',
    });
    await policy.update({ name: 'changing', policy: 'path "x" { capabilities = ["list"] }' });
    expect((await bed.service.read('sys/policies/acl/changing'))?.data['policy']).toContain('"list"');
  });

  test('a create overwrites one of that name', async () => {
    await bed.service.put('sys/policies/acl/taken', { policy: other });
    await session().create({ name: 'taken', policy: text });
    expect((await bed.service.read('sys/policies/acl/taken'))?.data['policy']).toBe(text);
  });

  test('changed by hand, it is a difference', async () => {
    const policy = await session().create({ name: 'drifting', policy: text });
    await bed.service.put('sys/policies/acl/drifting', { policy: other });
    await policy.refresh();
    expect(policy.inputs['policy']).toBe(other);
    await expect(policy.differences({ name: 'drifting', policy: text })).resolves.toEqual({
      policy: 'update',
    });
  });

  test('a text the service refuses is an error', async () => {
    await expect(session().create({ name: 'bad', policy: 'path {' })).rejects.toThrow(/HTTP 400/);
  });
});
