import { beforeAll, expect, test } from '@jest/globals';
import { changeByHand } from '../../../../test/harness/dev-plans.ts';
import type { DevConfig } from '../../../../test/harness/environment-under-test.ts';
import { describeWithPulumi } from '../../../../test/harness/pulumi/pulumi.ts';
import { started } from '../../../../test/harness/started.ts';
import type { ServiceClient } from '../../../service-client/src/service-client.ts';
import type { DeploymentResult, Step } from '../../src/engine.ts';
import { reported } from './report.ts';
import { StackOnBoth } from './stack-on-both.ts';
import type { Verb } from './two-engines.ts';
import { describeOnTwoOfEach } from './two-of-each.ts';

interface Run {
  what: string;
  verb: Verb;
  refresh?: true;
  /** What becomes of the configuration, from now on. */
  edit?: (config: DevConfig) => void;
  /** What is done on the service by hand before. */
  byHand?: (client: ServiceClient) => Promise<void>;
}

const provider = (config: DevConfig, name: string) =>
  config['providers'].find((one: { name: string }) => one.name === name);
const without = (list: { name: string }[], name: string) => list.filter((one) => one.name !== name);

/** What the CLI streams is one step for each operation on a resource, as many as it counts, with the states that each has. */
function expectWhole(steps: Step[], changes: DeploymentResult['changes']): void {
  const keys = steps.map(({ op, urn, refreshed }) => `${refreshed ? 'refresh ' : ''}${op} ${urn}`);
  expect(new Set(keys).size).toBe(keys.length);
  const counted = steps.filter(
    ({ op, refreshed }) =>
      // Steps of a refresh count where nothing comes after them; parts of a replacement never do.
      (refreshed !== true || steps.every((step) => step.refreshed)) &&
      !['create-replacement', 'delete-replaced'].includes(op),
  );
  expect(Object.values(changes).reduce((total, count) => total + count, 0)).toBe(counted.length);
  for (const { op, oldState, newState } of steps) {
    expect([op, oldState !== undefined]).toEqual([op, op !== 'create']);
    if (op !== 'refresh') expect([op, newState !== undefined]).toEqual([op, !/^delete/.test(op)]);
  }
}

/** A preview, then an `up`, of a change. */
const applied = (what: string, edit: (config: DevConfig) => void): Run[] => [
  { what: `preview: ${what}`, verb: 'preview', edit },
  { what: `up: ${what}`, verb: 'up' },
];

const runs: Run[] = [
  { what: 'the first preview', verb: 'preview' },
  { what: 'the first up', verb: 'up' },
  { what: 'a preview without a change', verb: 'preview' },
  ...applied('roles of a provider live longer', (config) => {
    for (const role of provider(config, 'cluster').roles) role.ttl = '15m';
  }),
  {
    what: 'a preview with a refresh, after changes by hand',
    verb: 'preview',
    refresh: true,
    byHand: (client) => changeByHand({ client }),
  },
  { what: 'a refresh', verb: 'refresh' },
  { what: 'an up after it', verb: 'up' },
  ...applied('a mount at another path', (config) => {
    provider(config, 'cluster').path = 'kubernetes';
  }),
  ...applied('a role more', (config) => {
    provider(config, 'cluster').roles.push({ ...provider(config, 'cluster').roles[0], name: 'more' });
  }),
  ...applied('a role less', (config) => {
    const cluster = provider(config, 'cluster');
    cluster.roles = without(cluster.roles, 'more');
  }),
  ...applied('a group with other policies and another alias', (config) => {
    Object.assign(provider(config, 'staff').groups[0], {
      policies: ['secrets-read', 'secrets-admin'],
      alias: '00000000-0000-0000-c000-000000000047',
    });
  }),
  ...applied('a group of another name, and one more', (config) => {
    provider(config, 'community').groups = [
      { name: 'keepers', policies: ['secrets-admin'], alias: 'admins' },
      { name: 'readers', policies: ['secrets-read'], alias: 'everyone' },
    ];
  }),
  ...applied('another text of a policy, and a policy of another name', (config) => {
    const [read, , login] = config['policies'];
    read.policy = 'path "secret/data/*" { capabilities = ["read", "list"] }';
    delete read.file;
    login.name = 'sign-in-admin';
    provider(config, 'staff').roles.find(({ name }: any) => name === 'admin').policies = ['sign-in-admin'];
  }),
  ...applied('another client secret, description and default role', (config) => {
    config['clientSecrets'].staff = 'another-secret';
    provider(config, 'staff').description = 'Colleagues';
    provider(config, 'staff').defaultRole = 'admin';
  }),
  ...applied('a provider less', (config) => {
    config['providers'] = without(config['providers'], 'partners');
    delete config['clientSecrets'].partners;
  }),
  ...applied('messages changed, gone and new', (config) => {
    const messages = config['messages'] ?? [];
    if (messages.length === 0) return;
    messages[0].message = 'Another text.';
    messages.splice(1, 2, { ...messages[2], title: 'New terms' });
  }),
  { what: 'destroy', verb: 'destroy' },
  { what: 'up again', verb: 'up' },
];

describeOnTwoOfEach('the dev stack on the real engine and the local one', (services) => {
  describeWithPulumi('each with a service of its own', 'newest', (home) => {
    const report = reported('dev stack');
    const edits: ((config: DevConfig) => void)[] = [];
    const stack = started(() => StackOnBoth.start(home(), services()));
    beforeAll(async () => {
      report.programs++;
    });

    test.each(runs)('$what', async ({ verb, refresh, edit, byHand }) => {
      if (edit) {
        edits.push(edit);
        report.edits++;
      }
      if (byHand) await stack().byHand(byHand);
      const { steps, changes, errors, found } = await stack().run(
        verb,
        (config) => {
          for (const one of edits) one(config);
        },
        refresh,
      );
      report.ran(steps.length, found.length);
      expect([errors, found]).toEqual([[], []]);
      expectWhole(steps, changes);
    });
  });
});
