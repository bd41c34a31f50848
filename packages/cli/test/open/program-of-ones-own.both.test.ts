import { generateKeyPairSync } from 'node:crypto';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { started } from '../../../../test/harness/started.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { watchedDrift } from '../../src/drift/drift-text.ts';
import { watchedStacks } from '../../src/serve/watched-stacks.ts';
import { failed, runCommand } from '../running-command.ts';

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = publicKey.export({ type: 'spki', format: 'pem' });

/** A program whose stack file has no `gatehouse:` keys; `rest` is what else it makes. */
const program = (rest = '') => `import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { AuthMethod } from '${root}components/auth-method.ts';
import { Policy } from '${root}components/policy.ts';
import { Role } from '${root}components/role.ts';

const config = new pulumi.Config('own');
const provider = new vault.Provider('service', { address: config.require('address') });
const deploy = new Policy('deploy', { name: 'deploy', text: 'path "secret/data/shop/*" { capabilities = ["read"] }' }, { provider });
const ci = new AuthMethod('ci', { path: 'ci', type: 'jwt', jwtValidationPubkeys: [${JSON.stringify(pem)}] }, { provider });
new Role('job', { method: ci.path, name: 'job', roleType: 'jwt', userClaim: 'sub', boundAudiences: ['x'], policies: [deploy.name], ttl: 600 }, { provider, dependsOn: ci });
${rest}`;

describeOnBothServers('a program of one’s own', (service) => {
  const folder = temporaryFolder({
    'Pulumi.yaml': 'name: own\nruntime: { name: nodejs, options: { typescript: false } }\n',
    'package.json': '{ "type": "module", "main": "index.ts" }',
  });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const env = () => ({
    ...process.env,
    VAULT_TOKEN: service().token,
    PULUMI_CONFIG_PASSPHRASE: 'own',
    NO_COLOR: '1',
  });
  const gatehouse = (...argv: string[]) => runCommand(argv, env(), folder);
  const client = started(async () => new ServiceClient(service()));
  const apply = async (rest = '') => {
    writeFileSync(join(folder, 'index.ts'), program(rest));
    writeFileSync(join(folder, 'Pulumi.prod.yaml'), `config:\n  own:address: ${service().address}\n`);
    expect(await gatehouse('up', '-s', 'prod', '--yes')).toMatchObject({ code: 0, err: '' });
  };

  test('has neither drift nor who-can before it is applied, and says what to do', async () => {
    writeFileSync(join(folder, 'Pulumi.prod.yaml'), `config:\n  own:address: ${service().address}\n`);
    for (const line of [['drift'], ['who-can', 'read', 'secret/data/shop/db']]) {
      const { code, err } = await gatehouse(...line, '-s', 'prod');
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('gatehouse up -s prod') });
      expect({ code, err }).toMatchObject(failed('environment_missing'));
    }
  });

  test('has no drift once it is applied', async () => {
    await apply();
    expect(await gatehouse('drift', '-s', 'prod')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/: no drift/),
    });
  });

  test('answers who can, from the state of its stack', async () => {
    const { code, out } = await gatehouse('who-can', 'read', 'secret/data/shop/db', '-s', 'prod');
    expect(out).toMatch(/role ci\/job/);
    expect(out).toContain('(state');
    expect(code).toBe(0);
    expect((await gatehouse('who-can', 'delete', 'secret/data/shop/db', '-s', 'prod')).code).toBe(2);
    const ofMatching = await gatehouse('who-can', 'read', 'secret/data/shop/db', '-s', 'pr*', '--json');
    expect(JSON.parse(ofMatching.out)).toMatchObject({ stacks: [{ stack: 'prod', source: 'state' }] });
  });

  test('finds what was changed by hand, in a watch too, and puts it back', async () => {
    const watched = () =>
      watchedStacks({
        checkout: folder,
        patterns: ['prod'],
        unmanaged: false,
        env: env(),
        describe: watchedDrift,
      }).read('own/prod', new AbortController().signal);
    expect(await watched()).toMatchObject({ outcome: 'ok', findings: [] });
    const role = (await client().read('auth/ci/role/job'))?.data ?? {};
    await client().put('auth/ci/role/job', { ...role, token_ttl: '24h' });
    expect(await watched()).toMatchObject({
      outcome: 'drift',
      findings: [expect.stringContaining('ttl: 1d')],
    });
    await client().delete('sys/policies/acl/deploy');
    const { code, out } = await gatehouse('drift', '-s', 'prod');
    expect(out).toMatch(/role ci\/job.*ttl: 1d, declared 10m/);
    expect(out).toMatch(/policy deploy/);
    expect(code).toBe(2);
    const fixed = await gatehouse('drift', '-s', 'prod', '--fix', '--yes');
    expect(fixed).toMatchObject({ err: '', out: expect.stringContaining('Done') });
    expect((await gatehouse('drift', '-s', 'prod')).code).toBe(0);
  });

  test('a role that it did not make is an addition', async () => {
    const role = (await client().read('auth/ci/role/job'))?.data ?? {};
    await client().put('auth/ci/role/other', role);
    const { code, out } = await gatehouse('drift', '-s', 'prod');
    expect({ code, out }).toEqual({ code: 2, out: expect.stringMatching(/role ci\/other/) });
    await client().delete('auth/ci/role/other');
  });

  test('what its state has encrypted is never said to be the same', async () => {
    await apply(
      `new AuthMethod('told', { path: 'told', type: 'jwt', description: pulumi.secret('x'), jwtValidationPubkeys: [${JSON.stringify(pem)}] }, { provider });`,
    );
    const { code, out } = await gatehouse('drift', '-s', 'prod');
    expect(out).toMatch(/method told: cannot be read. The state of the stack does not tell it in clear/);
    expect(code).toBe(1);
  });
});
