import { differing } from '../../../packages/secrets-service/test/conformance/differing.ts';
import { ask, type Server } from '../../harness/ask.ts';
import { type Exchange, recordedToken } from './recording.ts';

/** An id or an accessor that a service makes up. */
const generated = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|auth_[a-z]+_[0-9a-f]{8})$/;

/** Sends to a service what was recorded, in its order, with the ids and accessors that this service makes up. */
export class Replay {
  readonly #server: Server;
  #token: string;
  /** What stands for the same thing, by a name of its own: as it was recorded, and here. */
  readonly #then = new Map<string, string>();
  readonly #now = new Map<string, string>();

  /** @param addresses address here, by the recorded one */
  constructor(server: Server, addresses: Record<string, string>) {
    this.#server = server;
    this.#token = server.token;
    this.#learn(recordedToken, server.token);
    for (const [recorded, here] of Object.entries(addresses)) this.#learn(recorded, here);
  }

  /** @returns the places where the answer is another one: what stands there, and what was recorded */
  async send(exchange: Exchange): Promise<Map<string, [here: unknown, recorded: unknown]>> {
    const { method, path, namespace, body, status, answer: recorded } = exchange;
    // A run of the plugin begins: it looks up its token and goes on with a child of it.
    if (path === 'auth/token/lookup-self') this.#token = this.#server.token;
    const answer = await ask(this.#server, {
      method,
      namespace,
      token: this.#token,
      path: this.#here(path),
      body: body === null || body === undefined ? undefined : this.#here(JSON.stringify(body)),
    });
    if (path === 'auth/token/create') this.#token = answer.body.auth.client_token;
    this.#compare(recorded, answer.body);
    return differing({ answer, kept: this.#now }, { answer: { status, body: recorded }, kept: this.#then });
  }

  #here(text: string): string {
    return [...this.#then].reduce(
      (mapped, [name, recorded]) => mapped.replaceAll(recorded, this.#now.get(name) ?? recorded),
      text,
    );
  }

  /** Learns what this service made up from what stands in the same place of the recording. */
  #compare(recorded: unknown, here: unknown): void {
    if (typeof recorded === 'string' && typeof here === 'string') {
      if (generated.test(recorded) && generated.test(here)) this.#learn(recorded, here);
    } else if (isContainer(recorded) && isContainer(here)) {
      for (const [name, inner] of Object.entries(recorded)) {
        if (name !== 'request_id') this.#compare(inner, here[name]);
      }
    }
  }

  #learn(recorded: string, here: string): void {
    if ([...this.#then.values()].includes(recorded)) return;
    const name = `learned ${this.#then.size}`;
    this.#then.set(name, recorded);
    this.#now.set(name, here);
  }
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
