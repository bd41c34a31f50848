import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { DeploymentRequest, DeploymentResult } from '../../engine/engine.ts';
import { LocalEngine } from '../../engine/local/local-engine.ts';
import type { ResourceState } from '../../engine/resource-state.ts';
import { MemoryStateStore } from '../engine/local/memory-state-store.ts';
import { changes, type DevConfig, environmentFor } from '../harness/environment-under-test.ts';
import { describeOnEmbeddedService } from '../harness/two-servers.ts';
import { recordedRun } from '../recorded/recorded.ts';

const componentType = 'gatehouse:index:ExternalGroup';
const groupType = 'vault:identity/group:Group';
const aliasType = 'vault:identity/groupAlias:GroupAlias';

type Groups = { name: string; alias: string; policies?: string[] }[];

/** How the versions before named the `ExternalGroup` of a group and the resource of its alias. */
type Naming = (provider: string, group: string, alias: string) => { component: string; alias: string };
const lastNaming: Naming = (provider, group, alias) => ({
  component: `${provider}-${group.toLowerCase()}`,
  alias: `${provider}-${alias.toLowerCase()}-groupalias`,
});
const firstNaming: Naming = (provider, group) => ({
  component: `${provider}-${group}`,
  alias: `${provider}-${group}-alias`,
});

/** Turns the groups of a state into what an earlier version made of them: each in a component of its own. */
function madeByEarlierVersion(rows: ResourceState[], naming: Naming): ResourceState[] {
  const urns = new Map<string, string>();
  const components = new Map<string, ResourceState>();
  const within = ({ urn, parent = '' }: ResourceState, type: string, name: string) => {
    const [stack, project, types] = parent.split('::') as [string, string, string];
    const made = `${stack}::${project}::${types}$${type}::${name}`;
    if (urn !== '') urns.set(urn, made);
    return made;
  };
  for (const row of rows.filter(({ type }) => type === aliasType)) {
    const group = rows.find(({ urn }) => row.dependencies.includes(urn) && urn.includes(groupType));
    if (group === undefined) throw new Error(`no group of ${row.urn}`);
    const provider = String(row.parent).split('::').at(-1) as string;
    const names = naming(provider, String(group.inputs['name']), String(row.inputs['name']));
    const urn = within({ ...row, urn: '' }, componentType, names.component);
    const outputs = { groupId: group.id as string };
    components.set(urn, {
      ...(rows.find(({ urn: one }) => one === row.parent) as ResourceState),
      ...{ urn, type: componentType, parent: row.parent, outputs, dependencies: [] },
    });
    within(group, `${componentType}$${groupType}`, `${names.component}-group`);
    within(row, `${componentType}$${aliasType}`, names.alias);
    for (const child of [group, row]) child.parent = urn;
  }
  const renamed = (urn: string) => urns.get(urn) ?? urn;
  return [
    ...rows.filter(({ custom }) => !custom),
    ...components.values(),
    ...rows
      .filter(({ custom }) => custom)
      .map((row) => ({
        ...row,
        urn: renamed(row.urn),
        dependencies: row.dependencies.map(renamed),
        propertyDependencies: Object.fromEntries(
          Object.entries(row.propertyDependencies).map(([key, of]) => [key, of.map(renamed)]),
        ),
      })),
  ];
}

describeOnEmbeddedService('groups in a state of an earlier version', (service) => {
  const environment = environmentFor(service);
  let store: MemoryStateStore;
  const first: Groups = [
    { name: 'Red', alias: 'One', policies: ['secrets-read'] },
    { name: 'green', alias: 'two' },
    { name: 'blue', alias: 'three' },
  ];

  beforeEach(() => {
    store = new MemoryStateStore();
  });
  afterEach(async () => {
    await run('destroy');
  });

  const stack = (groups?: Groups) =>
    environment().stack((config: DevConfig) => {
      if (groups === undefined) return;
      config['providers'] = config['providers'].filter(({ name }: { name: string }) => name === 'community');
      config['clientSecrets'] = { community: config['clientSecrets'].community };
      config['serviceAccountKeys'] = {};
      config['promises'] = [];
      config['providers'][0].groups = groups;
    });

  const run = async (
    verb: DeploymentRequest['verb'],
    groups?: Groups,
    more: Partial<DeploymentRequest> = {},
  ): Promise<DeploymentResult> => {
    const engine = new LocalEngine({ env: environment().env, openStore: () => store });
    const request = { verb, stack: stack(groups), dryRun: verb === 'preview', refresh: false };
    const result = await engine.run({ ...request, targets: [], ...more });
    expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    return result;
  };

  /** What a version before left: on the service, and in state. */
  async function before(naming: Naming, groups?: Groups): Promise<void> {
    await run('up', groups);
    const rows = madeByEarlierVersion(store.rows, naming);
    store = new MemoryStateStore();
    store.record({ put: rows });
  }

  /** Group → its alias and its id, on the service. */
  async function live(): Promise<Record<string, [alias: string, id: string]>> {
    const { key_info = {} } = ((await environment().client.list('identity/group/id'))?.data ?? {}) as any;
    return Object.fromEntries(
      Object.entries<any>(key_info).map(([id, { name, alias }]) => [name, [alias?.name ?? '', id]]),
    );
  }

  const leftovers = () => store.rows.filter(({ urn, parent = '' }) => (urn + parent).includes(componentType));

  test('that state has the shape of the one that a real engine recorded', async () => {
    await before(firstNaming);
    const urns = (all: { urn: string }[]) =>
      [...new Set(all.map(({ urn }) => urn).filter((urn) => urn.includes(componentType)))].sort();
    expect(urns(store.rows)).toEqual(urns(recordedRun('noop').steps));
  });

  test.each([
    ['the last one', lastNaming, ['community-red', 'community-green', 'community-blue']],
    ['the first one', firstNaming, ['community-Red', 'community-green', 'community-blue']],
  ])('stay as they are, and only their components go, after %s', async (_, naming, components) => {
    await before(naming, first);
    const found = await live();
    const deleted = components.map((name) => `delete ${name}`).sort();
    expect(changes(await run('preview', first))).toEqual(deleted);
    expect(changes(await run('up', first))).toEqual(deleted);
    expect(await live()).toEqual(found);
    expect(leftovers()).toEqual([]);
    expect(changes(await run('preview', first, { refresh: true }))).toEqual([]);
  });

  test('a group is renamed and two swap their aliases in the same update', async () => {
    await before(lastNaming, first);
    await run('up', [
      { name: 'crimson', alias: 'three' },
      { name: 'green', alias: 'One' },
      { name: 'blue', alias: 'two' },
    ]);
    const after = await live();
    expect(Object.fromEntries(Object.entries(after).map(([group, [alias]]) => [group, alias]))).toEqual({
      crimson: 'three',
      green: 'One',
      blue: 'two',
    });
    expect(leftovers()).toEqual([]);
  });

  test('a group keeps its id while its alias goes to another', async () => {
    await before(lastNaming, first);
    const found = await live();
    const steps = changes(await run('up', [first[0]!, { name: 'blue', alias: 'two' }]));
    expect(steps.filter((step) => step.includes('red') || step.includes('blue-group'))).toEqual([
      'delete community-red',
    ]);
    const after = await live();
    expect(after['Red']).toEqual(found['Red']);
    expect(after['blue']).toEqual(['two', found['blue']?.[1]]);
  });

  test('only what is a target is carried over, and the rest later', async () => {
    await before(lastNaming, first);
    const found = await live();
    const { urn } = store.row('community-contributor') ?? {};
    await run('up', first, { targets: [String(urn)] });
    expect(await live()).toEqual(found);
    await run('up', first);
    expect(await live()).toEqual(found);
    expect(leftovers()).toEqual([]);
  });

  test('are taken down whole', async () => {
    await before(lastNaming, first);
    await run('destroy', first);
    expect(await live()).toEqual({});
    expect(store.rows).toEqual([]);
  });
});
