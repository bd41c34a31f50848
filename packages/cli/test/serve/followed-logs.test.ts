import { appendFile, rename, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { describeOnPglite } from '../../../../test/harness/two-databases.ts';
import { ann, auditLine, renewalLine, signInLine, start } from '../../../core/test/usage/log-lines.ts';
import { silent } from '../../../run-tasks/src/log.ts';
import type { Database } from '../../../run-tasks/src/store/database.ts';
import { makeTables } from '../../../run-tasks/src/store/tables.ts';
import { FollowedLogs } from '../../src/serve/followed-logs.ts';

const signIn = (day = 0) => `${signInLine('staff', ann, { at: day * 86_400 })}\n`;
const reader = 'role auth/staff/reader';

describeOnPglite('audit logs that are followed', (databases) => {
  let path: string;
  let database: Database;
  let logs: FollowedLogs;
  let now = start;
  const follow = () => new FollowedLogs({ files: [path], database, log: silent, now: () => now });

  beforeAll(async () => {
    database = await databases.openDatabase();
    await makeTables(database);
  });
  beforeEach(async () => {
    now = start + 86_400_000;
    path = join(temporaryFolder(), 'audit.log');
    await database.query('TRUNCATE used, followed');
    logs = follow();
  });
  afterEach(() => logs.stop());

  const read = async () => {
    await logs.read();
    return (await logs.lastUsed())[''] ?? {};
  };

  test('counts sign-ins of a role by day, as the log grows', async () => {
    await writeFile(path, signIn());
    expect((await read())[reader]).toEqual({ day: '2026-11-01', count: 1 });
    await appendFile(path, signIn(1));
    expect((await read())[reader]).toEqual({ day: '2026-11-02', count: 2 });
  });

  test('counts requests with policies of groups; a sign-in is their last use, and no request', async () => {
    await writeFile(path, signIn());
    expect((await read())['policy ops']).toEqual({ day: '2026-11-01', count: 0 });
    await appendFile(path, `${auditLine()}\n${signIn(1)}`);
    expect((await read())['policy ops']).toEqual({ day: '2026-11-02', count: 1 });
  });

  test('counts by namespace, and no policies of a token of the namespace above', async () => {
    const there = signInLine('staff', ann, { namespace: 'team' });
    const from = auditLine({ namespace: 'team' }).replace(
      '"type":"acl"',
      '"type":"acl","namespace_id":"root"',
    );
    await writeFile(path, `${signIn()}${there}\n${from}\n`);
    await logs.read();
    const both = {
      [reader]: { day: '2026-11-01', count: 1 },
      'policy ops': { day: '2026-11-01', count: 0 },
    };
    expect(await logs.lastUsed()).toEqual({ '': both, team: both });
  });

  test('counts users by their method: a name of a person is not kept', async () => {
    const al = { name: 'people-alice.smith', entity: 'e-al', metadata: { username: 'alice.smith' } };
    await writeFile(path, `${signInLine('people', al, { path: 'auth/people/login/alice.smith' })}\n`);
    expect(await read()).toEqual({ 'role auth/people': { day: '2026-11-01', count: 1 } });
  });

  test('a renewal is the last use of the role that its token was signed in by, no sign-in, and no use of the tokens’ own mount', async () => {
    await writeFile(path, `${signIn()}${renewalLine(ann, 86_400)}\n`);
    expect(await read()).toMatchObject({ [reader]: { day: '2026-11-02', count: 1 } });
    expect(Object.keys(await read()).filter((name) => name.includes('token'))).toEqual([]);
  });

  test('takes a line once it is whole', async () => {
    const line = signIn();
    await writeFile(path, line.slice(0, 100));
    expect(await read()).toEqual({});
    await appendFile(path, line.slice(100));
    expect((await read())[reader]?.count).toBe(1);
  });

  test('reads a rotated log to its end, then the new one', async () => {
    await writeFile(path, signIn());
    await read();
    await appendFile(path, signIn());
    await rename(path, `${path}.1`);
    await writeFile(path, signIn(1));
    expect((await read())[reader]).toEqual({ day: '2026-11-02', count: 3 });
  });

  test('reads lines in the records of a collector', async () => {
    await writeFile(
      path,
      `${JSON.stringify({ log: signIn(), stream: 'stdout', time: '2026-11-01T00:00:00Z' })}\n`,
    );
    expect((await read())[reader]).toEqual({ day: '2026-11-01', count: 1 });
  });

  test('counts lines that could not be read, and warns', async () => {
    const warned: unknown[][] = [];
    logs = new FollowedLogs({
      files: [path],
      database,
      now: () => now,
      log: { ...silent, warn: (...words: unknown[]) => warned.push(words) },
    });
    await writeFile(path, `${signIn().slice(0, 200)}\n${signIn()}`);
    expect(await read()).toMatchObject({
      [reader]: { count: 1 },
      'unread lines': { day: '2026-11-02', count: 1 },
    });
    expect(warned).toEqual([[{ path, lines: 1 }, expect.stringContaining('could not be read')]]);
  });

  test('begins anew where a log was emptied', async () => {
    await writeFile(path, signIn() + signIn());
    await read();
    await truncate(path);
    await read();
    await appendFile(path, signIn());
    expect((await read())[reader]?.count).toBe(3);
  });

  test('goes on where it was after a restart', async () => {
    await writeFile(path, signIn());
    await read();
    await logs.stop();
    await appendFile(path, signIn());
    logs = follow();
    expect((await read())[reader]?.count).toBe(2);
  });

  test('keeps counts for 90 days, and nothing of people', async () => {
    await writeFile(path, `${signIn()}${auditLine()}\n`);
    await read();
    expect(JSON.stringify(await database.query('SELECT * FROM used'))).not.toContain('ann');
    now = start + 92 * 86_400_000;
    expect(await read()).toEqual({});
  });

  test('follows no log with tokens in clear', async () => {
    await writeFile(path, signIn().replaceAll('hmac-sha256:of ', 'hvs.CAES'));
    expect(await read()).toEqual({});
    expect(await database.query('SELECT * FROM followed WHERE position > 0')).toEqual([]);
  });

  test('waits for a log that is not there yet', async () => {
    expect(await read()).toEqual({});
    await writeFile(path, signIn());
    expect((await read())[reader]?.count).toBe(1);
  });
});
