import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { environmentFor } from '../../../../test/harness/environment-under-test.ts';
import { someOf } from '../../../../test/harness/long-run.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { type TestKey, testKey } from '../../../core/test/statement/reviewed.ts';
import { runCommand } from '../running-command.ts';

const keys = { alice: testKey(), bob: testKey('ec'), mallory: testKey() };
const signer = (name: keyof typeof keys, key: TestKey = keys[name]) => ({
  ...{ name, key: key.publicPem, until: '2999-12-31' },
});

/** What the stack declares: one policy, and whose reviews count. */
const declared = (path: string, reviews?: object) => ({
  'gatehouse:policies': [{ name: 'shop', policy: `path "secret/${path}" { capabilities = ["read"] }` }],
  ...(reviews && { 'gatehouse:reviews': reviews }),
});

describeOnBothServers('a change of a stack that asks for signed reviews', (service) => {
  const environment = environmentFor(service);
  let folder: string;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  const declare = (config: object) =>
    writeFileSync(
      join(folder, 'Pulumi.dev.yaml'),
      stringify({
        config: {
          'gatehouse:service': { address: service().address, features: { messages: false } },
          ...config,
        },
      }),
    );
  const gatehouse = (...args: string[]) => runCommand([...args, '-C', folder], environment().env, folder);
  const sign = async (name: keyof typeof keys, ...args: string[]) => {
    const file = join(folder, `${name}.sigstore.json`);
    writeFileSync(join(folder, `${name}.pem`), keys[name].pem);
    const signing = ['--sign', join(folder, `${name}.pem`), '--statement', file];
    const { code, err } = await gatehouse('review', '-s', 'dev', ...signing, ...args);
    expect([code, err]).toEqual([0, '']);
    return file;
  };
  const up = (...statements: string[]) =>
    gatehouse('up', '-s', 'dev', '--yes', ...statements.flatMap((file) => ['--require-review', file]));
  const shop = async () => {
    const answer = await environment().client.read('sys/policies/acl/shop');
    return /secret\/(\w+)/.exec(JSON.stringify(answer?.data ?? ''))?.[1];
  };

  const reviews = { signers: [signer('alice'), signer('bob')], administration: 2 };

  beforeAll(async () => {
    folder = await environment().writeProject();
    writeFileSync(join(folder, '.gitignore'), '*.pem\n*.sigstore.json\n.gatehouse\n');
    git('init', '--quiet');
    declare(declared('one', reviews));
    git('add', '--all');
    git('commit', '--quiet', '--message', 'x');
    const { code, err } = await up(await sign('alice'));
    expect([code, err]).toEqual([0, expect.stringContaining('Reviewed and signed by alice.')]);
  });

  test('is refused without a statement, and with one about another plan', async () => {
    declare(declared('two', reviews));
    const { code, err } = await up();
    expect([code, err]).toEqual([1, expect.stringContaining('This change has no signed review that counts')]);
    const reviewed = await sign('alice');
    declare(declared('three', reviews));
    const other = await up(reviewed);
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('it is about another plan')]);
    expect(await shop()).toBe('one');
  });

  test('is applied once: after it, the state is another one', async () => {
    declare(declared('two', reviews));
    const there = await sign('alice');
    expect((await up(there)).code).toBe(0);
    expect(await shop()).toBe('two');
    declare(declared('one', reviews));
    expect((await up(await sign('bob'))).code).toBe(0);
    // The same steps, on the same values.
    declare(declared('two', reviews));
    const again = await up(there);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('the state has changed since')]);
    expect(await shop()).toBe('one');
  });

  const own: [string, object | undefined][] = [
    ['names a signer of its own', { signers: [signer('mallory')] }],
    ['asks for none', undefined],
    ['gives the name of a signer another key', { signers: [signer('alice', keys.mallory)] }],
  ];

  test.each(someOf(3, own))('does not choose who signs: it %s', async (what, chosen) => {
    declare(declared(what.replace(/\W/g, ''), chosen));
    const { code, err } = await up(await sign('mallory'));
    expect([code, err]).toEqual([1, expect.stringContaining('its key is not of one of the signers')]);
  });

  test('needs as many signers as administration does, where it changes who signs', async () => {
    declare(declared('both', { signers: [signer('mallory')] }));
    const alice = await sign('alice');
    const alone = await up(alice);
    expect([alone.code, alone.err]).toEqual([1, expect.stringContaining('2, as it gives administration')]);
    expect((await up(alice, await sign('bob'))).code).toBe(0);
    expect(await shop()).toBe('both');
  });

  test('is not applied to several stacks at once', async () => {
    declare(declared('several', reviews));
    const { code, out, err } = await gatehouse('up', '--all-stacks', '--yes');
    expect([code, out + err]).toEqual([1, expect.stringContaining('no signed review that counts')]);
    expect(await shop()).not.toBe('several');
  });
});
