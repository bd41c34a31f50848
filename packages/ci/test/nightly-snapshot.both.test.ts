import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { write } from '../../../test/harness/ask.ts';
import { startEmbeddedService } from '../../../test/harness/embedded-service.ts';
import { longTest } from '../../../test/harness/long-run.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { readSnapshot, snapshotOf } from '../../core/src/review/snapshot.ts';
import { unzipped } from '../nightly-snapshot.ts';
import { type KeptRun, zipOf } from './host-double.ts';
import { hosts } from './hosts.ts';
import { inProcess } from './in-process.ts';
import { jobsAt } from './jobs.ts';

const reading = 'path "secret/data/*" { capabilities = ["read"] }';
const writing = 'path "secret/data/*" { capabilities = ["read", "update"] }';
const less = 'path "secret/data/x" { capabilities = ["read"] }';
const SNAPSHOT_KEY = 'a key of many letters';
const name = 'gatehouse-live.snapshot';

/** A stack that declares one policy; a role of another team's, on the same service, has it. */
let service: Awaited<ReturnType<typeof startEmbeddedService>>;
const folder = temporaryFolder({ 'Pulumi.yaml': 'name: sign-in\nruntime: nodejs\n' });

function declare(policy: string, address = service.address): void {
  const config = {
    'gatehouse:service': { address, features: { messages: false } },
    'gatehouse:providers': [],
    'gatehouse:policies': [{ name: 'reading', policy }],
  };
  writeFileSync(join(folder, 'Pulumi.live.yaml'), JSON.stringify({ config }));
}

beforeAll(async () => {
  service = await startEmbeddedService();
  await write(service, 'sys/policies/acl/reading', { policy: reading });
  await write(service, 'sys/auth/ci', { type: 'jwt' });
  await write(service, 'auth/ci/role/build', {
    role_type: 'jwt',
    user_claim: 'sub',
    bound_audiences: ['x'],
    bound_subject: 'job',
    token_policies: ['reading'],
  });
  declare(reading);
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: folder });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
});
afterAll(() => service.close());

describe.each(hosts)('a nightly snapshot at $name', (at) => {
  const jobs = jobsAt(inProcess(at), folder);
  let content = '';
  const keep = (content: string, fields: Partial<KeptRun> = {}) =>
    jobs.host.runs.unshift({ event: 'schedule', branch: 'main', artifact: { name, content }, ...fields });

  beforeEach(() => declare(writing));

  const run = async (check: string, env: NodeJS.ProcessEnv = {}) =>
    (await jobs.run([check, '--stack', 'live', '--since', 'HEAD'], { env: { SNAPSHOT_KEY, ...env } })).code;
  /** What the schedule makes. */
  async function tonight(): Promise<string> {
    if (content !== '') return content;
    expect(await run('snapshot', { VAULT_TOKEN: service.token })).toBe(0);
    content = readFileSync(join(jobs.folder, name), 'utf8');
    return content;
  }
  async function review(env: NodeJS.ProcessEnv = {}): Promise<string> {
    await run('review', env);
    return jobs.host.comments[0]?.body ?? '';
  }

  test('lets the review of a pull request be about the whole service, and says its age', async () => {
    keep(await tonight());
    const found = await review();
    expect(found).toContain('## Sign-in review of live: &#33; 1 role gains access.');
    expect(found).toContain('**role ci/build**');
    expect(found).toMatch(/Snapshot of .*, \d+s old\./);
  });

  test('lets it say that no one gains', async () => {
    declare(less);
    expect(await review()).toContain('## Sign-in review of live: ? No one declared here gains access.');
    keep(await tonight());
    expect(await review()).toContain(
      '## Sign-in review of live: ✓ No one gains access (every way to a token of this service checked: 1 role',
    );
  });

  longTest('that is missing or gone leaves the review as it was, and is named', async () => {
    const why = 'Reviewed without a snapshot of the service: no scheduled run of the default branch has one.';
    expect(await review()).toContain(why);
    keep(await tonight());
    for (const { artifact } of jobs.host.runs) artifact.isExpired = true;
    expect(await review()).toContain(why);
  });

  test('is that of a scheduled run of the default branch, and no other', async () => {
    keep(await tonight());
    const forged = (jobs.host.runs[0]?.artifact.content ?? '').split('\n')[0] ?? '';
    keep(forged, { event: 'pull_request' });
    keep(forged, { event: 'merge_request_event' });
    keep(forged, { event: 'push' });
    keep(forged, { branch: 'eve' });
    // A repository has one of these two, and the host in question tells it.
    keep(forged, { from: 'eve/sign-in', isTag: true });
    const found = await review();
    expect(found).toContain('**role ci/build**');
    expect(found).not.toContain('Reviewed without');
  });

  test('of last night is taken where that of this night is not there', async () => {
    keep(await tonight());
    jobs.host.runs.unshift({
      event: 'schedule',
      branch: 'main',
      artifact: { name: 'gatehouse-other.snapshot', content: '' },
    });
    expect(await review()).toContain('role ci/build');
  });

  test('that is old proves nothing of the rest', async () => {
    declare(less);
    const snapshot = readSnapshot(await tonight(), { key: SNAPSHOT_KEY });
    keep(snapshotOf(snapshot, { ...snapshot, at: '2026-01-01T00:00:00Z' }, SNAPSHOT_KEY).text);
    const found = await review();
    expect(found).toContain('## Sign-in review of live: ? No one declared here gains access.');
    expect(found).toContain('the snapshot is older than 1d12h');
  });

  test('says where nothing shows its source, as to a fork, which has no key', async () => {
    keep(await tonight());
    expect(await review({ SNAPSHOT_KEY: '' })).toContain('source not verified');
  });

  longTest('that was edited is not used', async () => {
    keep((await tonight()).replace('"build"', '"bu1ld"'));
    const found = await review();
    expect(found).toContain(
      'Reviewed without a snapshot of the service: The snapshot is not as it was written',
    );
    expect(found).not.toContain('bu1ld');
  });

  longTest('of the service before a move is not used, and fails nothing', async () => {
    keep(await tonight());
    declare(reading, 'https://other.example.com');
    expect(await review()).toContain('The snapshot is of another service than the stack’s.');
  });

  test('needs a key', async () => {
    expect(await run('snapshot', { VAULT_TOKEN: service.token, SNAPSHOT_KEY: '' })).toBe(1);
  });
});

test.each([
  ['a page of an error', Buffer.from('<html>Sign in to continue, please, and try it again.</html>')],
  ['nothing', Buffer.alloc(0)],
  ['an archive without its beginning', zipOf({ name, content: 'x' }).subarray(40)],
])('%s is named as no zip archive', (_, artifact) => {
  expect(() => unzipped(artifact)).toThrow('the artifact is no zip archive that can be read.');
});

test.each(['stored '.repeat(3), 'deflated '.repeat(100_000)])('a zipped file is read', (content) => {
  expect(unzipped(zipOf({ name, content })).toString()).toBe(content);
});
