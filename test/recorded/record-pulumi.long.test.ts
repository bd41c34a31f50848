import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { record } from '../../scripts/recording/record.ts';
import { root } from '../harness/environment-under-test.ts';
import { installRecordingCliDouble } from './recording-cli-double.ts';

const newFolder = () => mkdtemp(join(tmpdir(), 'gatehouse-recordings-'));
// Taken over from the recordings of another machine; `npm run record` saves no update plans.
const isOfUpdatePlan = (name: string) => /^(save|up)-plan-/.test(name);
const textOf = async (folder: string, name: string) =>
  gunzipSync(await readFile(join(folder, name))).toString();

describe('recording with the CLI on the PATH', () => {
  test('makes each recording as it is here, and nothing in them is of this machine', async () => {
    const to = await newFolder();
    const files = await record({ to, env: await installRecordingCliDouble() });
    const here = (await readdir(import.meta.dirname)).filter(
      (name) => name.endsWith('.gz') && !isOfUpdatePlan(name),
    );
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
