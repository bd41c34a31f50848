// What action.yml runs: reviews a plan or a stack, or looks for drift, and tells it at GitHub.
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CheckReport, readRequest, runCheck, shortened } from './check.ts';
import { CodeHost } from './code-host.ts';
import { keepIssue, keepOne, type Mark, type Post, type Posts } from './keep-one.ts';

/** Most characters of a comment and of an issue; of the summary of a step, which has a MiB, of at most three bytes each. */
const longest = { post: 65_536, summary: 300_000 };

/** Who writes with the token of a job, where a server does not tell. */
const jobAccount = 'github-actions[bot]';

/** Parts of the event that started a workflow. */
interface PullRequestEvent {
  pull_request?: { number: number; head: { repo: { full_name: string } | null } };
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
): Promise<number> {
  const request = readRequest(argv);
  const report = await runCheck(request, env);
  await tellJob(report, env);
  const { GITHUB_API_URL, GITHUB_REPOSITORY: repository = '', GITHUB_SERVER_URL, GITHUB_RUN_ID } = env;
  const api = new CodeHost(GITHUB_API_URL ?? 'https://api.github.com', headersOf(env));
  const run = `[Run](${GITHUB_SERVER_URL}/${repository}/actions/runs/${GITHUB_RUN_ID})`;
  const mark: Mark = {
    check: request.check,
    name: request.stack ?? request.plan ?? 'stack',
    run: Number(GITHUB_RUN_ID),
    attempt: Number(env['GITHUB_RUN_ATTEMPT']),
  };
  const whole = `the whole report is in the summary of ${run.replace('Run', 'its run')}.`;
  const markdown = shortened(`${report.markdown}\n${run}\n`, longest.post - 300, whole);
  if (request.check === 'drift') {
    const title = `Sign-in drift: ${mark.name}`;
    const issues = issuesOf(api, repository, await account(env), title, `${run}.`);
    say(await keepIssue(issues, mark, report.code !== 0, markdown));
  } else say(await tellReview(api, repository, mark, markdown, env));
  return report.code;
}

/** The summary, which needs no token, and what later steps read. */
async function tellJob({ code, markdown, sarif }: CheckReport, env: NodeJS.ProcessEnv): Promise<void> {
  const { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output, RUNNER_TEMP: folder } = env;
  if (summary)
    await appendFile(summary, shortened(markdown, longest.summary, 'it is too long for a summary.'));
  if (!output) return;
  await appendFile(output, `code=${code}\n`);
  if (sarif === undefined || !folder) return;
  const file = join(folder, `gatehouse-${process.pid}.sarif`);
  await writeFile(file, JSON.stringify(sarif));
  await appendFile(output, `sarif=${file}\n`);
}

function headersOf({ GITHUB_TOKEN: token }: NodeJS.ProcessEnv): Record<string, string> {
  return {
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    ...(token && { authorization: `Bearer ${token}` }),
  };
}

/** Comments, and says so. A comment that cannot be written fails nothing: the report is in the summary. */
async function tellReview(
  api: CodeHost,
  repository: string,
  mark: Mark,
  markdown: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const event: PullRequestEvent = JSON.parse(
    await readFile(env['GITHUB_EVENT_PATH'] ?? '', 'utf8').catch(() => '{}'),
  );
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
    remove: (id) => api.sendIfThere('DELETE', comment(id)),
  };
}

function issuesOf(api: CodeHost, repository: string, me: string, title: string, run: string): Posts {
  const issues = `/repos/${repository}/issues`;
  return {
    async list() {
      const open = await api.list<Entry>(`${issues}?state=open`);
      // A pull request is an issue there.
      return open
        .filter((entry) => entry.pull_request === undefined)
        .map((entry) => postOf(entry, entry.number, me));
    },
    create: async (body) => void (await api.send('POST', issues, { title, body })),
    update: async (number, body) => void (await api.send('PATCH', `${issues}/${number}`, { body })),
    async remove(number, why) {
      await api.sendIfThere('POST', `${issues}/${number}/comments`, { body: `${why} ${run}` });
      await api.sendIfThere('PATCH', `${issues}/${number}`, { state: 'closed' });
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

if (import.meta.main) {
  process.exitCode = await main(process.argv.slice(2), process.env, (line) => console.log(line));
}
