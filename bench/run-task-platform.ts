import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { listen } from '../web/listen.ts';

export interface RunTaskPlatformArgs {
  /** What every plan is; undefined: asked for one, it is silent. */
  plan?: string;
}

/** The platform that the benches' run tasks are from: it serves the plan, and takes every callback. */
export class RunTaskPlatform {
  readonly #server: Server;
  readonly #plan: string | undefined;
  readonly #awaited = new Map<string, (at: number) => void>();
  #finals = 0;
  #origin = '';

  private constructor({ plan }: RunTaskPlatformArgs) {
    this.#plan = plan;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async open(args: RunTaskPlatformArgs): Promise<RunTaskPlatform> {
    const platform = new RunTaskPlatform(args);
    platform.#origin = `http://127.0.0.1:${await listen(platform.#server, 0)}`;
    return platform;
  }

  get origin(): string {
    return this.#origin;
  }

  /** Final callbacks so far. */
  get finals(): number {
    return this.#finals;
  }

  /** When the final callback of a task comes, by `performance.now()`. */
  final(id: string): Promise<number> {
    return new Promise((resolve) => this.#awaited.set(id, resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (request.method === 'GET') {
      if (this.#plan !== undefined) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(this.#plan);
      }
      return;
    }
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      response.writeHead(200, { 'content-length': 0 }).end();
      if (JSON.parse(body).data.attributes.status === 'running') return;
      this.#finals += 1;
      const id = request.url?.split('/').at(-1) ?? '';
      this.#awaited.get(id)?.(performance.now());
      this.#awaited.delete(id);
    });
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}
