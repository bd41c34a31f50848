import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { EnforcementLevel } from '../core/model/values/enforcement-level.ts';
import { GatehouseError } from '../core/model/values/errors.ts';
import { TagLevel } from '../core/run-task/outcome.ts';
import { Stage } from '../core/run-task/stage.ts';
import { TaskStatus } from '../core/run-task/task-result.ts';
import { type Answer, type ExchangeRequest, exchange } from './exchange.ts';

const outcome = z.looseObject({
  outcomeId: z.string(),
  description: z.string(),
  body: z.string().optional(),
  url: z.string().optional(),
  tags: z
    .record(z.string(), z.array(z.looseObject({ label: z.string(), level: z.enum(TagLevel) })))
    .optional(),
});

const task = z.looseObject({
  id: z.string(),
  stage: z.enum(Stage),
  name: z.string(),
  enforcement: z.enum(EnforcementLevel),
  status: z.enum(TaskStatus),
  message: z.string().nullable(),
  url: z.string().nullable(),
  trouble: z.string().nullable(),
  outcomes: z.array(outcome),
  supersededAt: z.string().nullable(),
});

const decision = z.looseObject({
  kind: z.string(),
  task: z.string().nullable(),
  by: z.string(),
  reason: z.string().nullable(),
  planDigest: z.string().nullable(),
});

/** A run in the platform's API: docs/deploy.md. */
const run = z.looseObject({
  id: z.string(),
  stack: z.string(),
  /** May be unknown to this version. */
  status: z.string(),
  isSpeculative: z.boolean(),
  hasChanges: z.boolean().nullable(),
  planDigest: z.string().nullable(),
  gained: z.array(z.string()).nullable(),
  hasApplied: z.boolean(),
  reason: z.string().nullable(),
  endedAt: z.string().nullable(),
  version: z.number(),
  acceptWith: z.string().nullable(),
  /** Ids of tasks. */
  toAccept: z.array(z.string()).default([]),
  ahead: z.looseObject({ id: z.string(), status: z.string() }).nullable().default(null),
  tasks: z.array(task),
  decisions: z.array(decision),
});
export type RunSnapshot = z.output<typeof run>;

const failure = z.looseObject({ error: z.looseObject({ code: z.string(), message: z.string() }) });

const answerMs = 30_000;
/** Milliseconds of silence after which a stream of events is dead: the platform sends something every 15 s. */
const silenceMs = 45_000;
/** Milliseconds before a broken stream is reopened. */
const reopenMs = 1000;
/** Attempts in a row to reopen it. */
const mostReopened = 60;

/** A decision about a run: the last part of its path in the API, and its body. */
export type RunDecision =
  | { verb: 'confirm' | 'discard'; reason?: string; planDigest?: string }
  | { verb: 'accept'; task: string; reason: string; planDigest?: string }
  | { verb: 'retry'; task: string }
  | { verb: 'cancel' };

/** A platform's address without trailing slashes. @throws GatehouseError `address_invalid`, without the password */
export function platformAddress(given: string): string {
  const url = URL.parse(given);
  if (url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password) {
    return given.replace(/\/+$/, '');
  }
  throw new GatehouseError({
    code: 'address_invalid',
    what: 'Platform address is not a valid URL.',
    given: url === null ? given : url.origin,
    allowed: 'an http or https URL without user and password',
    fix: 'Check --address or --public-url, and GATEHOUSE_PLATFORM_ADDRESS.',
  });
}

/**
 * A client of a platform's runs. Every failure is a `GatehouseError`: `address_invalid`, `platform_unreachable`,
 * `platform_refused`, `platform_answer_invalid`, or the platform's own. None contains the token.
 */
export class RunClient {
  readonly #address: string;
  readonly #token: string;

  /** @param token for the platform's secrets service */
  constructor({ address, token }: { address: string; token: string }) {
    this.#address = platformAddress(address);
    this.#token = token;
  }

  async create(given: { stack: string; message: string; speculative: boolean }): Promise<RunSnapshot> {
    return await this.#once('/runs', { method: 'POST', body: JSON.stringify(given) });
  }

  async read(id: string): Promise<RunSnapshot> {
    return await this.#once(`/runs/${encodeURIComponent(id)}`, { method: 'GET' });
  }

  async decide(id: string, { verb, ...given }: RunDecision): Promise<RunSnapshot> {
    const path = `/runs/${encodeURIComponent(id)}/${verb}`;
    return await this.#once(path, { method: 'POST', body: JSON.stringify(given) });
  }

  /** Address of the run's page. */
  pageOf(id: string): string {
    return `${this.#address}/ui/runs/${encodeURIComponent(id)}`;
  }

  async #once(path: string, request: ExchangeRequest): Promise<RunSnapshot> {
    const limits = { idleMs: answerMs, signal: AbortSignal.timeout(answerMs) };
    const { body } = await this.#ask(path, { ...request, ...limits });
    return this.#read(body.toString());
  }

  /** The run now, and after each change until it has ended. Reconnects. */
  async *watch(id: string): AsyncGenerator<RunSnapshot> {
    for (let failures = 0; ; failures += 1) {
      try {
        for await (const data of this.#events(`/runs/${encodeURIComponent(id)}/events`)) {
          failures = 0;
          const snapshot = this.#read(data);
          yield snapshot;
          if (snapshot.endedAt !== null) return;
        }
      } catch (error) {
        const isPassing = error instanceof GatehouseError && error.code === 'platform_unreachable';
        if (!isPassing || failures >= mostReopened) throw error;
      }
      await sleep(reopenMs);
    }
  }

  /** The data of server-sent events, each of which has one line. */
  async *#events(path: string): AsyncGenerator<string> {
    const over = new AbortController();
    const text = new Readable({ read() {} }).setEncoding('utf8');
    const onData = (chunk: Buffer) => void text.push(chunk);
    this.#ask(path, { onData, idleMs: silenceMs, signal: over.signal }).then(
      () => text.push(null),
      (error) => text.destroy(error),
    );
    try {
      let rest = '';
      for await (const chunk of text) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line.startsWith('data: ')) yield line.slice('data: '.length);
      }
    } finally {
      over.abort();
    }
  }

  async #ask(path: string, request: ExchangeRequest): Promise<Answer> {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      ...(request.body && { 'content-type': 'application/json' }),
    };
    const answer = await exchange(`${this.#address}${path}`, { ...request, headers }).catch((cause) => {
      throw this.#unreachable(cause);
    });
    if (answer.status < 300) return answer;
    const said = failure.safeParse(parseJson(answer.body.toString()));
    if (said.success) {
      const { code, message } = said.data.error;
      throw new GatehouseError({ code, what: message });
    }
    throw new GatehouseError({
      code: 'platform_refused',
      where: this.#address,
      what: `The platform refused the request: HTTP ${answer.status}.`,
      fix: 'Check that gatehouse serve with a platform runs at this address.',
    });
  }

  #read(text: string): RunSnapshot {
    const parsed = run.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    throw new GatehouseError({
      code: 'platform_answer_invalid',
      where: this.#address,
      what: 'The answer is not that of a Gatehouse platform.',
      fix: 'Check the address, and that both sides run the same version of Gatehouse.',
    });
  }

  #unreachable(cause: NodeJS.ErrnoException): GatehouseError {
    return new GatehouseError({
      code: 'platform_unreachable',
      where: this.#address,
      what: `The platform does not answer: ${cause.code ?? cause.message}.`,
      fix: 'Start it with gatehouse serve, or give its address with --address.',
      cause,
    });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
