import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildImage } from '../../scripts/image.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';
import { root } from '../harness/environment-under-test.ts';
import { packedOnce } from '../harness/packed.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

/** What builds and runs the image here, from Debian. Without root, podman needs more than Debian has it bring along. */
const isPossible =
  process.getuid?.() === 0 &&
  ['buildah', 'podman', 'runc', 'catatonit'].every(
    (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined,
  );

(isPossible ? describe : describe.skip)('the container image', () => {
  let folder: string;
  let image: string;
  let config: Record<string, any>;

  beforeAll(async () => {
    folder = temporaryFolder();
    const archive = join(folder, 'image.tar');
    image = buildImage((await packedOnce()).gatehouse, archive);
    await succeed('load', '--quiet', '--input', archive);
    config = JSON.parse(await succeed('image', 'inspect', image))[0];
  }, 900_000);
  afterAll(async () => {
    await podman('rm', '--all', '--force', '--time', '0');
  });

  async function podman(...words: string[]) {
    const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')];
    const system = ['--tmpdir', join(folder, 'tmp'), '--runtime', 'runc', '--cgroup-manager', 'cgroupfs'];
    const running = spawn('podman', [...store, ...system, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err, [code]] = await Promise.all([
      text(running.stdout),
      text(running.stderr),
      once(running, 'close'),
    ]);
    return { code, out, err };
  }
  async function succeed(...words: string[]): Promise<string> {
    const { code, out, err } = await podman(...words);
    if (code !== 0) throw new Error(`podman ${words.join(' ')} ended with ${code}:\n${out}${err}`);
    return out.trim();
  }
  /** Nothing can be written but what is mounted, and nothing is permitted. */
  const strict = [
    '--read-only',
    '--read-only-tmpfs=false',
    '--cap-drop=all',
    '--security-opt=no-new-privileges',
    // Where podman may not raise limits it must be told some; what calls health checks is systemd.
    '--ulimit',
    'nofile=1024:1024',
    '--ulimit',
    'nproc=1024:1024',
    '--no-healthcheck',
  ];
  const run = (options: string[], command: string[] = []) =>
    podman('run', '--rm', ...strict, ...options, image, ...command);
  const inNode = (program: string) =>
    run(['--network=none', '--entrypoint', 'node'], ['--input-type=module', '--eval', program]);
  /** Starts `serve` with nothing but its own loopback; its data is in this volume. */
  const serve = async (container: string, volume: string, ...args: string[]) => {
    const key = ['--env', 'GATEHOUSE_RUN_TASK_KEY=only-an-example'];
    const options = [...strict, '--network=none', ...key, '-v', volume, ...args];
    await succeed('run', '--detach', '--name', container, ...options, image);
  };
  /** Of the image's own health check. */
  const health = async (container: string) =>
    (await podman('exec', container, ...config['Healthcheck'].Test.slice(1))).code;

  test('has the version, and says what made it', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(await run(['--network=none'], ['--version'])).toMatchObject({ code: 0, out: `${version}\n` });
    expect(config['Config'].Labels).toMatchObject({
      'org.opencontainers.image.title': 'Gatehouse',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.revision': expect.stringMatching(/^[0-9a-f]{40}$/),
    });
  });

  test('runs as nobody of the machine, and can write to its data only', async () => {
    const tried = await inNode(`
      import { accessSync, constants } from 'node:fs';
      const writable = (path) => { try { accessSync(path, constants.W_OK); return true; } catch { return false; } };
      const paths = ['/', '/data', '/etc', '/tmp', '/project', '/node_modules', '/usr/local/bin/node'];
      console.log(JSON.stringify([process.getuid(), process.getgid(), paths.filter(writable)]));`);
    expect(JSON.parse(tried.out)).toEqual([65532, 65532, ['/data']]);
  });

  test('has no program but Node.js: no shell, no package manager', async () => {
    const listed = await inNode(`
      import { readdirSync } from 'node:fs';
      const folders = ['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local/bin'];
      const list = (path) => { try { return readdirSync(path); } catch { return []; } };
      console.log(JSON.stringify([folders.flatMap(list), list('/node_modules').includes('npm')]));`);
    expect(JSON.parse(listed.out)).toEqual([['node'], false]);
  });

  test('names the packages of Debian that it has parts of', async () => {
    const listed = await inNode(
      `import { readdirSync } from 'node:fs'; console.log(readdirSync('/var/lib/dpkg/status.d').join());`,
    );
    expect(listed.out.trim().split(',').sort()).toEqual(['libc6', 'libgcc-s1', 'libstdc++6']);
  });

  test('serves run tasks, is healthy, and ends in order by SIGTERM and by SIGINT, as the first process', async () => {
    for (const signal of ['TERM', 'INT']) {
      // The second finds the data of the first.
      await serve(signal, 'served:/data');
      await until(async () => (await health(signal)) === 0);
      await succeed('kill', '--signal', signal, signal);
      expect(await succeed('wait', signal)).toBe('0');
    }
  });

  test('ends by Ctrl-C as the first process, where the command does nothing about it', async () => {
    const waits = ['--interactive', '--network=none', '--name', 'waits', image, 'review', '-'];
    await succeed('run', '--detach', ...strict, ...waits);
    // Node.js listens only once it runs: until then the kernel drops the signal.
    await until(async () => {
      await podman('kill', '--signal', 'INT', 'waits');
      return (await succeed('inspect', '--format', '{{.State.Status}}', 'waits')) === 'exited';
    });
    expect(await succeed('wait', 'waits')).toBe('130');
  });

  test('ends by SIGTERM at once with --init', async () => {
    await serve('early', 'early:/data', '--init');
    await succeed('kill', '--signal', 'TERM', 'early');
    expect(['0', '143']).toContain(await succeed('wait', 'early'));
  });

  test('is not healthy where nothing serves', async () => {
    const [, program = '', ...words] = config['Healthcheck'].Test;
    expect((await run(['--network=none', '--entrypoint', program], words)).code).toBe(1);
  });

  test('reviews a plan', async () => {
    const plans = ['-v', `${join(root, 'examples/plans')}:/project:ro`, '--network=none'];
    const { code, out } = await run(plans, ['review', 'terraform-plan.json']);
    expect({ code, out }).toEqual({
      code: 2,
      out: expect.stringMatching(/^✗ \d+ errors\. \d+ .* gain access/),
    });
  });

  test('deploys the program of a folder that has no packages', async () => {
    const project = join(folder, 'project');
    mkdirSync(project);
    for (const [name, text] of Object.entries(projectFiles)) writeFileSync(join(project, name), text);
    chmodSync(project, 0o755);
    const service = await startEmbeddedService();
    const options = [
      '--network=host',
      '-v',
      `${project}:/project:ro`,
      '-v',
      'deployed:/data',
      '--env',
      `VAULT_TOKEN=${service.token}`,
      '--env',
      `GATEHOUSE_SERVICE_ADDRESS=${service.address}`,
    ];
    const up = await run(options, ['up', '-s', 'dev', '--yes']);
    await service.close();
    expect(up).toMatchObject({ code: 0, out: expect.stringMatching(/2 created/) });
  });
});

/** A team's own program, as `gatehouse new` writes it. */
const projectFiles = {
  'Pulumi.yaml': 'name: team\nruntime: { name: nodejs, options: { typescript: false } }\n',
  'package.json': '{ "type": "module", "main": "index.ts" }',
  'index.ts': `import { buildEnvironment } from 'gatehouse-login';
export const { address, methods, groups, policies, messages } = await buildEnvironment(import.meta.dirname);
`,
  'Pulumi.dev.yaml': `config:
  gatehouse:service: { address: http://127.0.0.1:8200 }
  gatehouse:policies: [{ name: secrets-read, policy: 'path "secret/*" { capabilities = ["read"] }' }]
`,
};
