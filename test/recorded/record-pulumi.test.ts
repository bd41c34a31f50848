import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { record } from '../../scripts/recording/record.ts';
import { runs } from '../../scripts/recording/runs.ts';
import { type Machine, scrub } from '../../scripts/recording/scrub.ts';
import { root } from '../harness/environment-under-test.ts';
import { callEvents, type JsonObject, type Recording } from './recorded.ts';
import { installRecordingCliDouble } from './recording-cli-double.ts';

const newFolder = () => mkdtemp(join(tmpdir(), 'gatehouse-recordings-'));
const textOf = async (folder: string, name: string) =>
  gunzipSync(await readFile(join(folder, name))).toString();

describe('recording with the CLI on the PATH', () => {
  test('makes each recording as it is here, and nothing in them is of this machine', async () => {
    const to = await newFolder();
    const files = await record({ to, env: await installRecordingCliDouble() });
    const here = (await readdir(import.meta.dirname)).filter((name) => name.endsWith('.gz'));
    // The calls of the first preview were not recorded then.
    expect([...new Set([...here, 'preview-create.grpc.jsonl.gz'])].sort()).toEqual(files.sort());
    for (const name of here) {
      const [now, then] = await Promise.all([textOf(to, name), textOf(import.meta.dirname, name)]);
      if (name.includes('.state.')) expect(JSON.parse(now)).toEqual(JSON.parse(then));
      else expect({ name, same: now === then }).toEqual({ name, same: true });
    }
    for (const name of files) {
      const text = await textOf(to, name);
      expect([tmpdir(), homedir(), root].filter((place) => text.includes(`${place}/`))).toEqual([]);
    }
  });

  test('writes nothing where the CLI fails, and says what it said', async () => {
    const to = await newFolder();
    const env = await installRecordingCliDouble({ failsAt: 'up-update' });
    await expect(record({ to, env })).rejects.toMatchObject({
      code: 'recording_failed',
      message: expect.stringContaining('the backend is gone'),
    });
    expect(await readdir(to)).toEqual([]);
  });

  test('says that there is no CLI', async () => {
    const env = { ...process.env, PATH: await newFolder() };
    await expect(record({ to: await newFolder(), env })).rejects.toMatchObject({
      code: 'pulumi_cli_missing',
    });
  });
});

test.each(runs.filter(({ recording, verb }) => recording !== undefined && verb === 'up'))(
  'the stack’s file before $recording declares what was registered then',
  async ({ recording, edit = (yaml) => yaml }) => {
    const { config } = parse(edit(await readFile(join(root, 'Pulumi.dev.yaml'), 'utf8')));
    const cluster = config['gatehouse:providers'].find(({ name }: { name: string }) => name === 'cluster');
    const registered = (name: string) => {
      const events = callEvents(recording as Recording);
      const found = events.find(
        ({ method, request }) => method.endsWith('RegisterResource') && request['name'] === name,
      );
      return found?.request['object'] as JsonObject;
    };
    expect(registered('cluster-mount')['path']).toBe(cluster.path ?? 'cluster');
    for (const { name, ttl } of cluster.roles) {
      expect([name, registered(`cluster-${name}`)['tokenTtl']]).toEqual([
        name,
        60 * Number.parseInt(ttl, 10),
      ]);
    }
  },
);

describe('what is replaced in a recording', () => {
  const machine: Machine = {
    places: {
      ...{
        '/home/ann/gatehouse': '/project',
        '/home/ann': '/home/user',
        '/tmp/record-1/project': '/project',
      },
      'http://127.0.0.1:4000': 'http://127.0.0.1:18900',
    },
    secrets: ['root-token'],
    names: { ann: 'user', 'anns-laptop': 'host' },
  };

  test.each([
    ['the project', 'file:///home/ann/gatehouse/index.ts#1', 'file:///project/index.ts#1'],
    ['a copy of it', '"/tmp/record-1/project"', '"/project"'],
    ['the home folder', 'in /home/ann/.pulumi', 'in /home/user/.pulumi'],
    ['an address', '"http://127.0.0.1:4000/ui"', '"http://127.0.0.1:18900/ui"'],
    ['no longer address', '"http://127.0.0.1:40001"', '"http://127.0.0.1:40001"'],
    ['a token', '{"token":"root-token"}', '{"token":"token"}'],
    ['names of user and host', 'ann@anns-laptop', 'user@host'],
    ['no word that holds a name', 'annual, plan-ann-1', 'annual, plan-ann-1'],
  ])('%s', (_, text, clean) => {
    expect(scrub(text, machine)).toBe(clean);
  });

  test('no name that anybody may have', () => {
    const names = { root: 'user', localhost: 'host' };
    expect(scrub('"root" at http://localhost:8250', { ...machine, names })).toBe(
      '"root" at http://localhost:8250',
    );
  });

  test.each(['/home/bea/x', '/Users/bea', '/tmp/other', 'hvs.CAESIJ1234567890abcdef'])(
    '%s is refused',
    (text) => {
      expect(() => scrub(`{"a":"${text}"}`, machine)).toThrow(
        expect.objectContaining({ code: 'recording_private' }),
      );
    },
  );

  test('a token that is refused is not shown', () => {
    expect(() => scrub('hvs.CAESIJ1234567890abcdef', machine)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('CAESIJ') }),
    );
  });
});
