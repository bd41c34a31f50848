// What action.yml runs: one of the checks, with a report at GitHub.
import { realpathSync } from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CheckReport, readRequest, runCheck, shortened } from './check.ts';
import { CodeHost, ifThere } from './code-host.ts';
import { runGatehouse } from './command.ts';
import { keepIssue, keepOne, type Mark, type Post, type Posts } from './keep-one.ts';
import { unzipped } from './nightly-snapshot.ts';

/** Most characters of a comment and of an issue; of the summary of a step, which has a MiB, of at most three bytes each. */
const longest = { post: 65_536, summary: 300_000 };

/** Who writes with the token of a job, where a server does not tell. */
const jobAccount = 'github-actions[bot]';

/** Parts of the event that started a workflow. */
interface HostEvent {
  pull_request?: { number: number; head: { repo: { full_name: string } | null }; base?: { sha: string } };
  merge_group?: { base_sha: string };
  /** Of a push: what the branch was at. */
  before?: string;
}

/** A comment or an issue, as the API has it. */
interface Entry {
  id: number;
  number: number;
  body: string | null;
  user: { login: string } | null;
  pull_request?: object;
}

/**
 * Runs the check, tells what it found, and returns its exit code. `say` writes a line to the job's log.
 *
 * @throws HostError if the issue of a drift cannot be written: no one would hear of it
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

/** The summary, which needs no token, and what later steps read. */
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

/** A run of a workflow, as the API has it. */
interface Run {
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

/** Only GitHub starts a scheduled run, of what the default branch has, and nothing else adds to its artifacts. */
async function fetchSnapshot(api: CodeHost, repository: string, name: string): Promise<Buffer | undefined> {
  const get = (path: string): Promise<unknown> => api.send('GET', `${repository}${path}`);
  const { default_branch: branch, full_name } = (await get('')) as Record<string, string>;
  const query = new URLSearchParams({ event: 'schedule', branch: String(branch), per_page: '10' });
  const listed = await ifThere(get(`/actions/workflows/snapshot.yaml/runs?${query}`));
  const { workflow_runs: runs } = (listed ?? { workflow_runs: [] }) as { workflow_runs: Run[] };
  const isOurs = ({ event, head_branch, head_repository }: Run) =>
    event === 'schedule' && head_branch === branch && head_repository?.full_name === full_name;
  for (const { id } of runs.filter(isOurs)) {
    const { artifacts } = (await get(`/actions/runs/${id}/artifacts?name=${encodeURIComponent(name)}`)) as {
      artifacts: Artifact[];
    };
    // A run that is tried again has one of each try.
    const [newest] = artifacts
      .filter((one) => one.name === name && !one.expired)
      .sort((one, other) => other.id - one.id);
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

async function readEvent({ GITHUB_EVENT_PATH: path = '' }: NodeJS.ProcessEnv): Promise<HostEvent> {
  return JSON.parse(await readFile(path, 'utf8').catch(() => '{}'));
}

/**
 * What a change goes into. GitHub itself makes the commit that a pull request is merged by, for the check alone: its first
 * parent is the newest of the branch, where `pull_request.base.sha` may be of the day that it was opened.
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

/** Comments, and says so. A comment that cannot be written fails nothing: the report is in the summary. */
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

/** The account of the token. Tokens of apps, as a job's is one, may ask by GraphQL alone. */
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
  const comment = (id: number) => `/repos/${repository}/issues/comments/${id}`;
  return {
    list: async () => (await api.list<Entry>(`${comments}?`)).map((entry) => postOf(entry, entry.id, me)),
    create: async (body) => void (await api.send('POST', comments, { body })),
    update: async (id, body) => void (await api.send('PATCH', comment(id), { body })),
    remove: async (id) => void (await ifThere(api.send('DELETE', comment(id)))),
  };
}

function issuesOf(api: CodeHost, repository: string, me: string, title: string, run: string): Posts {
  const issues = `/repos/${repository}/issues`;
  return {
    async list() {
      const openIssues = await api.list<Entry>(`${issues}?state=open`);
      // A pull request is an issue there.
      return openIssues
        .filter((entry) => entry.pull_request === undefined)
        .map((entry) => postOf(entry, entry.number, me));
    },
    create: async (body) => void (await api.send('POST', issues, { title, body })),
    update: async (number, body) => void (await api.send('PATCH', `${issues}/${number}`, { body })),
    async remove(number, why) {
      await ifThere(api.send('POST', `${issues}/${number}/comments`, { body: `${why} ${run}` }));
      await ifThere(api.send('PATCH', `${issues}/${number}`, { state: 'closed' }));
    },
  };
}

function postOf({ body, user }: Entry, id: number, me: string): Post {
  return { id, body: body ?? '', isOurs: user?.login === me };
}

/** As part of a command to the runner. */
function plainLine(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

// `import.meta.main` is of Node 24: under an older one, nothing would be checked, and the job be green.
const [, started] = process.argv;
if (started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2), process.env, (line) => console.log(line));
}
