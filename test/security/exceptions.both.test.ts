import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { openDeclared } from '../../packages/cli/src/open/open-environment.ts';
import { readDeclaring } from '../../packages/cli/src/open/open-stack.ts';
import { reviewSettings } from '../../packages/cli/src/review/review-stack.ts';
import { runCommand } from '../../packages/cli/test/running-command.ts';
import { judgeGraph } from '../../packages/core/src/review/rules/rules.ts';
import { longTest, someOf } from '../harness/long-run.ts';
import { NewRepository } from '../harness/new-repository.ts';

const env = { PATH: process.env['PATH'] };
const repository = new NewRepository();
const { folder } = repository;
const git = (...args: string[]) => repository.git(...args).trim();
const commit = (message: string) => {
  git('add', '--all', '--force', '--', '.', ':!node_modules');
  git('commit', '--quiet', '--allow-empty', '--message', message);
};
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};

/** The repository as a pipeline has it: a branch of a change, and the default branch of `origin` as of the base. */
function asInPipeline(base: () => void): void {
  base();
  commit('base');
  git('remote', 'add', 'origin', 'https://git.example/x.git');
  git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
  git('checkout', '--quiet', '-b', 'change');
}

let first = '';
beforeEach(() => {
  first ||= git('rev-parse', 'HEAD');
  if (git('remote') !== '') git('remote', 'remove', 'origin');
  for (const ref of git('for-each-ref', '--format=%(refname)').split('\n')) {
    if (ref !== 'refs/heads/main' && ref !== '') git('update-ref', '-d', ref);
  }
  git('checkout', '--quiet', '--force', '-B', 'main', first);
  git('clean', '--quiet', '--force', '-d', '-x');
});

/** What the review of a plan finds of the stack, and whether an exception or a rule that is off takes a finding away. */
async function found(base?: string, project = folder) {
  const stack = await readDeclaring(project, 'dev', env);
  const { options } = await reviewSettings(stack, env, undefined, base);
  const findings = judgeGraph((await openDeclared(stack, env)).graph, options);
  return {
    weakened: findings.filter(({ rule }) => rule === 'gate-weakened').map(({ subject }) => subject.name),
    accepted:
      Object.hasOwn(options.disabled ?? {}, 'policy-unknown') || findings.some(({ exception }) => exception),
    objects: findings.some(({ rule, severity }) => rule === 'policy-unknown' && severity !== 'info'),
  };
}

const exception = { rule: 'policy-unknown', subject: 'role staff/reader', because: 'x', owner: 'me' };
const accepts = { 'gatehouse:exceptions': [{ ...exception, until: '2027-06-30' }] };
const turnsOff = { 'gatehouse:rules': { preset: 'strict', disabled: { 'policy-unknown': 'x' } } };
const kinds = { exception: accepts, 'rule that is off': turnsOff };

const risky = (path = 'Pulumi.dev.yaml') =>
  repository.change('reader, policies: [secrets-read]', 'reader, policies: [elsewhere]', path);
const add = (settings: object, path?: string) => repository.addSettings(settings, path);

/** A way to have the base revision taken for something else, or the file for one that did not change. */
interface Attempt {
  base?: () => void;
  file?: string;
  after?: () => void;
}
const addFile = (to: string) => () => {
  mkdirSync(dirname(join(folder, to)), { recursive: true });
  renameSync(join(folder, 'Pulumi.dev.yaml'), join(folder, to));
};
const ref = (name: string) => () => {
  commit('slip');
  git('update-ref', name, 'HEAD');
};
const attacks: Record<string, Attempt> = {
  'in the stack file': {},
  'in a commit': { after: () => commit('slip') },
  'in a commit before the last': {
    after: () => {
      commit('slip');
      commit('more');
    },
  },
  'behind a link that was there': {
    base: () => {
      addFile('real/dev.yaml')();
      symlinkSync('real/dev.yaml', join(folder, 'Pulumi.dev.yaml'));
    },
    file: 'real/dev.yaml',
  },
  'behind a link that is new': {
    file: 'Pulumi.dev.yaml',
    after: () => {
      addFile('real/dev.yaml')();
      symlinkSync('real/dev.yaml', join(folder, 'Pulumi.dev.yaml'));
    },
  },
  'in a folder of stack files, where one that is not read did not change': {
    base: () => {
      const text = repository.read('Pulumi.dev.yaml');
      addFile('stacks/Pulumi.dev.yaml')();
      write('Pulumi.dev.yaml', text);
      write('Pulumi.yaml', `${repository.read('Pulumi.yaml')}stackConfigDir: stacks\n`);
    },
    file: 'stacks/Pulumi.dev.yaml',
  },
  'with a tag that is called as the default branch of origin': { after: ref('refs/tags/origin/HEAD') },
  'with a branch that is called so': { after: ref('refs/heads/origin/HEAD') },
  'with a ref that is called so': { after: ref('refs/origin/HEAD') },
  'without a default branch of origin, with a tag in its place': {
    after: () => {
      ref('refs/tags/origin/HEAD')();
      git('symbolic-ref', '--delete', 'refs/remotes/origin/HEAD');
    },
  },
  'without a default branch of origin': {
    after: () => {
      commit('slip');
      git('symbolic-ref', '--delete', 'refs/remotes/origin/HEAD');
    },
  },
  'in a history of its own': {
    after: () => {
      git('checkout', '--quiet', '--orphan', 'own');
      commit('slip');
    },
  },
  'with attributes that hide it': {
    after: () => {
      write('.gitattributes', '* -diff -text ident merge=ours export-ignore\n');
      commit('slip');
    },
  },
  'for another service': {
    after: () => repository.change('address: http://127.0.0.1:8200', 'address: http://127.0.0.1:8201'),
  },
};

/** Where there is no base revision of the same stack. */
const isUnseen = /^without|history|service/;

const attempts = Object.entries(attacks).flatMap(([name, attack]) =>
  Object.entries(kinds).map(([kind, config]) => [kind, name, attack, config] as const),
);

describe('a change that accepts its own findings', () => {
  longTest.each(someOf(3, attempts))(
    'as %s, %s, has a finding, and is judged',
    async (kind, name, attack, config) => {
      asInPipeline(attack.base ?? (() => {}));
      risky(attack.file);
      add(config, attack.file);
      attack.after?.();
      const { weakened, accepted, objects } = await found();
      const isException = kind === 'exception';
      expect(weakened).toEqual([
        isException ? 'exception from policy-unknown for role staff/reader' : 'rule policy-unknown',
      ]);
      // A rule that is off stays off where there is nothing to compare with: the finding tells.
      const isJudged = isException || !isUnseen.test(name);
      expect({ accepted, objects }).toEqual({ accepted: !isJudged, objects: isJudged });
    },
  );
});

describe('a revision of two meanings', () => {
  longTest.each(['review --since', 'preview --base'])('is none: %s', async (command) => {
    asInPipeline(() => {});
    risky();
    add(accepts);
    ref('refs/tags/origin/main')();
    if (command === 'preview --base') {
      return expect(found('origin/main')).rejects.toMatchObject({ code: 'revision_unreadable' });
    }
    const args = ['review', '-s', 'dev', '--since', 'origin/main'];
    const { code, err } = await runCommand(args, env, folder);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('(revision_unreadable)') });
  });
});

test('what the base revision accepts counts', async () => {
  asInPipeline(() => {
    risky();
    add(accepts);
  });
  expect(await found()).toEqual({ weakened: [], accepted: true, objects: false });
});

test('in a submodule, whose origin a change may choose, nothing is accepted', async () => {
  asInPipeline(() => {
    risky();
    add(accepts);
  });
  git('checkout', '--quiet', 'main');
  git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', folder, 'sub');
  const { weakened, accepted } = await found(undefined, join(folder, 'sub'));
  expect({ weakened, accepted }).toEqual({
    weakened: ['exception from policy-unknown for role staff/reader'],
    accepted: false,
  });
});
