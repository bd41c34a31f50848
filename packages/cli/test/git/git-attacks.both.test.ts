import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { longTest, someOf } from '../../../../test/harness/long-run.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { emailOf } from '../../src/git/init.ts';
import { reviewsInFolder } from '../../src/history/kept-reviews.ts';
import { atRevision, baseRevision, gateAtBase, isAtBase, reviewsAtBase } from '../../src/open/at-revision.ts';
import { readDeclaring } from '../../src/open/open-stack.ts';
import { digestOfFiles } from '../../src/serve/project-files.ts';
import { checkoutOf, readVersionControl } from '../../src/serve/version-control.ts';
import { HostileRepository, reviewedBy } from './hostile-repository.ts';

const { PATH } = process.env;
const repository = new HostileRepository();
const { folder } = repository;
let base = '';

beforeAll(() => {
  repository.write('.gitignore', '*.ignored\n');
  repository.declare(reviewedBy('alice'));
  base = repository.commit();
  repository.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  repository.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
  repository.git('remote', 'add', 'origin', 'https://code.example.com/sign-in.git');
});
const configuration = join(folder, '.git/config');
let asCloned: Buffer;
beforeEach(() => {
  asCloned = readFileSync(configuration);
});
afterEach(() => {
  writeFileSync(configuration, asCloned);
  repository.git('checkout', '--quiet', '--force', '-B', 'main', base);
  repository.git('clean', '--quiet', '-ffdx');
  repository.ran();
});

/** Everything that the product asks of git. */
async function askEverything(env: NodeJS.ProcessEnv = { PATH }): Promise<void> {
  const stack = await readDeclaring(folder, 'dev', env);
  await Promise.all([
    atRevision(stack, base, env, async () => undefined),
    gateAtBase(stack, env),
    reviewsAtBase(stack, env),
    reviewsAtBase(stack, env, 'HEAD'),
    isAtBase(stack, env),
    baseRevision(folder, env, 'HEAD'),
    readVersionControl(folder),
    checkoutOf(folder),
    digestOfFiles(folder),
    reviewsInFolder(folder, env),
    emailOf(folder, env),
  ]);
}

/** All that the tree of a branch, and a clone that names parts of it, could have git run. */
const attacks: Record<string, (script: string) => void> = {
  'hooks of the tree, as husky has them': (script) => {
    for (const hook of ['reference-transaction', 'post-checkout', 'post-index-change', 'pre-auto-gc'])
      repository.write(`.husky/${hook}`, `#!/bin/sh\n${script}\n`, 0o755);
    repository.git('config', 'core.hooksPath', '.husky');
  },
  'hooks of the clone': (script) => {
    for (const hook of ['reference-transaction', 'post-checkout', 'post-index-change'])
      repository.write(`.git/hooks/${hook}`, `#!/bin/sh\n${script}\n`, 0o755);
  },
  'filters of any name': (script) => {
    repository.write('.gitattributes', '* filter=anything diff=anything\n');
    for (const kind of ['clean', 'smudge', 'process'])
      repository.git('config', `filter.anything.${kind}`, script);
  },
  'a monitor of the file system': (script) => repository.git('config', 'core.fsmonitor', script),
  'an external diff, and text of binary files': (script) => {
    repository.write('.gitattributes', '* filter=anything diff=anything\n');
    repository.git('config', 'diff.external', script);
    repository.git('config', 'diff.anything.command', script);
    repository.git('config', 'diff.anything.textconv', script);
  },
  'a program that checks signatures of commits': (script) => {
    repository.git('config', 'log.showSignature', 'true');
    repository.git('config', 'gpg.program', script);
    repository.git('config', 'gpg.ssh.program', script);
  },
  'a file of the tree that the configuration includes': (script) => {
    repository.write('.gitconfig', `[core]\n\tfsmonitor = ${script}\n\tpager = ${script}\n`);
    repository.git('config', 'include.path', '../.gitconfig');
  },
  'commands of the same names, and pagers': (script) => {
    for (const name of ['status', 'ls-tree', 'cat-file', 'log', 'rev-parse', 'config'])
      repository.git('config', `alias.${name}`, `!${script}`);
    repository.git('config', 'core.pager', script);
    repository.git('config', 'pager.log', script);
  },
  'commands for transport, credentials and alternates': (script) => {
    for (const name of ['sshCommand', 'askPass', 'alternateRefsCommand', 'gitProxy', 'editor'])
      repository.git('config', `core.${name}`, script);
    repository.git('config', 'credential.helper', `!${script}`);
    repository.git('config', 'uploadpack.packObjectsHook', script);
  },
};

/** Those that do not stand in each other's way: everything is asked once for all of them. */
const rounds = [
  Object.keys(attacks).filter((name) => !/^hooks of the clone|^a file of the tree/.test(name)),
  ['hooks of the clone', 'a file of the tree that the configuration includes'],
];

describe.each(rounds)('a branch that brings', (...names) => {
  const scripts = new Map(names.map((name) => [name, repository.scriptFor(name)]));
  let ran: string[] = [];
  beforeAll(async () => {
    const asCloned = readFileSync(configuration);
    repository.write('gatehouse/reviews/a.sigstore.json', '{}');
    for (const [name, script] of scripts) attacks[name]?.(script);
    // Signed, as far as git can see before it asks.
    const unsigned = execFileSync('git', ['-c', 'core.fsmonitor=false', 'cat-file', 'commit', base], {
      cwd: folder,
      encoding: 'utf8',
    });
    const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----';
    const signed = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], {
      cwd: folder,
      encoding: 'utf8',
      input: unsigned.replace('\n\n', `\n${signature}\n\n`),
    }).trim();
    repository.write('.git/refs/remotes/origin/main', `${signed}\n`);
    repository.write('.git/HEAD', `${signed}\n`);
    // Its content has to be looked at again.
    repository.write('Pulumi.yaml', 'name: sign-in\nruntime: nodejs\n');
    repository.ran();
    await askEverything();
    ran = repository.ran();
    writeFileSync(configuration, asCloned);
    rmSync(join(folder, '.git/hooks'), { recursive: true, force: true });
    repository.git('update-ref', 'refs/remotes/origin/main', base);
  });

  test.each(names)('%s has none of it run, whatever is asked', (name) => {
    expect(ran).not.toContain(scripts.get(name));
  });
});

test('an object that is not there is not fetched by a program of the clone, and is an error', async () => {
  const partial = new HostileRepository();
  const commit = partial.commit();
  const blob = partial.git('rev-parse', 'HEAD:Pulumi.dev.yaml');
  partial.git('config', 'core.repositoryFormatVersion', '1');
  partial.git('config', 'extensions.partialClone', 'origin');
  partial.git('config', 'remote.origin.url', partial.folder);
  partial.git('config', 'remote.origin.promisor', 'true');
  partial.git('config', 'remote.origin.uploadpack', partial.script);
  partial.git('config', 'protocol.allow', 'always');
  rmSync(join(partial.folder, '.git/objects', blob.slice(0, 2), blob.slice(2)));
  const stack = await readDeclaring(partial.folder, 'dev', { PATH });
  await expect(atRevision(stack, commit, { PATH }, async () => true)).rejects.toMatchObject({
    code: 'repository_unreadable',
    message: expect.stringContaining('Pulumi.dev.yaml is not in this clone'),
  });
  expect(partial.ran()).toEqual([]);
});

longTest('the configuration of a submodule has nothing run either', async () => {
  const other = new HostileRepository();
  other.commit();
  repository.git('submodule', '--quiet', 'add', other.folder, 'sub');
  repository.commit();
  const own = join(folder, '.git/modules/sub/config');
  execFileSync('git', ['config', '--file', own, 'core.fsmonitor', repository.script]);
  execFileSync('git', ['config', '--file', own, 'filter.anything.clean', repository.script]);
  repository.write('sub/.gitattributes', '* filter=anything\n');
  await askEverything();
  expect((await readVersionControl(folder)).uncommitted).toEqual(['sub']);
  expect(repository.ran()).toEqual([]);
});

describe('the environment of git', () => {
  /** A git that tells what it is given. */
  function tellingGit() {
    const bin = temporaryFolder();
    const log = join(bin, 'log');
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    writeFileSync(join(bin, 'git'), `#!/bin/sh\nenv >> '${log}'\nexec '${real}' "$@"\n`);
    chmodSync(join(bin, 'git'), 0o755);
    return {
      PATH: [bin, PATH].join(delimiter),
      read: () => execFileSync('cat', [log], { encoding: 'utf8' }),
    };
  }
  const secrets = {
    VAULT_TOKEN: 'hvs.secret',
    GATEHOUSE_PLAN_TOKEN: 'hvs.plan',
    PULUMI_CONFIG_PASSPHRASE: 'passphrase',
    GATEHOUSE_RUN_TASK_KEY: 'key',
    AWS_SECRET_ACCESS_KEY: 'aws',
  };

  test('has no token, passphrase or key of the caller', async () => {
    const telling = tellingGit();
    await askEverything({ ...secrets, PATH: telling.PATH });
    const variables = telling.read();
    expect(Object.keys(secrets).filter((name) => variables.includes(name))).toEqual([]);
  });

  longTest('names no repository, configuration or program of the caller', async () => {
    const { script } = repository;
    await askEverything({
      PATH,
      GIT_DIR: '/nowhere',
      GIT_WORK_TREE: '/',
      GIT_INDEX_FILE: '/nowhere',
      GIT_EXEC_PATH: '/nowhere',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: script,
      GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${script}'`,
      GIT_EXTERNAL_DIFF: script,
      GIT_SSH_COMMAND: script,
    });
    expect(repository.ran()).toEqual([]);
  });

  test('has a PATH without folders of the tree', async () => {
    repository.write('git', `#!/bin/sh\n${repository.script}\n`, 0o755);
    await askEverything({ PATH: ['', '.', PATH].join(delimiter) });
    expect(repository.ran()).toEqual([]);
  });
});

describe('a revision is read as it was committed', () => {
  const signersAt = async (revision?: string) => {
    const stack = await readDeclaring(folder, 'dev', { PATH });
    return (await reviewsAtBase(stack, { PATH }, revision))?.policy.signers.map(({ name }) => name);
  };

  test('not as a ref that replaces it says', async () => {
    repository.declare(reviewedBy('mallory'));
    const other = repository.commit();
    repository.git('replace', base, other);
    expect(await signersAt()).toEqual(['alice']);
    repository.git('replace', '--delete', base);
  });

  longTest('not as grafts, or a working tree elsewhere, say', async () => {
    repository.declare(reviewedBy('mallory'));
    const other = repository.commit();
    repository.write('.git/info/grafts', `${other}\n`);
    repository.git('config', 'core.worktree', temporaryFolder());
    const stack = await readDeclaring(folder, 'dev', { PATH });
    expect([await signersAt(), await isAtBase(stack, { PATH })]).toEqual([['alice'], false]);
    rmSync(join(folder, '.git/info/grafts'));
  });

  test('byte by byte, whatever attributes say, and a file that git converts itself is none that changed', async () => {
    repository.write('.gitattributes', 'ends text eol=crlf\nid ident\n');
    repository.write('ends', 'a\r\n');
    repository.write('id', '$Id$\n');
    const commit = repository.commit();
    repository.git('checkout', '--quiet', '--force', commit, '--', '.');
    const stack = await readDeclaring(folder, 'dev', { PATH });
    const read = await atRevision(stack, commit, { PATH }, async ({ directory }) =>
      execFileSync('cat', ['ends', 'id'], { cwd: directory, encoding: 'utf8' }),
    );
    expect(read).toBe('a\n$Id$\n');
    expect(await readVersionControl(folder)).toMatchObject({ configurationVersionId: commit });
  });

  test('without submodules, and without links that lead out of the project', async () => {
    repository.write('inside/a', 'a');
    const link = (path: string, target: string) => execFileSync('ln', ['-s', target, join(folder, path)]);
    link('good', 'inside/a');
    link('out', '../../etc/passwd');
    link('absolute', '/etc/passwd');
    link('folder', 'inside');
    link('over', 'folder/../../..');
    const commit = repository.commit();
    const stack = await readDeclaring(folder, 'dev', { PATH });
    const listed = await atRevision(stack, commit, { PATH }, async ({ directory }) =>
      execFileSync('find', ['.', '-type', 'l'], { cwd: directory, encoding: 'utf8' })
        .trim()
        .split('\n')
        .sort(),
    );
    expect(listed).toEqual(['./folder', './good']);
  });

  test.each(someOf(2, ['..', '.git', '.GIT', '.']))(
    'a file below a folder that is called %s is an error',
    async (name) => {
      const blob = repository.git('hash-object', '-w', 'Pulumi.yaml');
      const tree = (line: string) =>
        execFileSync('git', ['mktree'], { cwd: folder, input: `${line}\n`, encoding: 'utf8' }).trim();
      // `git mktree` takes any name but one with a slash.
      const inner = tree(`100644 blob ${blob}\tPulumi.yaml`);
      const outer = tree(`040000 tree ${inner}\t${name}`);
      const commit = repository.git('commit-tree', outer, '-m', 'x');
      const stack = await readDeclaring(folder, 'dev', { PATH });
      await expect(atRevision(stack, commit, { PATH }, async () => true)).rejects.toMatchObject({
        code: 'tree_unsafe',
      });
    },
  );

  longTest.each([
    ['with SHA-256', ['--object-format=sha256']],
    ['with other extensions that change nothing', []],
  ])('in a repository %s', async (_, init) => {
    const other = new HostileRepository(init);
    other.declare(reviewedBy('alice'));
    other.commit();
    other.git('pack-refs', '--all');
    other.git('config', 'core.repositoryFormatVersion', '1');
    other.git('config', 'extensions.preciousObjects', 'true');
    other.declare('');
    const stack = await readDeclaring(other.folder, 'dev', { PATH });
    expect((await reviewsAtBase(stack, { PATH }))?.policy.signers).toHaveLength(1);
  });

  longTest('in a second working tree', async () => {
    const second = join(temporaryFolder(), 'second');
    repository.git('worktree', 'add', '--quiet', '--detach', second, base);
    const stack = await readDeclaring(second, 'dev', { PATH });
    expect(await isAtBase(stack, { PATH })).toBe(true);
    writeFileSync(join(second, 'new'), '');
    expect(await isAtBase(stack, { PATH })).toBe(false);
    repository.git('worktree', 'remove', '--force', second);
  });
});
