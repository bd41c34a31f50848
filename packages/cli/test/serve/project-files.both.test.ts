import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { longTest } from '../../../../test/harness/long-run.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { archiveOf, withFiles } from '../../src/serve/project-files.ts';

let repository: string;
let folder: string;
beforeEach(() => {
  repository = temporaryFolder();
  folder = join(repository, 'stack');
});

const git = (...args: string[]) =>
  execFileSync(
    'git',
    [
      '-C',
      repository,
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@example.com',
      '-c',
      'protocol.file.allow=always',
      ...args,
    ],
    { encoding: 'utf8' },
  );
function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
function commit(): void {
  git('init', '-q', '-b', 'main');
  write('Pulumi.yaml', 'name: login\n');
  git('add', '.');
  git('commit', '-qm', 'one');
}

const digestOf = () => withFiles(folder, async (files) => files?.digest ?? '');
const listed = () => withFiles(folder, async (files) => files?.list.map(({ path }) => path));
/** The files of the archive by their paths. */
async function archived(): Promise<Record<string, string>> {
  const input = await archiveOf(folder, await digestOf());
  const tar = (...args: string[]) =>
    execFileSync('tar', ['-f', '-', '-z', ...args], { input, encoding: 'utf8' });
  const paths = tar('-t').trim().split('\n');
  return Object.fromEntries(paths.map((path) => [path.replace('./', ''), tar('-x', '-O', path)]));
}

test('are those that git tracks or would add: none that it ignores, none of another folder', async () => {
  mkdirSync(folder);
  writeFileSync(join(repository, '.gitignore'), '.env\n');
  writeFileSync(join(repository, 'of-another'), 'token');
  write('.env', 'VAULT_TOKEN=token');
  commit();
  write('added.hcl', 'added');
  write('node_modules/installed/index.js', 'installed');
  mkdirSync(join(folder, 'linked'));
  symlinkSync(join(folder, 'node_modules'), join(folder, 'linked/node_modules'));
  write('.gatehouse/root-token', 'token');
  expect(await archived()).toEqual({ 'Pulumi.yaml': 'name: login\n', 'added.hcl': 'added' });
});

longTest('are all there, byte by byte, whatever the attributes of git say', async () => {
  mkdirSync(folder);
  write(
    '.gitattributes',
    'hidden.ts export-ignore\nsubst.ts export-subst\nends.ts text eol=crlf\nid.ts ident\n',
  );
  const texts = { 'hidden.ts': 'hidden', 'subst.ts': '$Format:%H$', 'ends.ts': 'a\nb\n', 'id.ts': '$Id$' };
  for (const [path, text] of Object.entries(texts)) write(path, text);
  commit();
  expect(await archived()).toMatchObject(texts);
});

longTest('are those of submodules, too', async () => {
  const other = temporaryFolder();
  writeFileSync(join(other, 'roles.ts'), 'roles');
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'one'],
  ])
    execFileSync('git', ['-C', other, ...args]);
  mkdirSync(folder);
  commit();
  git('submodule', 'add', '-q', other, 'stack/shared');
  expect(await archived()).toEqual({ 'Pulumi.yaml': 'name: login\n', 'shared/roles.ts': 'roles' });
});

longTest.each([
  ['a file', (to: string) => to, 'outside'],
  ['a folder', (to: string) => dirname(to), ''],
  ['what is not there', (to: string) => `${to}-gone`, 'outside-gone'],
])('are refused with a link to %s outside, by its real path', async (_, target, real) => {
  mkdirSync(folder);
  writeFileSync(join(repository, 'outside'), 'outside');
  symlinkSync(target(join(repository, 'outside')), join(folder, 'link'));
  commit();
  await expect(digestOf()).rejects.toMatchObject({
    code: 'file_outside',
    parts: { where: 'link', given: join(repository, real) },
  });
});

test('are refused with a chain of links that ends outside', async () => {
  mkdirSync(folder);
  writeFileSync(join(repository, 'outside'), 'outside');
  symlinkSync('second', join(folder, 'first'));
  symlinkSync('../outside', join(folder, 'second'));
  commit();
  await expect(digestOf()).rejects.toMatchObject({ code: 'file_outside' });
});

test('are refused with a folder that became a link', async () => {
  mkdirSync(folder);
  write('roles/web.ts', 'web');
  commit();
  git('mv', 'stack/roles', 'roles');
  symlinkSync('../roles', join(folder, 'roles'));
  git(
    'update-index',
    '--add',
    '--cacheinfo',
    `100644,${git('hash-object', 'roles/web.ts').trim()},stack/roles/web.ts`,
  );
  await expect(digestOf()).rejects.toMatchObject({ code: 'file_outside' });
});

test('are links where these lead to files of the folder', async () => {
  mkdirSync(folder);
  write('roles.ts', 'roles');
  symlinkSync('roles.ts', join(folder, 'link.ts'));
  commit();
  expect(await archived()).toEqual({ 'Pulumi.yaml': 'name: login\n', 'roles.ts': 'roles', 'link.ts': '' });
});

test('have no secret in clear', async () => {
  write('Pulumi.sealed.yaml', 'config:\n  gatehouse:runTaskKeys: { mine: { secure: "v1:x" } }\n');
  write('Pulumi.clear.yaml', 'config:\n  gatehouse:runTaskKeys: { mine: PLAINKEY }\n');
  write('a b/[more].YML', 'clientSecrets: { staff: PLAINKEY }\n');
  write('broken.yaml', 'clientSecrets: { staff: PLAINKEY\n');
  commit();
  expect(await listed()).toEqual(['Pulumi.sealed.yaml', 'Pulumi.yaml']);
});

longTest(
  'are no archive once one of them is another: its content, its name, or whether it can be run',
  async () => {
    write('roles.ts', 'roles');
    commit();
    const digest = await digestOf();
    for (const [undo, change] of [
      ['printf roles > stack/roles.ts', 'printf other > stack/roles.ts'],
      ['mv stack/r.ts stack/roles.ts', 'mv stack/roles.ts stack/r.ts'],
      ['chmod 644 stack/roles.ts', 'chmod 755 stack/roles.ts'],
      ['rm stack/added', 'touch stack/added'],
    ]) {
      expect(await archiveOf(folder, digest)).toBeInstanceOf(Buffer);
      execFileSync('sh', ['-c', change ?? ''], { cwd: repository });
      expect(await archiveOf(folder, digest)).toBeUndefined();
      execFileSync('sh', ['-c', undo ?? ''], { cwd: repository });
    }
  },
);

longTest.each([
  ['outside of a repository', []],
  ['in a folder that git ignores', ['init', '-q']],
])('are unknown %s', async (_, init) => {
  mkdirSync(folder);
  if (init.length > 0) git(...init);
  writeFileSync(join(repository, '.gitignore'), 'stack\n');
  write('Pulumi.yaml', '');
  expect(await digestOf()).toBe('');
  expect(await archiveOf(folder, '')).toBeUndefined();
});
