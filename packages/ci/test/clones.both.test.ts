import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../../../test/harness/environment-under-test.ts';
import { longTest } from '../../../test/harness/long-run.ts';
import { NewRepository } from '../../../test/harness/new-repository.ts';
import { standIn } from '../../../test/harness/stand-in.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { keys } from '../../core/test/statement/reviewed.ts';
import { gitHub, gitLab } from './hosts.ts';
import { inProcess } from './in-process.ts';
import { jobsAt } from './jobs.ts';

const plan = readFileSync(
  join(root, 'packages/core/test/review/cases/opentofu/01-role-one-more-policy.json'),
  'utf8',
);
const shown = join(temporaryFolder({ 'plan.json': JSON.stringify(JSON.parse(plan)) }), 'plan.json');
const PATH = [standIn('tofu', `cat '${shown}'`), process.env['PATH']].join(delimiter);

/** What a pull request of two commits replaces the key of alice by. */
const repository = new NewRepository();
const commits = { before: '', forged: '', change: '', merge: '' };
const asks = (pem: string) =>
  `config:\n  gatehouse:reviews: { signers: [{ name: alice, key: ${JSON.stringify(pem)}, until: 2999-12-31 }] }\n`;

beforeAll(() => {
  const git = (...args: string[]) => repository.git(...args).trim();
  const commit = () => {
    git('commit', '--all', '--allow-empty', '--quiet', '--message', 'x');
    return git('rev-parse', 'HEAD');
  };
  git('branch', '--move', '--force', 'main');
  repository.change('config:\n', asks(keys.alice.publicPem));
  commits.before = commit();
  git('checkout', '--quiet', '-b', 'change');
  repository.change(asks(keys.alice.publicPem), asks(keys.mallory.publicPem));
  commits.forged = commit();
  commits.change = commit();
  git('checkout', '--quiet', 'main');
  // The branch goes on meanwhile.
  commits.before = commit();
  git('merge', '--quiet', '--no-ff', '--message', 'x', 'change');
  commits.merge = git('rev-parse', 'HEAD');
  git('update-ref', 'refs/pull/7/merge', commits.merge);
  git('update-ref', 'refs/pipelines/9', commits.change);
  git('reset', '--quiet', '--hard', commits.before);
  for (const name of ['refs/remotes/origin/HEAD', 'origin/HEAD', 'origin/main'])
    git('update-ref', `refs/tags/${name}`, commits.forged);
  git('config', 'uploadpack.allowAnySHA1InWant', 'true');
});

function clone(): { folder: string; git: (...args: string[]) => void } {
  const folder = join(temporaryFolder(), 'work');
  mkdirSync(folder);
  const git = (...args: string[]) =>
    void execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], { cwd: folder, stdio: 'pipe' });
  git('init', '--quiet');
  git('remote', 'add', 'origin', `file://${repository.folder}`);
  return { folder, git };
}

/** As `actions/checkout` does it. With all tags, as `fetch-tags` asks for. */
function actionsCheckout(commit: string, ref: string, depth: number): string {
  const { folder, git } = clone();
  git(
    'fetch',
    '--quiet',
    '--prune',
    '--no-recurse-submodules',
    `--depth=${depth}`,
    'origin',
    `+${commit}:${ref}`,
    '+refs/tags/*:refs/tags/*',
  );
  git('checkout', '--quiet', '--force', ref);
  return folder;
}

/** As GitLab's runner does it. */
function runnerCheckout(commit: string): string {
  const { folder, git } = clone();
  git(
    'fetch',
    '--quiet',
    '--prune',
    'origin',
    '+refs/pipelines/9:refs/pipelines/9',
    '+refs/heads/*:refs/remotes/origin/*',
    '+refs/tags/*:refs/tags/*',
  );
  git('checkout', '--quiet', '--force', commit);
  return folder;
}

const cases = [
  {
    name: 'a pull request at GitHub',
    host: gitHub,
    checkout: () => actionsCheckout(commits.merge, 'refs/remotes/pull/7/merge', 2),
    variables: () => ({ GITHUB_EVENT_NAME: 'pull_request', GITHUB_SHA: commits.merge }),
  },
  {
    name: 'a push at GitHub',
    host: gitHub,
    checkout: () => actionsCheckout(commits.merge, 'refs/remotes/origin/main', 3),
    variables: () => {
      const folder = temporaryFolder({ 'event.json': JSON.stringify({ before: commits.before }) });
      return {
        GITHUB_EVENT_NAME: 'push',
        GITHUB_SHA: commits.merge,
        GITHUB_EVENT_PATH: join(folder, 'event.json'),
      };
    },
  },
  {
    name: 'a merge request at GitLab',
    host: gitLab,
    checkout: () => runnerCheckout(commits.change),
    variables: () => ({
      CI_MERGE_REQUEST_DIFF_BASE_SHA: commits.before,
      CI_COMMIT_BEFORE_SHA: '0'.repeat(40),
    }),
  },
];

describe.each(cases)('a clone for $name', ({ host, checkout, variables }) => {
  let folder = '';
  const jobs = jobsAt(inProcess(host), '.');
  beforeAll(() => {
    folder = checkout();
    writeFileSync(join(folder, 'tfplan'), 'PK\x03\x04 a plan');
  });
  const run = (args: string[], env: NodeJS.ProcessEnv = variables()) =>
    jobs.run([...args, '--stack', 'dev', '--plan', 'tfplan', '--base', 'event'], {
      env: { PATH, ...env },
      folder,
    });
  const signedBy = (name: keyof typeof keys) => run(['review'], { ...variables(), SIGN_KEY: keys[name].pem });

  longTest('holds a plan to the signers before the change, whatever tags it brings', async () => {
    await signedBy('mallory');
    const forged = await run(['verify-review']);
    expect([forged.code, forged.output]).toEqual([
      2,
      expect.stringContaining('its key is not of one of the signers'),
    ]);
    await signedBy('alice');
    const { code, output } = await run(['verify-review']);
    expect([code, output]).toEqual([0, expect.stringContaining('Reviewed and signed by alice')]);
  });

  test('refuses where the event names no commit', async () => {
    await signedBy('alice');
    const { code, output } = await run(['verify-review'], {});
    expect([code, output]).toEqual([1, expect.stringContaining('no base revision shows it')]);
  });

  longTest('refuses a review of the files without one', async () => {
    const { code } = await jobs.run(['review', '--stack', 'dev', '--since', 'event'], {
      env: { PATH, ...variables() },
      folder,
    });
    expect(code).not.toBe(1);
    const none = jobs.run(['review', '--stack', 'dev', '--since', 'event'], { env: { PATH }, folder });
    await expect(none).rejects.toThrow('names no commit that the change goes into');
  });
});
