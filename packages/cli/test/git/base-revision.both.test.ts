import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { longTest } from '../../../../test/harness/long-run.ts';
import { gateAtBase, isAtBase, reviewsAtBase } from '../../src/open/at-revision.ts';
import { readDeclaring } from '../../src/open/open-stack.ts';
import { HostileRepository, reviewedBy } from './hostile-repository.ts';

const env = { PATH: process.env['PATH'] };
const repository = new HostileRepository();
const git = (...args: string[]) => repository.git(...args);
let reviewed = '';
let forged = '';

/** A clone as CI makes it, of a change that names a signer of its own, and that may bring tags. */
beforeAll(() => {
  repository.declare(reviewedBy('alice'));
  reviewed = repository.commit();
  repository.declare(reviewedBy('mallory'));
  forged = repository.commit();
  git('checkout', '--quiet', '--detach');
  git('branch', '--delete', '--force', 'main');
  git('remote', 'add', 'origin', 'https://code.example.com/sign-in.git');
});
afterEach(() => {
  rmSync(join(repository.folder, '.git/refs/remotes'), { recursive: true, force: true });
  const refs = git('for-each-ref', '--format=%(refname)').split('\n').filter(Boolean);
  for (const ref of refs) git('update-ref', '--no-deref', '-d', ref);
});

const stackNow = () => readDeclaring(repository.folder, 'dev', env);
async function signersAt(revision?: string): Promise<string[] | undefined> {
  const asked = await reviewsAtBase(await stackNow(), env, revision);
  return asked?.policy.signers.map(({ name }) => name);
}
const tag = (name: string) => git('update-ref', `refs/tags/${name}`, forged);

describe('without a default branch of origin, no base revision is', () => {
  longTest.each<[string, () => void]>([
    ['a tag that is called as its ref in full', () => tag('refs/remotes/origin/HEAD')],
    ['a tag that is called as its ref', () => tag('origin/HEAD')],
    [
      'a branch of the remote that is called HEAD',
      () => git('update-ref', 'refs/remotes/origin/HEAD', forged),
    ],
    [
      'what a symbolic ref of another place leads to',
      () => {
        git('update-ref', 'refs/heads/mine', forged);
        git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/heads/mine');
      },
    ],
    [
      'a tag in the place of the branch that it leads to',
      () => {
        git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
        tag('refs/remotes/origin/main');
      },
    ],
    ['a branch below it', () => git('update-ref', 'refs/remotes/origin/HEAD/x', forged)],
  ])('%s', async (_, attempt) => {
    attempt();
    const stack = await stackNow();
    await expect(signersAt()).rejects.toMatchObject({ code: 'review_missing' });
    expect([await gateAtBase(stack, env), await isAtBase(stack, env)]).toEqual(['unknown', false]);
  });
});

describe('a revision that a person names is none', () => {
  longTest.each<[string, string, string]>([
    ['a ref in full that only a tag has', 'refs/remotes/origin/main', 'refs/remotes/origin/main'],
    ['a branch of origin that only a tag has', 'origin/main', 'origin/main'],
    ['its parent', 'origin/main^1', 'origin/main'],
  ])('of %s', async (_, revision, name) => {
    tag(name);
    await expect(signersAt(revision)).rejects.toMatchObject({ code: 'revision_unreadable' });
  });

  longTest('of the beginning of an id that a tag has', async () => {
    const short = reviewed.slice(0, 9);
    expect(await signersAt(short)).toEqual(['alice']);
    tag(short);
    await expect(signersAt(short)).rejects.toMatchObject({ code: 'revision_unreadable' });
  });

  test('of a word that is both a branch and a tag', async () => {
    git('update-ref', 'refs/heads/main', reviewed);
    tag('main');
    await expect(signersAt('main')).rejects.toMatchObject({ code: 'revision_unreadable' });
  });
});

describe('a revision that a person names is what git finds', () => {
  test.each<[string, () => string, () => void]>([
    ['by an id, also where a tag has it', () => reviewed, () => tag(reviewed)],
    ['by a parent', () => 'HEAD^1', () => {}],
    ['by a parent of an id', () => `${forged}^1`, () => {}],
    ['by a branch', () => 'main', () => git('update-ref', 'refs/heads/main', reviewed)],
    [
      'by a branch of origin',
      () => 'origin/main',
      () => git('update-ref', 'refs/remotes/origin/main', reviewed),
    ],
    ['by a tag', () => 'v1', () => git('update-ref', 'refs/tags/v1', reviewed)],
    ['by a tag with a message', () => 'v2', () => git('tag', '--annotate', '--message', 'x', 'v2', reviewed)],
    ['by a ref in full', () => 'refs/heads/main', () => git('update-ref', 'refs/heads/main', reviewed)],
    [
      'by HEAD of origin',
      () => 'origin/HEAD',
      () => {
        git('update-ref', 'refs/remotes/origin/main', reviewed);
        git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
      },
    ],
  ])('%s', async (_, revision, prepare) => {
    prepare();
    expect(await signersAt(revision())).toEqual(['alice']);
  });
});
