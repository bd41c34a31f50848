import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { gateAtBase, isAtBase, reviewsAtBase } from '../../src/open/at-revision.ts';
import { readDeclaring } from '../../src/open/open-stack.ts';
import { digestOfFiles } from '../../src/serve/project-files.ts';
import { readVersionControl } from '../../src/serve/version-control.ts';
import { HostileRepository, reviewedBy } from './hostile-repository.ts';

const { PATH } = process.env;
const whole = new HostileRepository();
const { folder } = whole;
beforeAll(() => {
  whole.declare(reviewedBy('alice'));
  whole.commit();
});

describe('an error of git is no answer', () => {
  const other = new HostileRepository();
  const inside = join(other.folder, 'stack');
  beforeAll(() => {
    mkdirSync(inside);
    other.git('mv', '-k', 'Pulumi.yaml', 'stack');
    for (const name of ['Pulumi.yaml', 'Pulumi.dev.yaml'])
      execFileSync('mv', [join(other.folder, name), inside]);
    other.commit();
  });
  /** What is asked where nothing else would be known, and how it ends. */
  async function answers(env: NodeJS.ProcessEnv = { PATH }) {
    const stack = await readDeclaring(inside, 'dev', env);
    const asked = [
      isAtBase(stack, env),
      gateAtBase(stack, env),
      reviewsAtBase(stack, env),
      readVersionControl(inside),
      digestOfFiles(inside),
    ];
    return (await Promise.allSettled(asked)).map((one) =>
      one.status === 'fulfilled' ? one.value : one.reason.message,
    );
  }
  const fails = (text: string) => Array.from({ length: 5 }, () => expect.stringContaining(text));
  afterEach(() => {
    execFileSync('chown', ['-R', String(process.getuid?.()), other.folder]);
  });

  const asRoot = process.getuid?.() === 0 ? test : test.skip;
  asRoot('where the repository is of another user: it names the folder, and what to do', async () => {
    execFileSync('chown', ['-R', '12345', other.folder]);
    expect(await answers()).toEqual(fails(`git config --global --add safe.directory ${other.folder}`));
  });

  asRoot('but counts where the person trusts the folder by name, and not where it trusts all', async () => {
    execFileSync('chown', ['-R', '12345', other.folder]);
    const home = temporaryFolder({ '.gitconfig': '[safe]\n\tdirectory = *\n' });
    const stack = await readDeclaring(inside, 'dev', { PATH });
    await expect(isAtBase(stack, { PATH, HOME: home })).rejects.toThrow('of another user');
    writeFileSync(join(home, '.gitconfig'), `[safe]\n\tdirectory = ${other.folder}\n`);
    expect(await isAtBase(stack, { PATH, HOME: home })).toBe(true);
  });

  asRoot('and counts where the caller named the folder itself', async () => {
    execFileSync('chown', ['-R', '12345', folder]);
    const stack = await readDeclaring(folder, 'dev', { PATH });
    const isReviewed = await isAtBase(stack, { PATH });
    execFileSync('chown', ['-R', '0', folder]);
    expect(isReviewed).toBe(true);
  });

  test.each([
    ['its configuration is broken', 'config', '[core\n', 'bad config line 1'],
    [
      'it has an extension that is not known',
      'config',
      '[extensions]\n\tfuture = true\n',
      'its extension future is not known',
    ],
    ['its HEAD is none', 'HEAD', 'nonsense\n', 'cannot be read'],
    ['its index is broken', 'index', 'DIRC', 'cannot be read'],
  ])('where %s', async (_, file, content, why) => {
    const path = join(other.folder, '.git', file);
    const before = execFileSync('cat', [path]);
    writeFileSync(path, content);
    const [isReviewed] = await answers();
    writeFileSync(path, before);
    expect(isReviewed).toContain(why);
  });

  test.each([
    ['is an empty folder', (at: string) => mkdirSync(at)],
    ['is a file that leads nowhere', (at: string) => writeFileSync(at, 'gitdir: nowhere\n')],
    ['is a file of something else', (at: string) => writeFileSync(at, 'nonsense')],
  ])('where .git %s', async (_, make) => {
    const project = temporaryFolder({
      'Pulumi.yaml': 'name: sign-in\nruntime: nodejs\n',
      'Pulumi.dev.yaml': '',
    });
    make(join(project, '.git'));
    const stack = await readDeclaring(project, 'dev', { PATH });
    await expect(isAtBase(stack, { PATH })).rejects.toMatchObject({ code: 'repository_unreadable' });
  });

  test('where there is no git: then nothing is reviewed', async () => {
    const stack = await readDeclaring(folder, 'dev', { PATH });
    const env = { PATH: temporaryFolder() };
    expect([await isAtBase(stack, env), await gateAtBase(stack, env)]).toEqual([false, 'unknown']);
    await expect(reviewsAtBase(stack, env)).rejects.toMatchObject({ code: 'review_missing' });
  });

  test('and a folder in no repository has no other files', async () => {
    const project = temporaryFolder({
      'Pulumi.yaml': 'name: sign-in\nruntime: nodejs\n',
      'Pulumi.dev.yaml': '',
    });
    expect(await isAtBase(await readDeclaring(project, 'dev', { PATH }), { PATH: '' })).toBe(true);
  });
});
