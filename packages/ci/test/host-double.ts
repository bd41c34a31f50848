import { spawnSync } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../host/src/listen.ts';

/** An account of a code host. */
export interface Account {
  id: number;
  login: string;
}

/** A comment, note or issue. */
export interface Kept {
  id: number;
  body: string;
  author: Account;
  title?: string;
  isOpen: boolean;
  /** GitHub lists pull requests as issues. */
  isPullRequest?: true;
  /** GitLab has notes of its own. */
  isSystem?: true;
}

/** A run of a pipeline, with what its job keeps. */
export interface KeptRun {
  /** GitHub: of snapshot.yaml. */
  event: string;
  branch: string;
  /** Its repository at GitHub. */
  from?: string;
  /** The name is that of a tag. */
  isTag?: true;
  artifact: { name: string; content: string; isExpired?: true };
}

interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Record<string, string>;
  account: Account | undefined;
}

type Reply = [status: number, body?: unknown, headers?: Record<string, string>];

/**
 * A double of GitHub's and GitLab's REST APIs, made from what they document (GitHub: REST API description, "issues"; GitLab:
 * doc/api/notes.md and doc/api/issues.md), not from a recording. It has one pull request, 7, with comments, and issues.
 */
export class HostDouble {
  readonly comments: Kept[] = [];
  readonly issues: Kept[] = [];
  /** The newest first. */
  readonly runs: KeptRun[] = [];
  readonly requests: string[] = [];
  /** Accounts by token. */
  readonly accounts = new Map<string, Account>();
  /** No token may write. */
  isReadOnly = false;
  /** Held until as many requests have come that begin so: for jobs at the same time. */
  barrier: { start: string; count: number } | undefined;
  url = '';
  #nextId = 1;
  #waiting: (() => void)[] = [];
  #close: () => Promise<void> = async () => {};

  async start(): Promise<void> {
    const server = createServer(async (request, response) => {
      const [status, body, headers] = await this.#answer(request);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body));
    });
    this.url = `http://127.0.0.1:${await listen(server, 0)}`;
    this.#close = async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    };
  }

  async close(): Promise<void> {
    await this.#close();
  }

  add(to: Kept[], author: Account, body: string, fields: Partial<Kept> = {}): Kept {
    const kept: Kept = { id: this.#nextId++, body, author, isOpen: true, ...fields };
    to.push(kept);
    return kept;
  }

  async #answer(request: IncomingMessage): Promise<Reply> {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', this.url);
    const { method = 'GET', headers } = request;
    const sent = await text(request);
    this.requests.push(`${method} ${path}`);
    await this.#passBarrier(`${method} ${path}`);
    const [, blob] = /^\/blobs\/(\d+)$/.exec(path) ?? [];
    // Storage refuses a request that has a token besides its signature.
    if (blob !== undefined)
      return headers.authorization ? [400] : [200, zipOf(this.runs[Number(blob)]?.artifact)];
    const token = headers.authorization?.replace('Bearer ', '') ?? String(headers['private-token'] ?? '');
    const account = this.accounts.get(token);
    const asked = { method, path, query, body: sent === '' ? {} : JSON.parse(sent), account };
    if (account === undefined) return [401, { message: 'Bad credentials' }];
    if (method !== 'GET' && path !== '/graphql' && this.isReadOnly)
      return [403, { message: 'Resource not accessible by integration' }];
    return path.startsWith('/repos/') || path === '/graphql' ? this.#gitHub(asked) : this.#gitLab(asked);
  }

  async #passBarrier(request: string): Promise<void> {
    if (this.barrier === undefined || !request.startsWith(this.barrier.start)) return;
    this.barrier.count -= 1;
    if (this.barrier.count > 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.barrier = undefined;
    for (const go of this.#waiting.splice(0)) go();
  }

  /** GitHub: REST API description, "actions"; workflows of other names are not there. */
  #gitHubRuns(path: string, query: URLSearchParams): Reply | undefined {
    if (path === '/repos/acme/sign-in') return [200, { full_name: 'acme/sign-in', default_branch: 'main' }];
    const [, id, part] =
      /^\/repos\/acme\/sign-in\/actions\/(?:runs|artifacts)\/(\d+)\/(\w+)$/.exec(path) ?? [];
    if (part === 'zip') return [302, undefined, { location: `${this.url}/blobs/${id}` }];
    if (part === 'artifacts') {
      const { name, isExpired = false } = this.runs[Number(id)]?.artifact ?? {};
      return [200, { artifacts: name === query.get('name') ? [{ id, name, expired: isExpired }] : [] }];
    }
    if (path !== '/repos/acme/sign-in/actions/workflows/snapshot.yaml/runs') return undefined;
    const all = this.runs.map(({ event, branch, from = 'acme/sign-in' }, at) => {
      return { id: at, event, head_branch: branch, head_repository: { full_name: from } };
    });
    const isAsked = (one: (typeof all)[number]) =>
      [null, one.event].includes(query.get('event')) && [null, one.head_branch].includes(query.get('branch'));
    return [200, { workflow_runs: all.filter(isAsked) }];
  }

  /** GitLab: doc/api/pipelines.md, doc/api/jobs.md and doc/api/job_artifacts.md. A ref is the name of a branch or of a tag. */
  #gitLabRuns(path: string, query: URLSearchParams): Reply | undefined {
    if (path === '/api/v4/projects/5') return [200, { default_branch: 'main' }];
    const [, list, id, rest = ''] =
      /^\/api\/v4\/projects\/5\/(pipelines|jobs)(?:\/(\d+)\/(.+))?$/.exec(path) ?? [];
    if (list === undefined) return undefined;
    const run = this.runs[Number(id)];
    if (rest === 'jobs')
      return [200, [{ id: Number(id), name: 'gatehouse snapshot', tag: run?.isTag ?? false }]];
    if (list === 'jobs') {
      const { name, content, isExpired } = run?.artifact ?? {};
      return rest === `artifacts/${name}` && !isExpired ? [200, Buffer.from(content ?? '')] : [404, {}];
    }
    const all = this.runs.map(({ event, branch }, at) => ({ id: at, source: event, ref: branch }));
    const isAsked = (one: (typeof all)[number]) =>
      [null, one.source].includes(query.get('source')) && [null, one.ref].includes(query.get('ref'));
    return [200, all.filter(isAsked)];
  }

  #gitHub(asked: Asked): Reply {
    const { path, account, query } = asked;
    const found = this.#gitHubRuns(path, query);
    if (found !== undefined) return found;
    const shown = ({ id, body, author, title, isOpen, isPullRequest }: Kept) => ({
      id,
      number: id,
      body,
      title,
      user: author,
      state: isOpen ? 'open' : 'closed',
      ...(isPullRequest && { pull_request: { url: '' } }),
    });
    if (path === '/graphql') return [200, { data: { viewer: { login: account?.login } } }];
    const [, list, id] =
      /^\/repos\/acme\/sign-in\/(issues\/7\/comments|issues\/comments|issues)(?:\/(\d+))?$/.exec(path) ?? [];
    if (list === undefined)
      return [/\/issues\/\d+\/comments$/.test(path) ? 201 : 404, { message: 'Not Found' }];
    const kept = list === 'issues' ? this.issues : this.comments;
    return this.#serve(asked, kept, id, shown, { write: 'PATCH', longest: 65_536 });
  }

  #gitLab(asked: Asked): Reply {
    const { path, account, query } = asked;
    const found = this.#gitLabRuns(path, query);
    if (found !== undefined) return found;
    if (path === '/api/v4/user') return [200, account];
    const [, list, id] =
      /^\/api\/v4\/projects\/5\/(merge_requests\/7\/notes|issues)(?:\/(\d+))?$/.exec(path) ?? [];
    if (list === undefined) {
      return /\/issues\/\d+\/notes$/.test(path) ? [201, {}] : [404, { message: '404 Not found' }];
    }
    const kept = list === 'issues' ? this.issues : this.comments;
    const shown = ({ id: own, body, author, isOpen, isSystem }: Kept) => ({
      id: own,
      iid: own,
      system: isSystem === true,
      author,
      state: isOpen ? 'opened' : 'closed',
      ...(list === 'issues' ? { description: body } : { body }),
    });
    return this.#serve(asked, kept, id, shown, { write: 'PUT', longest: 1_000_000 });
  }

  #serve(
    { method, query, body, account }: Asked,
    kept: Kept[],
    id: string | undefined,
    shown: (one: Kept) => object,
    { write, longest }: { write: string; longest: number },
  ): Reply {
    const given = body['body'] ?? body['description'];
    if ((given?.length ?? 0) > longest) return [422, { message: 'Validation Failed' }];
    if (id === undefined) {
      if (method === 'GET') {
        const [size, page] = [Number(query.get('per_page') ?? 30), Number(query.get('page') ?? 1)];
        const isOurs = (one: Kept) => [null, `${one.author.id}`].includes(query.get('author_id'));
        const openOnes = kept.filter((one) => one.isOpen && isOurs(one));
        return [200, openOnes.slice((page - 1) * size, page * size).map(shown)];
      }
      if (account === undefined) return [401];
      return [201, shown(this.add(kept, account, given ?? '', { title: body['title'] }))];
    }
    const one = kept.find((other) => other.id === Number(id));
    if (one === undefined) return [404, { message: 'Not Found' }];
    if (method === 'DELETE') {
      kept.splice(kept.indexOf(one), 1);
      return [204];
    }
    if (method !== write) return [405, { message: 'Method Not Allowed' }];
    if (given !== undefined) one.body = given;
    if (body['state'] === 'closed' || body['state_event'] === 'close') one.isOpen = false;
    return [200, shown(one)];
  }
}

/** As another program zips it: into a stream, with the sizes behind the data. */
export function zipOf(
  { name, content }: { name: string; content: string } = { name: 'none', content: '' },
): Buffer {
  const program = `import sys, zipfile
with zipfile.ZipFile(sys.stdout.buffer, 'w', zipfile.ZIP_DEFLATED) as file: file.writestr(sys.argv[1], sys.stdin.read())`;
  return spawnSync('python3', ['-c', program, name], { input: content, maxBuffer: 1e9 }).stdout;
}
