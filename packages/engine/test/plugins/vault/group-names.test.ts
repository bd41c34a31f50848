import { describe, expect, test } from '@jest/globals';
import { GatehouseError } from '../../../../core/src/graph/values/errors.ts';
import { GroupNames } from '../../../src/plugins/vault/group-names.ts';

/** A service with some groups, which keeps what it was asked. */
function serviceWith(groups: string[], refusal?: Error) {
  const asked: string[] = [];
  const taken = new Set(groups);
  return {
    asked,
    taken,
    async read(path: string) {
      asked.push(`read ${path}`);
      const name = path.replace('identity/group/name/', '');
      const found = [...taken].find((group) => group.toLowerCase() === name.toLowerCase());
      return found === undefined ? undefined : { data: { id: `id of ${found}` } };
    },
    async list(path: string) {
      asked.push(`list ${path}`);
      if (refusal !== undefined) throw refusal;
      return taken.size === 0 ? undefined : { data: { keys: [...taken] } };
    },
  };
}

const numbered = (count: number, name = 'g') =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);
const findAll = (names: GroupNames, wanted: string[]) => Promise.all(wanted.map((name) => names.find(name)));
const denied = new GatehouseError({ code: 'permission_denied', what: 'no' });

describe('names of groups, looked up before groups are made', () => {
  test('a few are asked for one by one', async () => {
    const service = serviceWith([]);
    await findAll(new GroupNames(service), numbered(8));
    expect(service.asked).toEqual(numbered(8).map((name) => `read identity/group/name/${name}`));
  });

  test('many share one list', async () => {
    const service = serviceWith(['other']);
    const found = await findAll(new GroupNames(service), numbered(200));
    expect(found.filter((group) => group !== undefined)).toEqual([]);
    expect(service.asked.slice(8)).toEqual(['list identity/group/name']);
  });

  test('a name in the list is asked for: the group may be gone, and its id is told', async () => {
    const service = serviceWith(['taken']);
    const names = new GroupNames(service);
    await findAll(names, numbered(9));
    await expect(names.find('taken')).resolves.toEqual({ data: { id: 'id of taken' } });
    service.taken.delete('taken');
    await expect(names.find('taken')).resolves.toBeUndefined();
  });

  test.each([
    ['Staff', 'staff'],
    ['İzmir', 'izmir'],
    ['ΟΔΟΣ', 'οδοσ'],
  ])('%s and %s are one name, as for the service', async (there, wanted) => {
    const service = serviceWith([there]);
    const names = new GroupNames(service);
    await findAll(names, numbered(9));
    await names.find(wanted);
    expect(service.asked.at(-1)).toBe(`read identity/group/name/${wanted}`);
  });

  test('a name that was found free before is asked for: its group has been made since', async () => {
    const service = serviceWith([]);
    const names = new GroupNames(service);
    await findAll(names, numbered(9));
    await names.find('twice');
    service.taken.add('twice');
    await expect(names.find('twice')).resolves.toBeDefined();
  });

  test('a list that is five seconds old is asked for again', async () => {
    let now = 0;
    const service = serviceWith([]);
    const names = new GroupNames(service, () => now);
    await findAll(names, numbered(9));
    service.taken.add('new');
    now = 5001;
    await expect(names.find('new')).resolves.toEqual({ data: { id: 'id of new' } });
    expect(service.asked.filter((asked) => asked.startsWith('list'))).toHaveLength(2);
  });

  test('where the token may not list, all are asked for one by one', async () => {
    const service = serviceWith(['g99'], denied);
    const names = new GroupNames(service);
    const found = await findAll(names, numbered(100));
    expect(found.filter((group) => group !== undefined)).toEqual([{ data: { id: 'id of g99' } }]);
    await names.find('later');
    expect(service.asked.filter((asked) => asked.startsWith('list'))).toHaveLength(1);
  });

  test('a list that fails for another reason fails those that wait for it, and is tried again', async () => {
    const service = serviceWith([], new Error('unreachable'));
    const names = new GroupNames(service);
    await findAll(names, numbered(8));
    await expect(names.find('a')).rejects.toThrow('unreachable');
    await expect(names.find('b')).rejects.toThrow('unreachable');
    expect(service.asked.filter((asked) => asked.startsWith('list'))).toHaveLength(2);
  });
});
