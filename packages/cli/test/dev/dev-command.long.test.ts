import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { certificate } from '../../../../test/harness/certificate.ts';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { specifiedKinds } from '../../../core/test/environment/environment-fixture.ts';
import { statePath } from '../../../engine/src/local/state-store.ts';
import { readStack } from '../../../engine/src/stack-files/read-stack.ts';
import { listen } from '../../../host/src/listen.ts';

describe('gatehouse dev --exit', () => {
  /** Its own environment, so that nothing of the machine's (a Python, a token) can play a part. */
  function dev(home: string, ports: string[], ...args: string[]) {
    return devWith({}, home, ports, ...args);
  }

  function devWith(variables: NodeJS.ProcessEnv, home: string, ports: string[], ...args: string[]) {
    return spawnSync(
      process.execPath,
      [join(root, 'packages/cli/gatehouse.mjs'), 'dev', '--exit', ...ports, '-C', root, ...args],
      { encoding: 'utf8', env: { PATH: '/nowhere', GATEHOUSE_HOME: home, ...variables } },
    );
  }
  const anyPorts = ['--port', '0', '--identity-port', '0', '--run-task-port', '0'];

  /** Ports that are free now, so that two starts can have the same. */
  async function freePorts(): Promise<string[]> {
    const servers = [createServer(), createServer(), createServer()];
    const ports = await Promise.all(servers.map((server) => listen(server, 0)));
    await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    return anyPorts.map((argument, at) => (argument === '0' ? `${ports[(at - 1) / 2]}` : argument));
  }

  test('applies the eight kinds, signs a person and a workload in, says so and stops with 0', () => {
    const { status, stdout, stderr } = dev(temporaryFolder(), anyPorts);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout.split('\n').length).toBeLessThanOrEqual(13);
    expect(stdout).toMatch(/Applied +8 auth methods, 10 roles, 2 external groups, 3 policies, 6 messages/);
    expect(stdout).toMatch(/Run task review +! 12 /);
    expect(stdout).toMatch(/alice, as role staff\/reader: default, secrets-admin, secrets-read/);
    expect(stdout).toMatch(/system:serviceaccount:shop:web, as role cluster\/web: default, secrets-read/);
  });

  test('works in a clone with a file that is not committed, behind a proxy, which loopback is not; --json prints the same', () => {
    const clone = join(temporaryFolder(), 'clone');
    execFileSync('git', ['clone', '--quiet', root, clone]);
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
    appendFileSync(join(clone, 'Pulumi.dev.yaml'), '# tried out\n');
    const proxy = 'http://127.0.0.1:9';
    const variables = {
      PATH: process.env['PATH'],
      http_proxy: proxy,
      https_proxy: proxy,
      HTTPS_PROXY: proxy,
      NODE_USE_ENV_PROXY: '1',
    };
    const ran = devWith(variables, temporaryFolder(), anyPorts, '-C', clone, '--json');
    const { status, stdout, stderr } = ran;
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const report = JSON.parse(stdout);
    expect(report.methods.map(({ kind }: { kind: string }) => kind).sort()).toEqual(
      [...specifiedKinds].sort(),
    );
    expect(report.person.policies).toEqual(['default', 'secrets-admin', 'secrets-read']);
    expect(report.workload.policies).toEqual(['default', 'secrets-read']);
    expect(report.messages.active).toContain('Development');
    expect(report.messages.scheduled).toEqual(['New sign-in page']);
    expect(report.messages.ended).toEqual(['Migration']);
    const [task, ...rest] = report.run.tasks;
    expect([task, rest]).toMatchObject([
      { name: 'review', stage: 'post_plan', enforcement: 'mandatory', status: 'passed' },
      [],
    ]);
    const descriptions = task.outcomes.map(({ description }: { description: string }) => description);
    expect(descriptions).toContainEqual(expect.stringContaining('The message is shown before sign-in'));
    expect(descriptions).toContainEqual(expect.stringMatching(/^role cluster\/backup: – → /));
  });

  test('a second start finds its data, and changes nothing; one whose engine state is gone begins anew', async () => {
    const [home, ports] = [temporaryFolder(), await freePorts()];
    const first = JSON.parse(dev(home, ports, '--json').stdout);
    expect(first.run).toMatchObject({ status: 'applied', hasChanges: true });
    let before = first;
    let second = dev(home, ports, '--json');
    // Other tests write to this checkout meanwhile: then the program runs again, which changes nothing, and the next start knows it.
    for (let attempt = 0; attempt < 3 && !JSON.parse(second.stdout).isUnchanged; attempt += 1) {
      before = JSON.parse(second.stdout);
      expect(before.run).toMatchObject({ status: 'planned_and_finished', hasChanges: false });
      second = dev(home, ports, '--json');
    }
    expect(second.stderr).toBe('');
    expect(JSON.parse(second.stdout)).toMatchObject({
      token: first.token,
      isUnchanged: true,
      run: { id: before.run.id },
    });
    expect(dev(home, ports).stdout).toMatch(
      /Applied before +8 auth methods.*\n(?:Unchanged +nothing to plan or to review since run run-|Run task review)/,
    );
    const changed = devWith({ GATEHOUSE_TRACES: '1' }, home, ports, '--json');
    expect(JSON.parse(changed.stdout)).toMatchObject({
      isUnchanged: false,
      run: { status: 'planned_and_finished', hasChanges: false },
    });
    const stack = await readStack(root, 'dev', { PULUMI_CONFIG_PASSPHRASE: 'gatehouse' });
    rmSync(statePath({ ...stack, home }));
    const third = dev(home, ports, '--json');
    expect({ status: third.status, stderr: third.stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(third.stdout).run).toMatchObject({ status: 'applied', hasChanges: true });
  });

  test('with a certificate and its key the service speaks TLS, and all of it works as before', () => {
    const files = temporaryFolder({ 'cert.pem': certificate?.cert ?? '', 'key.pem': certificate?.key ?? '' });
    const [certPath, keyPath] = [join(files, 'cert.pem'), join(files, 'key.pem')];
    const options = ['--tls-cert', certPath, '--tls-key', keyPath];
    const { status, stdout, stderr } = dev(temporaryFolder(), anyPorts, ...options, '--json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { address, variables, person } = JSON.parse(stdout);
    expect(address).toMatch(/^https:/);
    expect(variables).toMatchObject({ VAULT_CACERT: certPath });
    expect(person.policies).toContain('secrets-admin');
  });

  test('a certificate without its key is refused', () => {
    const { status, stderr } = dev(temporaryFolder(), anyPorts, '--tls-cert', 'cert.pem');
    expect(status).toBe(1);
    expect(stderr).toContain('--tls-cert and --tls-key go together');
  });

  test('a port in use is a clear error, before anything is made', async () => {
    const server = createServer();
    const port = await listen(server, 0);
    const { status, stdout, stderr } = dev(temporaryFolder(), ['--port', `${port}`, ...anyPorts.slice(2)]);
    await new Promise((done) => server.close(done));
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(`cannot listen on port ${port} of 127.0.0.1: something listens there already`);
    expect(stderr).toContain('choose another port with --port (0: any), or GATEHOUSE_SERVICE_ADDRESS');
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});
