// The program of gitlab.yml: runs one of the checks and reports it at GitLab.
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PipelineCheck, readRequest, runCheck, type Sarif, shortened } from './check.ts';
import { CodeHost, ifThere } from './code-host.ts';
import { runGatehouse } from './command.ts';
import { keepIssue, keepOne, type Mark, type Post, type Posts } from './keep-one.ts';

/** Most characters of a note and of an issue's description. */
const longest = 1_000_000;

/** Reports for the job's artifacts, in the project's folder. */
const files = { quality: 'gl-code-quality-report.json', markdown: 'gatehouse-report.md' };

/** A note or an issue, as the API returns it. */
interface GitLabPost {
  id: number;
  iid: number;
  body?: string | null;
  description?: string | null;
  author: { id: number };
  system?: boolean;
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
  const folder = env['CI_PROJECT_DIR'] ?? '.';
  const report = await runCheck(request, env, {
    eventBase: async () => eventBase(env),
    fetchSnapshot: (name) => fetchSnapshot(env, name),
    run,
    output: folder,
  });
  await writeFile(join(folder, files.markdown), report.markdown);
  if (request.check === 'review') {
    await writeFile(join(folder, files.quality), JSON.stringify(codeQuality(report.sarif)));
  }
  if (report.answer !== undefined) say(report.answer);
  if (request.check === 'snapshot' || request.check === 'verify-review') return report.code;
  const markdown = shortened(
    `${report.markdown}\n[Job](${env['CI_JOB_URL']})\n`,
    longest - 300,
    `the whole report is an artifact of [its job](${env['CI_JOB_URL']}).`,
  );
  if (!env['GITLAB_TOKEN']) {
    say(
      `No GITLAB_TOKEN, as in the pipeline of a fork: nothing is written. The report is in ${files.markdown}.`,
    );
    if (request.check === 'review') return report.code;
    throw new Error(
      'Without GITLAB_TOKEN, a project access token with the scope api, no one hears of a drift.',
    );
  }
  say(await tell(request, report.code, markdown, env));
  return report.code;
}

/**
 * The commit that a change is merged into: the target of a merge request, or the branch before the push. GitLab writes all
 * zeros if there is none.
 */
function eventBase(env: NodeJS.ProcessEnv): string | undefined {
  const names = [
    'CI_MERGE_REQUEST_TARGET_BRANCH_SHA',
    'CI_MERGE_REQUEST_DIFF_BASE_SHA',
    'CI_COMMIT_BEFORE_SHA',
  ];
  return names.map((name) => env[name]).find((commit) => commit && !/^0+$/.test(commit));
}

/**
 * Writes the note or the issue, and returns a line that says so. If the note cannot be written, the check does not fail,
 * because the report is an artifact.
 */
async function tell(
  { check, stack, plan }: PipelineCheck,
  code: number,
  markdown: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const { CI_MERGE_REQUEST_IID: number, CI_JOB_URL } = env;
  const { api, project } = projectApi(env);
  const name = stack ?? plan ?? 'stack';
  const mark: Mark = {
    check,
    name,
    run: Number(env['CI_PIPELINE_ID']),
    // A retried job gets a new id.
    attempt: Number(env['CI_JOB_ID']),
  };
  if (check === 'drift') {
    const title = `Sign-in drift: ${name}`;
    const issues = issuesOf(api, project, await account(api), title, `[Job](${CI_JOB_URL}).`);
    return keepIssue(issues, mark, code, markdown);
  }
  if (!number) return `No merge request: the report is in ${files.markdown}.`;
  try {
    const notes = notesOf(api, `${project}/merge_requests/${number}/notes`, await account(api));
    return `Note at merge request ${number}: ${await keepOne(notes, mark, markdown)}.`;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `The note could not be written (${why}). The report is in ${files.markdown}.`;
  }
}

/** The API with the job's token, and the project that a change is merged into: a fork's jobs run in the fork. */
function projectApi(env: NodeJS.ProcessEnv): { api: CodeHost; project: string } {
  const { CI_API_V4_URL = '', GITLAB_TOKEN = '' } = env;
  const project = `/projects/${env['CI_MERGE_REQUEST_PROJECT_ID'] ?? env['CI_PROJECT_ID']}`;
  return { api: new CodeHost(CI_API_V4_URL, { 'private-token': GITLAB_TOKEN }), project };
}

/**
 * Fetches the newest snapshot of the scheduled pipelines. A scheduled pipeline runs its branch, and a protected branch holds
 * only merged changes. Anyone may push a tag, so jobs of tags do not count.
 */
async function fetchSnapshot(env: NodeJS.ProcessEnv, name: string): Promise<Buffer | undefined> {
  if (!env['GITLAB_TOKEN']) throw new Error('there is no GITLAB_TOKEN to fetch one with.');
  const { api, project } = projectApi(env);
  const get = (path: string): Promise<unknown> => api.send('GET', `${project}${path}`);
  const { default_branch: branch } = (await get('')) as { default_branch: string };
  const query = new URLSearchParams({ source: 'schedule', ref: branch, per_page: '50' });
  const pipelines = (await get(`/pipelines?${query}`)) as { id: number; source: string; ref: string }[];
  for (const { id } of pipelines.filter(({ source, ref }) => source === 'schedule' && ref === branch)) {
    const jobs = (await get(`/pipelines/${id}/jobs?scope[]=success&per_page=100`)) as {
      id: number;
      name: string;
      tag: boolean;
    }[];
    const snapshotJobs = jobs.filter((job) => job.name === 'gatehouse snapshot' && job.tag === false);
    for (const { id: jobId } of snapshotJobs) {
      // Schedules of other stacks have no artifact of this name.
      const content = await ifThere(
        api.download(`${project}/jobs/${jobId}/artifacts/${encodeURIComponent(name)}`),
      );
      if (content !== undefined) return content;
    }
  }
  return undefined;
}

/** The id of the token's account. */
async function account(api: CodeHost): Promise<number> {
  return ((await api.send('GET', '/user')) as { id: number }).id;
}

function notesOf(api: CodeHost, notes: string, me: number): Posts {
  return {
    async list() {
      const listed = await api.list<GitLabPost>(`${notes}?sort=asc`);
      return listed.map((note) => postOf(note, note.id, note.system ? undefined : me));
    },
    create: async (body) => void (await api.send('POST', notes, { body })),
    update: async (id, body) => void (await api.send('PUT', `${notes}/${id}`, { body })),
    remove: async (id) => void (await ifThere(api.send('DELETE', `${notes}/${id}`))),
  };
}

function issuesOf(api: CodeHost, project: string, me: number, title: string, job: string): Posts {
  const issues = `${project}/issues`;
  return {
    async list() {
      const openIssues = await api.list<GitLabPost>(`${issues}?state=opened&scope=all&author_id=${me}`);
      return openIssues.map((issue) => postOf(issue, issue.iid, me));
    },
    create: async (description) => void (await api.send('POST', issues, { title, description })),
    update: async (iid, description) => void (await api.send('PUT', `${issues}/${iid}`, { description })),
    async remove(iid, why) {
      await ifThere(api.send('POST', `${issues}/${iid}/notes`, { body: `${why} ${job}` }));
      await ifThere(api.send('PUT', `${issues}/${iid}`, { state_event: 'close' }));
    },
  };
}

function postOf({ body, description, author }: GitLabPost, id: number, me: number | undefined): Post {
  return { id, body: body ?? description ?? '', isOurs: author.id === me };
}

const severities = { error: 'critical', warning: 'major', note: 'info' } as const;

/** GitLab's code quality report, shown next to the lines of a merge request. Findings without a line are left out. */
function codeQuality(sarif: Sarif | undefined): object[] {
  return (sarif?.runs ?? [])
    .flatMap(({ results }) => results)
    .flatMap(({ ruleId, level, message, locations, partialFingerprints }) => {
      const place = locations[0]?.physicalLocation;
      if (place === undefined) return [];
      return {
        description: message.text,
        check_name: ruleId,
        fingerprint: createHash('sha256').update(JSON.stringify(partialFingerprints)).digest('hex'),
        severity: severities[level],
        location: {
          path: decodeURI(place.artifactLocation.uri),
          lines: { begin: place.region.startLine },
        },
      };
    });
}

// `import.meta.main` needs Node 24: an older version would check nothing, and the job would pass.
const [, started] = process.argv;
if (started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2), process.env, (line) => console.log(line));
}
