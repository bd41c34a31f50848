import { beforeAll, describe, expect, test } from '@jest/globals';
import { toSnakeCase } from '../../core/model/values/wire.ts';
import { named, type Registration, register } from '../harness/pulumi-mocks.ts';
import { make, plainArgs } from '../providers/provider-fixture.ts';

describe('B4. Group alias', () => {
  let registered: Registration[];
  const alias = () => named(registered, 'it-00000000-0000-0000-c000-000000000046-groupalias').inputs;

  beforeAll(async () => {
    const groups = [{ name: 'admins', alias: '00000000-0000-0000-c000-000000000046' }];
    registered = await register(() => make('cloud_directory', { ...plainArgs.cloud_directory, groups }));
  });

  test('B4 name: the provider’s identifier of the group, the object id of the directory group', () => {
    expect(alias()['name']).toBe('00000000-0000-0000-c000-000000000046');
  });

  test('B4 mount_accessor: the accessor of the OIDC mount', () => {
    expect(toSnakeCase('mountAccessor')).toBe('mount_accessor');
    expect(alias()['mountAccessor']).toBe('accessor-of-it-mount');
  });

  test('B4 canonical_id: the id of the external group', () => {
    expect(toSnakeCase('canonicalId')).toBe('canonical_id');
    expect(alias()['canonicalId']).toBe('it-admins-group-id');
    expect(named(registered, 'it-admins-group').inputs['type']).toBe('external');
  });
});
