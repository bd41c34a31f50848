import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { readVersionControl, webAddress } from '../../src/serve/version-control.ts';

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
    folder = temporaryFolder();
  });
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      encoding: 'utf8',
    }).trim();
  const commit = () => {
    git('init', '-q', '-b', 'main');
    git('remote', 'add', 'origin', 'https://user:secret@code.example.com/login.git');
    mkdirSync(join(folder, 'stack'), { recursive: true });
    writeFileSync(join(folder, 'stack', 'Pulumi.yaml'), 'name: login\n');
    git('add', '.');
    git('commit', '-qm', 'one');
    return git('rev-parse', 'HEAD');
  };

  test('has its branch, commit, addresses and folder', async () => {
    const head = commit();
    expect(await readVersionControl(join(folder, 'stack'))).toEqual({
      workspaceWorkingDirectory: 'stack',
      configurationVersionId: head,
      vcsBranch: 'main',
      vcsCommitUrl: `https://code.example.com/login/commit/${head}`,
      vcsRepoUrl: 'https://code.example.com/login',
      commit: head,
      commitMessage: 'one',
    });
  });

  test('is of no commit where something is not committed', async () => {
    commit();
    writeFileSync(join(folder, 'stack', 'Pulumi.yaml'), 'name: other\n');
    expect((await readVersionControl(join(folder, 'stack'))).configurationVersionId).toBe('');
  });

  test('has nothing where there is none', async () => {
    expect(await readVersionControl(folder)).toEqual({
      workspaceWorkingDirectory: '',
      configurationVersionId: '',
      vcsBranch: null,
      vcsCommitUrl: null,
      vcsRepoUrl: null,
      commit: null,
      commitMessage: null,
    });
  });
});
