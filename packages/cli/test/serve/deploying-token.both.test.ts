import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { environmentFor } from '../../../../test/harness/environment-under-test.ts';
import { longTest } from '../../../../test/harness/long-run.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { openStatement } from '../../../core/src/statement/open-statement.ts';
import { signerOf } from '../../../core/src/statement/sign-statement.ts';
import { policy, statement } from '../../../core/test/statement/reviewed.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { type Served, serve } from '../../src/serve/serve.ts';
import { declared, keys, ReviewedStack, signer } from '../statement/reviewed-stack.ts';

/** What the deploying token may do, and what a colleague may. */
const policies = {
  writer: 'path "*" { capabilities = ["create", "read", "update", "delete", "list", "sudo"] }',
  reader:
    'path "*" { capabilities = ["read", "list"] } path "auth/token/lookup-self" { capabilities = ["read"] }',
};

describeOnBothServers('a gate that has the deploying token', (service) => {
  const environment = environmentFor(service);
  let stack: ReviewedStack;
  let served: Served;
  /** Variables of a colleague, who may read and ask the gate. */
  let colleague: NodeJS.ProcessEnv;
  const reviews = {
    signers: [signer('alice'), signer('bob')],
    deployingToken: { policies: ['writer'], ttl: '5m', uses: 100 },
  };
  let paths = 0;
  /** A change that no one has made yet. */
  const change = (deployingToken?: object) => {
    paths += 1;
    stack.declare(declaredFor(`change${paths}`, deployingToken));
    return `change${paths}`;
  };
  const declaredFor = (path: string, deployingToken: object = reviews.deployingToken) =>
    declared(path, { ...reviews, deployingToken });
  const ask = (statements: string[], ...args: string[]) =>
    stack.run(['deploying-token', ...statements, '-s', 'dev', ...args], colleague);
  const refusal = async (...asked: Parameters<typeof ask>) => {
    const { code, out, err } = await ask(...asked);
    expect([code, out]).toEqual([1, '']);
    return err;
  };

  beforeAll(async () => {
    stack = await ReviewedStack.start(environment(), declared('first', reviews));
    const { client, env } = environment();
    for (const [name, text] of Object.entries(policies))
      await client.put(`sys/policies/acl/${name}`, { policy: text });
    const { auth } = await client.post('auth/token/create', { policies: ['reader', 'gatehouse-deploy'] });
    served = await serve({
      directory: stack.folder,
      home: temporaryFolder(),
      port: 0,
      host: '127.0.0.1',
      version: '1.2.3',
      env: { ...env, VAULT_ADDR: service().address },
      endpoints: [],
      signer: signerOf(keys.bob.pem),
      logTo: { write: () => {} },
    });
    colleague = { VAULT_TOKEN: String(auth?.['client_token']), GATEHOUSE_PLATFORM_ADDRESS: served.address };
  });
  afterAll(() => served.close());

  longTest('gives it for a signed review, and it applies what was reviewed', async () => {
    const path = change({ policies: ['writer', 'reader'], uses: 5000 });
    const alice = await stack.sign('alice');
    change();
    expect(await refusal([alice])).toContain('it is about another plan');
    stack.declare(declaredFor(path, { policies: ['writer', 'reader'], uses: 5000 }));
    const { code, out, err } = await ask([alice]);
    expect([code, err]).toEqual([0, '']);
    const token = out.trim();
    const client = new ServiceClient({ address: service().address, token });
    // What the change itself says of the token does not count yet.
    expect((await client.read('auth/token/lookup-self'))?.data).toMatchObject({
      policies: ['writer'],
      explicit_max_ttl: 300,
      renewable: false,
      num_uses: 99,
    });
    const up = await stack.up([alice], { VAULT_TOKEN: token, TERRAFORM_VAULT_SKIP_CHILD_TOKEN: 'true' });
    expect([up.code, await stack.shop()]).toEqual([0, path]);
  });

  test('gives it for a plan file, for the stack that its review names', async () => {
    const file = join(stack.folder, 'plan of mine');
    writeFileSync(file, 'the plan');
    const digest = createHash('sha256').update('the plan').digest('hex');
    const place = { project: 'gatehouse', name: 'dev', service: service().address, namespace: '' };
    const signed = async (name: string) => {
      const about = { stack: { ...place, name }, state: undefined, declared: undefined };
      const given = statement({ ...about, timeCreated: new Date().toISOString() }, digest);
      const path = join(stack.folder, `${name}.sigstore.json`);
      writeFileSync(path, await signerOf(keys.alice.pem).sign(given));
      return path;
    };
    expect(await refusal([await signed('prod')], '--plan', file)).toContain('it is for stack gatehouse/prod');
    expect((await ask([await signed('dev')], '--plan', file)).code).toBe(0);
    expect(await refusal([await signed('dev')], '--plan', file)).toContain('the change was let in at');
  });

  longTest(
    'gives none for a plan of the stack as if it were a file: its state would not be compared',
    async () => {
      change();
      const alice = await stack.sign('alice');
      const text = readFileSync(alice, 'utf8');
      const opened = openStatement(text, { ...policy(), signers: [signer('alice')] });
      if (typeof opened === 'string') throw new Error(opened);
      const asked = { stack: 'dev', statements: [text], file: opened.statement.subject[0].digest.sha256 };
      const answer = await fetch(`${served.address}/deploying-tokens`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${colleague['VAULT_TOKEN']}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(asked),
      });
      expect([answer.status, await answer.text()]).toEqual([
        422,
        expect.stringContaining('not about a file'),
      ]);
    },
  );

  longTest('signs the reviews of deployments itself', async () => {
    change();
    const planned = await stack.run(
      ['deploy', '-s', 'dev', '--speculative', '--allow-uncommitted'],
      colleague,
    );
    expect(planned.err).toBe('');
    const answer = await fetch(`${served.address}/reviews?stack=dev`, {
      headers: { authorization: `Bearer ${colleague['VAULT_TOKEN']}` },
    });
    const { reviews: kept } = (await answer.json()) as { reviews: { statement: string; run: string }[] };
    const [newest] = kept;
    const bob = { signers: [signer('bob')] };
    expect(openStatement(newest?.statement ?? '', { ...policy(), ...bob })).toMatchObject({
      statement: {
        predicate: { stack: { name: 'dev' }, verdict: 'passed', judgedOn: { source: 'service' } },
      },
    });
    const file = join(stack.folder, 'gate.sigstore.json');
    writeFileSync(file, newest?.statement ?? '');
    expect((await ask([file])).code).toBe(0);
    expect(await refusal([file])).toContain('the change was let in at');
  });

  test('tells the trail what became of the reviews that it keeps', async () => {
    const { err, out } = await stack.run(['history', 'role', 'ci/web', '-s', 'dev'], colleague);
    expect(err).toBe('');
    expect(out).toMatch(
      /^role ci\/web: 1 reviewed change [\s\S]*\n {2}Signed by alice .*\n[\s\S]*Token given to .*, 20/,
    );
  });
});
