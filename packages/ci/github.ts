// The program of action.yml: runs one of the checks and reports it at GitHub.
import { realpathSync } from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CheckReport, readRequest, runCheck, shortened } from './check.ts';
import { CodeHost, ifThere } from './code-host.ts';
import { runGatehouse } from './command.ts';
import { keepIssue, keepOne, type Mark, type Post, type Posts } from './keep-one.ts';
import { unzipped } from './nightly-snapshot.ts';

/**
 * Most characters of a comment or an issue, and of a step's summary. A summary may have 1 MiB, and a character here takes at
 * most three bytes.
 */
const longest = { post: 65_536, summary: 300_000 };

/** The account behind a job's token, used if the server does not name it. */
const jobAccount = 'github-actions[bot]';

/** The properties of the event that started a workflow. */
interface WorkflowEvent {
  pull_request?: { number: number; head: { repo: { full_name: string } | null }; base?: { sha: string } };
  merge_group?: { base_sha: string };
  /** For a push, the commit of the branch before it. */
  before?: string;
}

/** A comment or an issue, as the API returns it. */
interface GitHubPost {
  id: number;
  number: number;
  body: string | null;
  user: { login: string } | null;
  pull_request?: object;
}

/**
 * Runs the check, reports its findings, and returns its exit code. `say` writes a line to the job's log.
 *
 * @throws HostError if the issue about drift cannot be written: no one would hear of the drift
 */
export async function main(
  argv: string[],
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
  run = runGatehouse,
): Promise<number> {
  const request = readRequest(argv);
  const { GITHUB_API_URL, GITHUB_REPOSITORY: repository = '', GITHUB_SERVER_URL, GITHUB_RUN_ID } = env;
  const api = new CodeHost(GITHUB_API_URL ?? 'https://api.github.com', headersOf(env));
  const report = await runCheck(request, env, {
    eventBase: () => eventBase(env),
    fetchSnapshot: (name) => fetchSnapshot(api, `/repos/${repository}`, name),
    run,
    output: env['RUNNER_TEMP'] ?? '.',
  });
  await tellJob(report, env);
  if (report.answer !== undefined)
    say(`::${report.code === 0 ? 'notice' : 'error'}::${plainLine(report.answer)}`);
  if (request.check === 'snapshot' || request.check === 'verify-review') return report.code;
  const link = `[Run](${GITHUB_SERVER_URL}/${repository}/actions/runs/${GITHUB_RUN_ID})`;
  const mark: Mark = {
    check: request.check,
    name: request.stack ?? request.plan ?? 'stack',
    run: Number(GITHUB_RUN_ID),
    attempt: Number(env['GITHUB_RUN_ATTEMPT']),
  };
  const whole = `the whole report is in the summary of ${link.replace('Run', 'its run')}.`;
  const markdown = shortened(`${report.markdown}\n${link}\n`, longest.post - 300, whole);
  if (request.check === 'drift') {
    const title = `Sign-in drift: ${mark.name}`;
    const issues = issuesOf(api, repository, await account(env), title, `${link}.`);
    say(await keepIssue(issues, mark, report.code, markdown));
  } else say(await tellReview(api, repository, mark, markdown, env));
  return report.code;
}

/** Writes the step's summary, which needs no token, and the outputs that later steps read. */
async function tellJob(
  { code, markdown, sarif, snapshot, statement }: CheckReport,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output, RUNNER_TEMP: folder } = env;
  if (summary)
    await appendFile(summary, shortened(markdown, longest.summary, 'it is too long for a summary.'));
  if (!output) return;
  const files = Object.entries({ snapshot, statement }).filter(([, file]) => file !== undefined);
  await appendFile(output, [`code=${code}`, ...files.map((pair) => pair.join('=')), ''].join('\n'));
  if (sarif === undefined || !folder) return;
  const file = join(folder, `gatehouse-${process.pid}.sarif`);
  await writeFile(file, JSON.stringify(sarif));
  await appendFile(output, `sarif=${file}\n`);
}

/** A run of a workflow, as the API returns it. */
interface WorkflowRun {
  id: number;
  event: string;
  head_branch: string;
  head_repository: { full_name: string } | null;
}

interface Artifact {
  id: number;
  name: string;
  expired: boolean;
}

/**
 * Fetches the newest snapshot of the scheduled runs. Only GitHub starts a scheduled run, it runs the default branch, and no
 * other run can add artifacts to it.
 */
async function fetchSnapshot(api: CodeHost, repository: string, name: string): Promise<Buffer | undefined> {
  const get = (path: string): Promise<unknown> => api.send('GET', `${repository}${path}`);
  const { default_branch: branch, full_name } = (await get('')) as Record<string, string>;
  const query = new URLSearchParams({ event: 'schedule', branch: String(branch), per_page: '10' });
  const listed = await ifThere(get(`/actions/workflows/snapshot.yaml/runs?${query}`));
  const { workflow_runs: runs } = (listed ?? { workflow_runs: [] }) as { workflow_runs: WorkflowRun[] };
  const isOurs = ({ event, head_branch, head_repository }: WorkflowRun) =>
    event === 'schedule' && head_branch === branch && head_repository?.full_name === full_name;
  for (const { id } of runs.filter(isOurs)) {
    const { artifacts } = (await get(`/actions/runs/${id}/artifacts?name=${encodeURIComponent(name)}`)) as {
      artifacts: Artifact[];
    };
    // A run that was retried has an artifact of each attempt.
    const [newest] = artifacts
      .filter((artifact) => artifact.name === name && !artifact.expired)
      .sort((a, b) => b.id - a.id);
    if (newest) return unzipped(await api.download(`${repository}/actions/artifacts/${newest.id}/zip`));
  }
  return undefined;
}

function headersOf({ GITHUB_TOKEN: token }: NodeJS.ProcessEnv): Record<string, string> {
  return {
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    ...(token && { authorization: `Bearer ${token}` }),
  };
}

async function readEvent({ GITHUB_EVENT_PATH: path = '' }: NodeJS.ProcessEnv): Promise<WorkflowEvent> {
  return JSON.parse(await readFile(path, 'utf8').catch(() => '{}'));
}

/**
 * The commit that a change is merged into. For a pull request, GitHub checks out a merge commit that it made for the check:
 * its first parent is the newest commit of the target branch. `pull_request.base.sha` may be as old as the pull request.
 */
async function eventBase(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { GITHUB_EVENT_NAME: name, GITHUB_SHA: merged } = env;
  if (name === 'pull_request') return merged && `${merged}^1`;
  const { pull_request, merge_group, before } = await readEvent(env);
  if (name === 'pull_request_target') return pull_request?.base?.sha;
  if (name === 'merge_group') return merge_group?.base_sha;
  // All zeros: the branch is new.
  return name === 'push' && before && !/^0+$/.test(before) ? before : undefined;
}

/**
 * Writes the comment, and returns a line that says so. If the comment cannot be written, the check does not fail, because
 * the report is in the summary.
 */
async function tellReview(
  api: CodeHost,
  repository: string,
  mark: Mark,
  markdown: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const event = await readEvent(env);
  if (event.pull_request === undefined) return 'No pull request: the report is in the summary.';
  const { number, head } = event.pull_request;
  try {
    const comments = commentsOf(api, repository, number, await account(env));
    return `Comment at pull request ${number}: ${await keepOne(comments, mark, markdown)}.`;
  } catch (error) {
    const isFork = head.repo?.full_name !== repository;
    const why = isFork
      ? 'The pull request is from a fork, whose jobs may not comment.'
      : `The comment could not be written (${error instanceof Error ? error.message : error}). The job needs the permission pull-requests: write.`;
    return `::${isFork ? 'notice' : 'warning'}::${plainLine(why)} The report is in the summary.`;
  }
}

/** The account of the token. A job's token belongs to an app, and such tokens can query it only by GraphQL. */
async function account(env: NodeJS.ProcessEnv): Promise<string> {
  const graphQl = new CodeHost(env['GITHUB_GRAPHQL_URL'] ?? 'https://api.github.com/graphql', headersOf(env));
  const answer = await graphQl
    .send('POST', '', { query: 'query { viewer { login } }' })
    .catch(() => undefined);
  const { data } = (answer ?? {}) as { data?: { viewer?: { login?: string } } };
  return data?.viewer?.login ?? jobAccount;
}

function commentsOf(api: CodeHost, repository: string, number: number, me: string): Posts {
  const comments = `/repos/${repository}/issues/${number}/comments`;
  const commentPath = (id: number) => `/repos/${repository}/issues/comments/${id}`;
  return {
    list: async () =>
      (await api.list<GitHubPost>(`${comments}?`)).map((comment) => postOf(comment, comment.id, me)),
    create: async (body) => void (await api.send('POST', comments, { body })),
    update: async (id, body) => void (await api.send('PATCH', commentPath(id), { body })),
    remove: async (id) => void (await ifThere(api.send('DELETE', commentPath(id)))),
  };
}

function issuesOf(api: CodeHost, repository: string, me: string, title: string, run: string): Posts {
  const issues = `/repos/${repository}/issues`;
  return {
    async list() {
      const openIssues = await api.list<GitHubPost>(`${issues}?state=open`);
      // GitHub also lists pull requests as issues.
      return openIssues
        .filter((issue) => issue.pull_request === undefined)
        .map((issue) => postOf(issue, issue.number, me));
    },
    create: async (body) => void (await api.send('POST', issues, { title, body })),
    update: async (number, body) => void (await api.send('PATCH', `${issues}/${number}`, { body })),
    async remove(number, why) {
      await ifThere(api.send('POST', `${issues}/${number}/comments`, { body: `${why} ${run}` }));
      await ifThere(api.send('PATCH', `${issues}/${number}`, { state: 'closed' }));
    },
  };
}

function postOf({ body, user }: GitHubPost, id: number, me: string): Post {
  return { id, body: body ?? '', isOurs: user?.login === me };
}

/** A text escaped for a command to the runner. */
function plainLine(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

// `import.meta.main` needs Node 24: an older version would check nothing, and the job would pass.
const [, started] = process.argv;
if (started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2), process.env, (line) => console.log(line));
}
