import { describe, expect, test } from '@jest/globals';
import { kindById, type ProviderKind, providerKinds } from '../../../src/graph/kinds/kinds.ts';
import { boundSubject, otherForm, tellsWhoseSubject } from '../../../src/graph/kinds/subject-form.ts';

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
