import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readVersionControl, webAddress } from '../../../operations/serve/version-control.ts';

describe('the web address of a remote', () => {
  test.each([
    ['https://code.example.com/team/login.git', 'https://code.example.com/team/login'],
    ['https://user:secret@code.example.com/team/login', 'https://code.example.com/team/login'],
    ['http://code.example.com:8080/login/', 'http://code.example.com:8080/login'],
    ['git@code.example.com:team/login.git', 'https://code.example.com/team/login'],
    ['ssh://git@code.example.com:2222/team/login.git', 'https://code.example.com/team/login'],
    ['/srv/git/login.git', null],
    ['../login', null],
    ['file:///srv/git/login', null],
  ])('%s: %s', (remote, address) => {
    expect(webAddress(remote)).toBe(address);
  });
});

describe('a folder in version control', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-git-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      encoding: 'utf8',
    }).trim();
  const commit = () => {
    git('init', '-q', '-b', 'main');
    git('remote', 'add', 'origin', 'https://user:secret@code.example.com/login.git');
    mkdirSync(join(folder, 'stack'));
    writeFileSync(join(folder, 'stack', 'Pulumi.yaml'), 'name: login\n');
    git('add', '.');
    git('commit', '-qm', 'one');
    return git('rev-parse', 'HEAD');
  };

  test('has its branch, commit, addresses and folder', async () => {
    const head = commit();
    expect(await readVersionControl(join(folder, 'stack'))).toEqual({
      branch: 'main',
      commit: head,
      commitUrl: `https://code.example.com/login/commit/${head}`,
      repoUrl: 'https://code.example.com/login',
      folder: 'stack',
    });
  });

  test('is of no commit where something is not committed', async () => {
    commit();
    writeFileSync(join(folder, 'stack', 'Pulumi.yaml'), 'name: other\n');
    expect((await readVersionControl(join(folder, 'stack'))).commit).toBeNull();
  });

  test('has nothing where there is none', async () => {
    const nothing = { branch: null, commit: null, commitUrl: null, repoUrl: null, folder: null };
    expect(await readVersionControl(folder)).toEqual(nothing);
  });
});
