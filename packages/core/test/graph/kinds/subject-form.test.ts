import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { kindById, type ProviderKind, providerKinds } from '../../../src/graph/kinds/kinds.ts';
import { boundSubject, otherForm, tellsWhoseSubject } from '../../../src/graph/kinds/subject-form.ts';
import { matchesGlob } from '../../../src/login/bound-claims.ts';

const formOf = (kind: ProviderKind) => {
  const form = kindById(kind).shared?.subject;
  if (form === undefined) throw new Error(`${kind} has no form`);
  return form;
};
const tells = (kind: ProviderKind, text: string, isGlob = text.includes('*')) =>
  tellsWhoseSubject(formOf(kind), boundSubject(text, isGlob));

const uuid = 'c0ffee00-1111-4222-8333-444455556666';
/** Of each kind: subjects that are of one owner, and those that others can have as well. */
const subjects: Partial<Record<ProviderKind, { ofOne: string[]; ofOthers: string[] }>> = {
  github_actions: {
    ofOne: [
      'repo:acme/*',
      'repo:acme/shop:*',
      'repo:acme/shop*',
      'repo:acme@*/*',
      'repo:acme@*/shop@*:*',
      'repo:acme@*/shop@*:ref:refs/heads/main',
      'repo:acme@7*',
      'repo:acme@7/shop@42:ref:refs/heads/*',
      'repo:acme/shop:ref:refs/heads/main',
      'repo:acme@7/shop@42:pull_request',
      'repo:acme/shop',
      'repository_owner:acme:*',
      'repository_owner:acme',
      'repository_owner_id:7:repository_visibility:*',
      'repository_id:42:*',
      'environment:prod:repo:acme/*',
      'pull_request:repo:acme@*/shop',
    ],
    ofOthers: [
      'repo:acme*',
      'repo:acme*/*',
      'repo:acme*/shop:ref:refs/heads/main',
      // A branch may be called `a@7/b`, or `shop@42/x`.
      'repo:*@7/*',
      'repo:*/shop@42:*',
      'repo:*:ref:refs/heads/main',
      'repo*',
      '*',
      '*:repository_owner:acme',
      'repository_owner:acme*',
      'repository_owner_id:7*',
      'repository_id:4*',
      'environment:prod*',
      'environment:prod:*',
      'environment:prod',
      'ref:refs/heads/main',
      'pull_request',
      'pull_request*',
      'job_workflow_ref:acme/ci/.github/workflows/deploy.yml@refs/heads/main',
      'repo_property_team:pay:environment:prod',
      'environment:prod:unheard_of:x',
    ],
  },
  gitlab_ci: {
    ofOne: [
      'project_path:acme/*',
      'project_path:acme/shop/api:ref_type:branch:ref:*',
      'project_path:acme/shop:ref_type:tag:ref:v1',
    ],
    ofOthers: ['project_path:acme*', 'project_path:*/shop:ref_type:branch:ref:main', 'project*'],
  },
  bitbucket_pipelines: {
    ofOne: [`{${uuid}}:*`, `{${uuid}}*`, `{${uuid}}:{${uuid}}:{${uuid}}`],
    ofOthers: [`{*}:{${uuid}}:*`, `{${uuid.slice(0, 8)}*`, '*'],
  },
  circleci: {
    ofOne: [`org/${uuid}/*`, `org/${uuid}/project/*/user/*`, `org/${uuid}/project/${uuid}/user/${uuid}`],
    // A branch may be called `project/x/user/y`.
    ofOthers: ['org/*', `org/*/project/${uuid}/user/*`, `org/${uuid}*`],
  },
  buildkite: {
    ofOne: ['organization:acme:*', 'organization:acme:pipeline:shop*', uuid],
    ofOthers: ['organization:acme*', 'organization:*:pipeline:shop:*', `${uuid.slice(0, 8)}*`, `${uuid}*`],
  },
  hcp_terraform: {
    ofOne: [
      'organization:acme:*',
      'organization:acme:project:Default Project:workspace:*',
      'organization:acme:module:*',
    ],
    ofOthers: ['organization:acme*', 'organization:*:workspace:shop:*'],
  },
  container_orchestrator: {
    ofOne: ['system:serviceaccount:shop:*', 'system:serviceaccount:shop:web'],
    ofOthers: ['system:serviceaccount:shop*', 'system:serviceaccount:*:web', 'system:*'],
  },
};

test('each kind whose issuer others share has its form', () => {
  expect(Object.keys(subjects).sort()).toEqual(
    providerKinds.filter((kind) => kindById(kind).shared !== undefined).sort(),
  );
});

describe.each(Object.entries(subjects) as [ProviderKind, { ofOne: string[]; ofOthers: string[] }][])(
  'a subject of %s',
  (kind, { ofOne, ofOthers }) => {
    test.each(ofOne)('%s is of one owner', (text) => expect(tells(kind, text)).toBe(true));
    test.each(ofOthers)('%s is of others as well', (text) => expect(tells(kind, text)).toBe(false));
  },
);

test('a text with a star is exact where no globs are, and in no token', () => {
  expect(tells('github_actions', 'repo:acme*', false)).toBe(true);
});

test('an exact text of no form is in no token', () => {
  expect(tells('github_actions', 'project:7')).toBe(true);
});

test('a subject of a million pieces is read in a moment', () => {
  const text = 'ref:x:'.repeat(200_000);
  const started = process.cpuUsage();
  expect(tells('github_actions', `${text}*`)).toBe(false);
  expect(process.cpuUsage(started).user / 1e6).toBeLessThan(20);
});

describe('another form of the same subject', () => {
  const old = 'repo:<owner>/<repository>';
  const immutable = 'repo:<owner>@<owner id>/<repository>@<repository id>';
  test.each<[string, string[], string, { bound: string; presented: string } | undefined]>([
    [
      'the new one of a token',
      ['repo:acme/shop:ref:refs/heads/main'],
      'repo:acme@7/shop@42:ref:refs/heads/main',
      { bound: old, presented: immutable },
    ],
    [
      'the old one of a token',
      ['repo:acme@7/shop@42:*'],
      'repo:acme/shop:pull_request',
      { bound: immutable, presented: old },
    ],
    ['any repository', ['repo:acme/*'], 'repo:acme@7/shop@42:x', { bound: old, presented: immutable }],
    ['another owner', ['repo:acme/shop:*'], 'repo:evil@9/shop@42:pull_request', undefined],
    ['another repository', ['repo:acme/shop:*'], 'repo:acme@7/other@42:pull_request', undefined],
    ['the same form', ['repo:acme/shop:ref:x'], 'repo:acme/shop:pull_request', undefined],
    ['both forms bound', ['repo:acme/shop:ref:x', 'repo:acme@7/*:y'], 'repo:acme@7/shop@42:x', undefined],
    ['no subject of the kind', ['repo:acme/shop:ref:x'], 'acme', undefined],
  ])('%s', (_, bound, presented, found) => {
    const all = bound.map((text) => boundSubject(text, true));
    expect(otherForm(formOf('github_actions'), all, presented)).toEqual(found);
  });
});

describe('a random pattern of one owner’s subjects', () => {
  const seed = 20_261_129;
  const written = (value: string) => value.replaceAll(':', '%3A');
  /** Branches and environments that a stranger may make to look like something else. */
  const named = [
    'main',
    'acme/shop',
    'a@7/b',
    'x/shop@42',
    'acme@7/shop@42',
    'project/p/user/u',
    'a:repo:acme/shop',
  ];
  const anyName = fc.constantFrom(...named);
  const anyRef = anyName.map((name) => `refs/heads/${name.replaceAll(':', '')}`);
  /** What an issuer may write for an owner, by its public documents. */
  const issued: Partial<Record<ProviderKind, (owner: string, id: string) => fc.Arbitrary<string>>> = {
    github_actions: (owner, id) => {
      const repository = fc.constantFrom(`${owner}/shop`, `${owner}/web`, `${owner}@${id}/shop@${id}2`);
      const context = fc.oneof(
        anyRef.map((ref) => `ref:${ref}`),
        anyName.map((name) => `environment:${written(name)}`),
        fc.constant('pull_request'),
      );
      const piece = fc.oneof(
        repository.map((name) => `repo:${name}`),
        context,
        fc.constantFrom(`repository_owner:${owner}`, `repository_owner_id:${id}`, `repository_id:${id}2`),
        fc.constant('job_workflow_ref:acme/ci/.github/workflows/x.yml@refs/heads/main'),
      );
      return fc.oneof(
        fc.tuple(repository, context).map(([name, rest]) => `repo:${name}:${rest}`),
        fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(':')),
      );
    },
    gitlab_ci: (owner) =>
      fc
        .tuple(fc.constantFrom('shop', 'sub/shop'), anyName)
        .map(
          ([project, ref]) =>
            `project_path:${owner}/${project}:ref_type:branch:ref:${ref.replaceAll(':', '')}`,
        ),
    circleci: (_, id) =>
      fc
        .tuple(fc.constantFrom('1', '2'), anyRef)
        .map(
          ([project, ref]) =>
            `org/${id}/project/${id}${project}/user/5/vcs-origin/github.com/x/vcs-ref/${ref}`,
        ),
    buildkite: (owner, id) =>
      fc.oneof(
        fc
          .tuple(fc.constantFrom('shop', 'web'), anyRef)
          .map(([pipeline, ref]) => `organization:${owner}:pipeline:${pipeline}:ref:${ref}:commit:1:step:x`),
        fc.constant(`${id}1`),
      ),
    hcp_terraform: (owner) =>
      fc.constantFrom(
        `organization:${owner}:project:Default Project:workspace:shop:run_phase:plan`,
        `organization:${owner}:module:shop:operation:test_run`,
      ),
  };
  const strangers = [
    ['acme-evil', '77'],
    ['evil', '9'],
    ['ac', '70'],
    ['evil-acme', '17'],
  ] as const;
  const count = 400;

  test.each(Object.entries(issued) as [ProviderKind, (owner: string, id: string) => fc.Arbitrary<string>][])(
    'of %s that is judged to be theirs lets in no one else',
    (kind, subjectsOf) => {
      const own = fc.sample(subjectsOf('acme', '7'), { seed, numRuns: count });
      const theirs = strangers.flatMap(([owner, id]) =>
        fc.sample(subjectsOf(owner, id), { seed, numRuns: count }),
      );
      const cuts = fc.sample(fc.array(fc.nat(), { minLength: 2, maxLength: 4 }), { seed, numRuns: count });
      let isTold = 0;
      for (const [at, subject] of own.entries()) {
        const places = (cuts[at] ?? []).map((cut) => cut % (subject.length + 1)).sort((a, b) => a - b);
        const pattern = places.reduce(
          ({ text, from }, place, index) =>
            index % 2 === 0
              ? { text: `${text}${subject.slice(from, place)}*`, from: place }
              : { text, from: place },
          { text: '', from: 0 },
        );
        const glob = pattern.text + subject.slice(pattern.from);
        if (!tells(kind, glob, true)) continue;
        isTold += 1;
        expect([glob, theirs.find((other) => matchesGlob(glob, other))]).toEqual([glob, undefined]);
      }
      expect(isTold).toBeGreaterThan(count / 10);
    },
  );
});
