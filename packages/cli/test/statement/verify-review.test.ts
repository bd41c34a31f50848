import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { NewRepository } from '../../../../test/harness/new-repository.ts';
import { standIn } from '../../../../test/harness/stand-in.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { keys } from '../../../core/test/statement/reviewed.ts';
import { failed, runCommand } from '../running-command.ts';

const plans = join(root, 'packages/core/test/review/cases/opentofu');
/** As a program shows it: on one line. */
const json = JSON.stringify(JSON.parse(readFileSync(join(plans, '01-role-one-more-policy.json'), 'utf8')));
const example = join(temporaryFolder({ 'plan.json': json }), 'plan.json');

describe('the review of a plan file', () => {
  const folder = temporaryFolder({ 'Pulumi.yaml': 'name: sign-in\nruntime: nodejs\n' });
  const [plan, other, statement] = ['tfplan', 'other', 'review.sigstore.json'].map((name) =>
    join(folder, name),
  );
  const warning = 'Warning: Unable to open CLI configuration file';
  // No registry has the provider, without which OpenTofu shows no plan of it: opentofu.weekly.test.ts runs the program itself.
  const shows = standIn('tofu', `[ "$1 $2" = "show -json" ] && echo '\n${warning}\n' && cat '${example}'`);
  const run = (args: string[], path = shows) =>
    runCommand(args, { PATH: [path, '/usr/bin', '/bin'].join(delimiter) }, folder);

  beforeAll(async () => {
    writeFileSync(join(folder, 'key.pem'), keys.alice.pem);
    writeFileSync(join(folder, 'alice.pub'), keys.alice.publicPem);
    writeFileSync(join(folder, 'bob.pub'), keys.bob.publicPem);
    writeFileSync(plan ?? '', 'PK\x03\x04 a plan');
    writeFileSync(other ?? '', 'PK\x03\x04 another plan');
    const { err } = await run(['review', plan ?? '', '--sign', 'key.pem']);
    expect(err).toBe('');
  });
  const verify = (...args: string[]) => run(['verify-review', ...args]);

  test('is found right for that file, by a key that is trusted', async () => {
    const { code, out } = await verify('tfplan', 'review.sigstore.json', '--key', 'alice.pub');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^Reviewed and signed by alice.pub, 20.*: passed/),
    ]);
  });

  test.each<[string, string[], string]>([
    ['another file', ['other', 'review.sigstore.json', '--key', 'alice.pub'], 'it is about another plan'],
    ['another key', ['tfplan', 'review.sigstore.json', '--key', 'bob.pub'], 'not of one of the signers'],
    ['no statement', ['tfplan', 'tfplan', '--key', 'alice.pub'], 'it is no bundle'],
  ])('is found wrong: %s', async (_name, args, why) => {
    const { code, out } = await verify(...args);
    expect([code, out]).toEqual([2, expect.stringContaining(why)]);
  });

  test('is found wrong without a command to the terminal that a statement has', async () => {
    const odd = readFileSync(statement ?? '', 'utf8').replace(
      'application/vnd.in-toto+json',
      '\\u001b[31mhidden',
    );
    writeFileSync(join(folder, 'odd.json'), odd);
    const { code, out } = await verify('tfplan', 'odd.json', '--key', 'alice.pub');
    expect([code, out]).toEqual([2, expect.stringContaining('odd.json: its payload is hidden')]);
  });

  test.each<[string, string[], string]>([
    ['a plan that is gone', ['gone', 'review.sigstore.json', '--key', 'alice.pub'], 'file_unreadable'],
    ['a statement that is gone', ['tfplan', 'gone', '--key', 'alice.pub'], 'file_unreadable'],
    ['a private key', ['tfplan', 'review.sigstore.json', '--key', 'key.pem'], 'signing_key_unusable'],
    ['a file that is no key', ['tfplan', 'review.sigstore.json', '--key', 'tfplan'], 'signing_key_unusable'],
  ])('is not looked at: %s', async (_name, args, code) => {
    expect(await verify(...args)).toMatchObject(failed(code));
  });

  test('is signed only where a program shows that very file', async () => {
    const sign = ['review', 'tfplan', '--sign', 'key.pem'];
    expect(await run(sign, '/nowhere')).toMatchObject(failed('option_conflict'));
    const refusing = standIn('tofu', 'echo "Error: Failed to load plugin schemas" >&2; exit 1');
    expect(await run(sign, refusing)).toMatchObject({
      ...failed('plan_not_shown'),
      err: expect.stringContaining('tofu: Error: Failed to load plugin schemas'),
    });
    expect(await run(['review', example, '--sign', 'key.pem'])).toMatchObject(failed('option_conflict'));
    expect(statement).toBeDefined();
  });

  test.each<[string, string]>([
    ['key of a wrong type', 'rsa'],
    ['file that is no key', 'tfplan'],
    ['public key', 'alice.pub'],
  ])('is not signed with a %s', async (_name, key) => {
    const { generateKeyPairSync } = await import('node:crypto');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(join(folder, 'rsa'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    expect(await run(['review', 'tfplan', '--sign', key])).toMatchObject(failed('signing_key_unusable'));
  });
});

describe('the review of a plan file, for a stack', () => {
  const repository = new NewRepository();

  test('counts by the signers that the stack names at the base revision', async () => {
    const { folder } = repository;
    const shows = standIn('tofu', `cat '${example}'`);
    const env = { PATH: [shows, process.env['PATH']].join(delimiter) };
    const [plan, key] = [
      join(folder, 'tfplan'),
      join(temporaryFolder({ 'key.pem': keys.alice.pem }), 'key.pem'),
    ];
    writeFileSync(plan, 'PK\x03\x04 a plan');
    const statement = join(folder, 'review.sigstore.json');
    const signed = ['review', plan, '-s', 'dev', '--sign', key, '--statement', statement];
    await runCommand(signed, env, folder);
    const verify = () => runCommand(['verify-review', plan, statement, '-s', 'dev'], env, folder);
    expect(await verify()).toMatchObject(failed('review_missing'));

    const signers = JSON.stringify([{ name: 'alice', key: keys.alice.publicPem, until: '2999-12-31' }]);
    repository.change('config:\n', `config:\n  gatehouse:reviews: { signers: ${signers} }\n`);
    expect(await verify()).toMatchObject(failed('review_missing'));
    repository.git('commit', '--all', '--quiet', '--message', 'reviews');
    expect(await verify()).toMatchObject({ code: 0, out: expect.stringContaining('signed by alice') });
  });
});
