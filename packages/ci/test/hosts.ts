import { main as atGitHub } from '../github.ts';
import { main as atGitLab } from '../gitlab.ts';
import type { HostDouble } from './host-double.ts';

interface Host {
  name: string;
  main: typeof atGitHub;
  /** Of the job, and the account that it is of. */
  token: string;
  account: { id: number; login: string };
  /** What the request to comment begins with. */
  comments: string;
  /** What a review says that was told. */
  posted: string;
  /** The variables of a job: the host's own, for a double and a folder of the job's, in so many runs. */
  variables: (host: HostDouble, folder: string, run: number) => Record<string, string>;
}

export const gitHub: Host = {
  name: 'GitHub',
  main: atGitHub,
  token: 'ghs_only-for-tests',
  account: { id: 41898282, login: 'github-actions[bot]' },
  comments: 'POST /repos/acme/sign-in/issues/7/comments',
  posted: 'Comment at pull request 7',
  variables: ({ url }, folder, run) => ({
    GITHUB_API_URL: url,
    GITHUB_GRAPHQL_URL: `${url}/graphql`,
    GITHUB_SERVER_URL: 'https://github.example.com',
    GITHUB_REPOSITORY: 'acme/sign-in',
    GITHUB_RUN_ID: `${run}`,
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_EVENT_PATH: `${folder}/event.json`,
    GITHUB_STEP_SUMMARY: `${folder}/summary`,
    GITHUB_OUTPUT: `${folder}/output`,
    GITHUB_TOKEN: gitHub.token,
    RUNNER_TEMP: folder,
  }),
};

export const gitLab: Host = {
  name: 'GitLab',
  main: atGitLab,
  token: 'glpat-only-for-tests',
  account: { id: 41, login: 'project_5_bot' },
  comments: 'POST /api/v4/projects/5/merge_requests/7/notes',
  posted: 'Note at merge request 7',
  variables: ({ url }, folder, run) => ({
    CI_API_V4_URL: `${url}/api/v4`,
    CI_PROJECT_DIR: folder,
    CI_PROJECT_ID: '5',
    CI_MERGE_REQUEST_IID: '7',
    CI_PIPELINE_ID: `${run}`,
    CI_JOB_ID: `${run}0`,
    CI_JOB_URL: 'https://gitlab.example.com/acme/sign-in/-/jobs/1000',
    GITLAB_TOKEN: gitLab.token,
  }),
};

export const hosts = [gitHub, gitLab];
