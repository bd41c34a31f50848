import { type Answered, ask } from '../../../harness/ask.ts';
import type { TestedServer } from '../../../harness/two-servers.ts';

/** Calls a server's identity paths as root, and creates what their tests need. */
export class IdentityClient {
  /** Values of `{name}` in a path or a body: ids and accessors that a server generates. */
  readonly known: Record<string, string> = {};
  readonly #server: () => TestedServer;
  #mounts = 0;

  constructor(server: () => TestedServer) {
    this.#server = server;
  }

  filled<Given>(given: Given): Given {
    if (given === undefined) return given;
    const text = JSON.stringify(given).replace(/\{(\w+)\}/g, (all, name) => this.known[name] ?? all);
    return JSON.parse(text);
  }

  call(method: string, path: string, body?: object): Promise<Answered> {
    return ask(this.#server(), { method, path: this.filled(path), body: this.filled(body) });
  }

  post(path: string, body?: object): Promise<Answered> {
    return this.call('POST', path, body);
  }

  async data(method: string, path: string, body?: object): Promise<any> {
    return (await this.call(method, path, body)).body?.data;
  }

  /** @returns The new group's id. */
  async newGroup(body: object = {}): Promise<string> {
    return (await this.data('POST', 'identity/group', body)).id;
  }

  async newMount(type = 'oidc'): Promise<{ path: string; accessor: string }> {
    const path = `mount-${this.#mounts++}`;
    await this.post(`sys/auth/${path}`, { type });
    return { path, accessor: (await this.data('GET', `sys/auth/${path}`)).accessor };
  }
}
