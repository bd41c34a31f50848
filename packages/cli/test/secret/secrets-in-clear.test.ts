import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { NewRepository } from '../../../../test/harness/new-repository.ts';
import { projectFolder, runCommand } from '../running-command.ts';

const env = { PULUMI_CONFIG_PASSPHRASE: 'only a test', VAULT_TOKEN: 'token', PATH: process.env['PATH'] };
const stackFile = `config:
  gatehouse:service: { address: "http://127.0.0.1:1" }
  gatehouse:providers:
    - { kind: source_hosting, name: staff, clientId: abc }
  gatehouse:clientSecrets: '{"staff":"PLAINSECRET"}'
  gatehouse:runTasks:
    - { name: mine, url: http://127.0.0.1:1/review, stages: [post_plan] }
  gatehouse:runTaskKeys: { mine: PLAINKEY }
`;

test.each([
  'preview',
  'up --yes',
  'up --yes --engine local',
  'review --since HEAD',
  'drift',
  'verify',
  'who-can read secret/data/x',
  'snapshot --names -o x.json',
  'rotate clientSecrets.staff',
])('gatehouse %s refuses secrets in clear, all at once, and shows none', async (line) => {
  const folder = projectFolder({ 'Pulumi.prod.yaml': stackFile });
  const { code, out, err } = await runCommand([...line.split(' '), '-s', 'prod'], env, folder);
  expect(code).toBe(1);
  expect(err).toContain('(environment_invalid)');
  expect(err.split('\n').map((one) => one.trim())).toEqual(
    expect.arrayContaining([
      'Pulumi.prod.yaml:5:3: gatehouse:clientSecrets.staff: is not encrypted; seal it with: gatehouse secret set -s prod clientSecrets.staff',
      'Pulumi.prod.yaml:8:28: gatehouse:runTaskKeys.mine: is not encrypted; seal it with: gatehouse secret set -s prod runTaskKeys.mine',
    ]),
  );
  expect(`${out}${err}`).not.toMatch(/PLAIN/);
});

test('the commands that it names seal them, until nothing is left to refuse', async () => {
  const folder = projectFolder({ 'Pulumi.prod.yaml': stackFile });
  const secret = async (...words: string[]) =>
    await runCommand(['secret', ...words, '-s', 'prod'], env, folder, { piped: 'sealed now' });
  expect((await secret('ls')).out).toMatch(
    /clientSecrets\.staff +not encrypted.*\nrunTaskKeys\.mine +not encrypted/,
  );
  for (const name of ['clientSecrets.staff', 'runTaskKeys.mine'])
    expect(await secret('set', name)).toMatchObject({ code: 0 });
  expect((await secret('ls')).out).not.toContain('not encrypted');
  const { err } = await runCommand(['preview', '-s', 'prod'], env, folder);
  expect(err).toContain('(service_unreachable)');
});

describe('in a repository', () => {
  const repository = new NewRepository();

  test('a review compares with a revision that has a secret in clear: the change that seals it can be reviewed', async () => {
    const sealed = repository.read('Pulumi.dev.yaml');
    writeFileSync(
      join(repository.folder, 'Pulumi.dev.yaml'),
      sealed.replace(/staff: *\{ secure: [^}]*\}/, 'staff: PLAINSECRET'),
    );
    expect(repository.read('Pulumi.dev.yaml')).toContain('PLAINSECRET');
    repository.git('commit', '--quiet', '--all', '--message', 'in clear');
    writeFileSync(join(repository.folder, 'Pulumi.dev.yaml'), sealed);
    const line = ['review', '-s', 'dev', '--since', 'HEAD', '--json'];
    const { out, err } = await runCommand(line, { PATH: process.env['PATH'] }, repository.folder);
    expect(JSON.parse(out || `"${err}"`).findings).toMatchObject([
      { rule: 'secret-rotated', subject: { name: 'staff' } },
    ]);
  });
});
