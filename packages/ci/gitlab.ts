// What gitlab.yml runs: one of the checks, with a report at GitLab.
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CheckRequest, readRequest, runCheck, type Sarif, shortened } from './check.ts';
import { CodeHost, ifThere } from './code-host.ts';
import { runGatehouse } from './command.ts';
import { keepIssue, keepOne, type Mark, type Post, type Posts } from './keep-one.ts';

/** Most characters of a note and of an issue's description. */
const longest = 1_000_000;

/** Reports for the job's artifacts, in the project's folder. */
const files = { quality: 'gl-code-quality-report.json', markdown: 'gatehouse-report.md' };

/** A note or an issue, as the API has it. */
interface Entry {
  id: number;
  iid: number;
  body?: string | null;
  description?: string | null;
  author: { id: number };
  system?: boolean;
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

/** What a change goes into: the target of a merge request, or what the branch was at. All zeros: GitLab names none. */
function eventBase(env: NodeJS.ProcessEnv): string | undefined {
  const names = [
    'CI_MERGE_REQUEST_TARGET_BRANCH_SHA',
    'CI_MERGE_REQUEST_DIFF_BASE_SHA',
    'CI_COMMIT_BEFORE_SHA',
  ];
  return names.map((name) => env[name]).find((commit) => commit && !/^0+$/.test(commit));
}

/** Writes the note or the issue, and says so. A note that cannot be written fails nothing: the report is an artifact. */
async function tell(
  { check, stack, plan }: CheckRequest,
  code: number,
  markdown: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const { CI_MERGE_REQUEST_IID: number, CI_JOB_URL } = env;
  const { api, project } = at(env);
  const name = stack ?? plan ?? 'stack';
  // A job that is tried again is a new one.
  const [run, attempt] = [Number(env['CI_PIPELINE_ID']), Number(env['CI_JOB_ID'])];
  const mark: Mark = { check, name, run, attempt };
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

/** The API with the job's token, and the project that is merged into: a fork's jobs run in the fork. */
function at(env: NodeJS.ProcessEnv): { api: CodeHost; project: string } {
  const { CI_API_V4_URL = '', GITLAB_TOKEN = '' } = env;
  const project = `/projects/${env['CI_MERGE_REQUEST_PROJECT_ID'] ?? env['CI_PROJECT_ID']}`;
  return { api: new CodeHost(CI_API_V4_URL, { 'private-token': GITLAB_TOKEN }), project };
}

/** A scheduled pipeline runs what its branch has: of a protected one, what was merged. Anyone may push a tag. */
async function fetchSnapshot(env: NodeJS.ProcessEnv, name: string): Promise<Buffer | undefined> {
  if (!env['GITLAB_TOKEN']) throw new Error('there is no GITLAB_TOKEN to fetch one with.');
  const { api, project } = at(env);
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
    for (const job of jobs.filter(({ name: of, tag }) => of === 'gatehouse snapshot' && tag === false)) {
      // A schedule of another stack has none of this name.
      const found = await ifThere(
        api.download(`${project}/jobs/${job.id}/artifacts/${encodeURIComponent(name)}`),
      );
      if (found !== undefined) return found;
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
      const all = await api.list<Entry>(`${notes}?sort=asc`);
      return all.map((entry) => postOf(entry, entry.id, entry.system ? undefined : me));
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
      const openIssues = await api.list<Entry>(`${issues}?state=opened&scope=all&author_id=${me}`);
      return openIssues.map((entry) => postOf(entry, entry.iid, me));
    },
    create: async (description) => void (await api.send('POST', issues, { title, description })),
    update: async (iid, description) => void (await api.send('PUT', `${issues}/${iid}`, { description })),
    async remove(iid, why) {
      await ifThere(api.send('POST', `${issues}/${iid}/notes`, { body: `${why} ${job}` }));
      await ifThere(api.send('PUT', `${issues}/${iid}`, { state_event: 'close' }));
    },
  };
}

function postOf({ body, description, author }: Entry, id: number, me: number | undefined): Post {
  return { id, body: body ?? description ?? '', isOurs: author.id === me };
}

const severities = { error: 'critical', warning: 'major', note: 'info' } as const;

/** Findings next to the lines of a merge request: GitLab's code quality report. Findings without a line have no place there. */
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

// `import.meta.main` is of Node 24: under an older one, nothing would be checked, and the job be green.
const [, started] = process.argv;
if (started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2), process.env, (line) => console.log(line));
}
