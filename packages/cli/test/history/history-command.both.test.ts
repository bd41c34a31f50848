import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { longTest } from '../../../../test/harness/long-run.ts';
import { NewRepository } from '../../../../test/harness/new-repository.ts';
import { standIn } from '../../../../test/harness/stand-in.ts';
import { started } from '../../../../test/harness/started.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { keys, signed, statement } from '../../../core/test/statement/reviewed.ts';
import { listen } from '../../../host/src/listen.ts';
import { failed, runCommand } from '../running-command.ts';

const stack = { project: 'sign-in', name: 'dev', service: 'https://a.example.com', namespace: '' };
const reviewed = (fields: object = {}, digit = 'a') =>
  signed(statement({ stack, ...fields }, digit.repeat(64)));

/** A platform that keeps reviews, and takes one token. */
const platform = started(async () => {
  const kept = { asked: [] as (string | undefined)[], body: '' };
  const server = createServer((request, response) => {
    kept.asked.push(request.url);
    const isKnown = request.headers.authorization === 'Bearer t0ken';
    response.writeHead(isKnown ? 200 : 403, { 'content-type': 'application/json' });
    response.end(isKnown ? (request.url?.includes('before') ? '{"reviews":[]}' : kept.body) : '{}');
  });
  const address = `http://127.0.0.1:${await listen(server, 0)}`;
  return { address, kept, close: () => new Promise((done) => server.close(done).closeAllConnections()) };
});

describe('gatehouse history', () => {
  const repository = new NewRepository();
  const { folder } = repository;
  const history = (args: string[], env: NodeJS.ProcessEnv = {}) =>
    runCommand(
      ['history', 'role', 'ci/web', '-s', 'dev', ...args],
      { PATH: process.env['PATH'], ...env },
      folder,
    );
  const keep = (name: string, text: string) => {
    const path = join(folder, 'gatehouse/reviews', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };

  beforeAll(() => {
    const signers = JSON.stringify([{ name: 'alice', key: keys.alice.publicPem, until: '2999-12-31' }]);
    repository.change('config:\n', `config:\n  gatehouse:reviews: { signers: ${signers} }\n`);
    repository.git('commit', '--all', '--quiet', '--message', 'reviews');
  });
  beforeEach(() => void repository.git('clean', '--quiet', '--force', '-d'));

  longTest('says what each change gave, who signed and accepted it, and since when git has it', async () => {
    const accepted = [{ by: 'carol', task: 'scan', because: 'a false\nalarm', at: '2026-11-28T11:20:00Z' }];
    keep('one.sigstore.json', await reviewed({ accepted }));
    repository.git('add', '--all');
    process.env['GIT_COMMITTER_DATE'] = '2026-11-28T14:00:00+02:00';
    repository.git('commit', '--quiet', '--message', 'kept');
    delete process.env['GIT_COMMITTER_DATE'];
    keep('two.sigstore.json', await reviewed({ timeCreated: '2026-11-28T12:30:00.000Z' }, 'b'));
    const { code, out, err } = await history([]);
    repository.git('reset', '--hard', '--quiet', 'HEAD^');
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(`role ci/web: 2 reviewed changes (2 of 2 signed reviews are about it)

2026-11-28 12:30:00 UTC
  gains: web
  – → read secret/data/web/*
  Signed by alice (2026-11-28 12:30:00 UTC, passed)
  Plan sign-in/prod for https://a.example.com
  Compared with commit 0123abc
  Not known: whether it was applied
  Statement: gatehouse/reviews/two.sigstore.json

2026-11-28 11:30:00 UTC
  gains: web
  – → read secret/data/web/*
  Signed by alice (2026-11-28 11:30:00 UTC, passed)
  Accepted by carol, 2026-11-28 11:20:00 UTC, without scan: a false alarm
  Plan sign-in/prod for https://a.example.com
  Compared with commit 0123abc
  Not known: whether it was applied
  Statement: gatehouse/reviews/one.sigstore.json, in git since 2026-11-28 12:00:00 UTC
`);
  });

  test('has what `review --sign` writes into the folder', async () => {
    const plan = readFileSync(
      join(root, 'packages/core/test/review/cases/opentofu/01-role-one-more-policy.json'),
      'utf8',
    );
    const shown = join(temporaryFolder({ 'plan.json': JSON.stringify(JSON.parse(plan)) }), 'plan.json');
    const path = [standIn('tofu', `cat '${shown}'`), process.env['PATH']].join(delimiter);
    const file = temporaryFolder({ tfplan: 'PK\x03\x04 a plan', 'alice.pem': keys.alice.pem });
    const statement = 'gatehouse/reviews/2026-11-28.sigstore.json';
    const signing = ['--sign', join(file, 'alice.pem'), '--statement', statement];
    const reviewing = ['review', join(file, 'tfplan'), '-s', 'dev', ...signing];
    const { err } = await runCommand(reviewing, { PATH: path }, folder);
    expect(err).toBe('');
    const { predicate } = JSON.parse(
      Buffer.from(JSON.parse(repository.read(statement)).dsseEnvelope.payload, 'base64').toString(),
    );
    expect(predicate.access).toMatchObject([{ who: ['role ci/build'] }]);
    const { code, out } = await runCommand(
      ['history', 'role', 'ci/build', '-s', 'dev'],
      { PATH: path },
      folder,
    );
    expect([code, out.split('\n').slice(3, 6)]).toEqual([
      0,
      [
        '  gains: pay-read',
        '  – → list, read secret/data/pay/*',
        expect.stringMatching(/^ {2}Signed by alice \(20.*, passed\)$/),
      ],
    ]);
  });

  longTest('says what does not count, and what was not checked', async () => {
    keep('alice.sigstore.json', await reviewed());
    keep('mallory.sigstore.json', await signed(statement({ stack }), keys.mallory));
    keep('picture.sigstore.json', '\x89PNG');
    keep('large.sigstore.json', ' '.repeat(40 * 1024 * 1024));
    keep('folder.sigstore.json/x', '');
    keep('readme.md', '');
    const { out } = await history([]);
    expect(out).toMatch(/stack does not name now \(\w{12}\) \(.*\): the signature was not checked\n/);
    expect(out).toMatch(/Not counted:\n.*large.*: it is too large\n.*picture.*: it is no bundle/);
    expect(out).not.toMatch(/folder\.sig|readme/);
  });

  longTest('takes the signers that the base revision names', async () => {
    keep('mallory.sigstore.json', await signed(statement({ stack }), keys.mallory));
    repository.change(JSON.stringify(keys.alice.publicPem), JSON.stringify(keys.mallory.publicPem));
    expect((await history([])).out).toContain('does not name now');
  });

  longTest('shows nothing of a statement as a command of the terminal', async () => {
    const access = [
      {
        who: ['role ci/web'],
        gains: 'some',
        losses: 'none',
        life: 'same',
        why: ['\x1b[2J\u202egone'],
        words: [],
      },
    ];
    keep('mallory.sigstore.json', await signed(statement({ stack, access }), keys.mallory));
    expect((await history([])).out).toContain('  [2JU+202Egone\n');
  });

  longTest('also has what a platform keeps, and when it was applied', async () => {
    const { kept, address } = platform();
    const text = await reviewed();
    keep('one.sigstore.json', text);
    const run = { number: 7, run: 'run-1', takenBy: 'dave', takenAt: '2026-11-28T12:40:00Z' };
    const nothing = { run: null, takenBy: null, takenAt: null, appliedAt: null };
    const other = await reviewed({ timeCreated: '2026-11-28T10:30:00.000Z' }, 'b');
    kept.body = JSON.stringify({
      reviews: [
        { ...nothing, number: 8, statement: other },
        { statement: text, ...run, appliedAt: '2026-11-28T13:41:00+01:00' },
      ],
    });
    const { out, err } = await history(['--address', address], { VAULT_TOKEN: 't0ken' });
    expect(err).toBe('');
    expect(kept.asked).toEqual(['/reviews?stack=dev', '/reviews?stack=dev&before=7']);
    expect(out).toContain('2 reviewed changes (2 of 2');
    expect(out).toContain(`applied\n  Statement: statement 8 of ${address}\n`);
    expect(out).toContain(
      '  Run begun by dave, 2026-11-28 12:40:00 UTC\n  Applied, 2026-11-28 12:41:00 UTC\n  Run run-1\n',
    );
    const json = await history(['--json'], { VAULT_TOKEN: 't0ken', GATEHOUSE_PLATFORM_ADDRESS: address });
    expect(JSON.parse(json.out)).toMatchObject({
      changes: [{ run: 'run-1' }, { signed: [{ by: 'alice' }] }],
    });
  });

  longTest.each<[string, NodeJS.ProcessEnv, string, string]>([
    ['is not named by a token', {}, '{}', 'token_missing'],
    ['refuses', { VAULT_TOKEN: 'other' }, '{}', 'platform_refused'],
    ['answers something else', { VAULT_TOKEN: 't0ken' }, '{"reviews":[{}]}', 'platform_answer_invalid'],
  ])('ends with an error where the platform %s', async (_name, env, body, code) => {
    platform().kept.body = body;
    expect(await history(['--address', platform().address], env)).toMatchObject(failed(code));
  });

  test('names the nearest subject to one that no statement names', async () => {
    keep(
      'one.sigstore.json',
      await reviewed({ access: [{ ...statement().predicate.access[0], who: ['role ci/wev'] }] }),
    );
    expect(await history([])).toMatchObject({
      ...failed('principal_unknown'),
      err: expect.stringContaining('did you mean `role ci/wev`?'),
    });
  });
});
