import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  listedReview,
  type newRun,
  type RunDecision,
  type RunView,
  refusedRequest,
  runView,
  tokenExchange,
} from '@gatehouse/core/run-task';
import { GatehouseError, jsonIn, smallestOf } from '@gatehouse/core/values';
import { type Answer, type ExchangeRequest, exchange } from '@gatehouse/service-client';
import { z } from 'zod';

const listedReviews = z.object({ reviews: z.array(listedReview) });

/** Milliseconds for an answer. */
const answerMs = 30_000;
/** Milliseconds for an answer for which the platform may plan. */
const planMs = 5 * 60_000;
/** Milliseconds of silence after which a stream of events is dead: the platform sends something every 15 s. */
const silenceMs = 45_000;
/** Milliseconds before a broken stream is reopened. */
const reopenMs = 1000;
/** Attempts in a row to reopen it. */
const mostReopened = 60;

/** A platform's address without trailing slashes. @throws GatehouseError `address_invalid`, without the password */
export function platformAddress(address: string): string {
  const url = URL.parse(address);
  if (url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password) {
    return address.replace(/\/+$/, '');
  }
  throw new GatehouseError('address_invalid.platform', {
    given: url === null ? address : url.origin,
    allowed: 'an http or https URL without user and password',
  });
}

/**
 * A client of a platform's runs. Every failure is a `GatehouseError`: `address_invalid`, `platform_unreachable`,
 * `platform_refused`, `platform_answer_invalid`, or the platform's own. None contains the token.
 */
export class RunClient {
  /** Address of the platform, without a trailing slash. */
  readonly address: string;
  readonly #token: string;

  /** @param token for the platform's secrets service */
  constructor({ address, token }: { address: string; token: string }) {
    this.address = platformAddress(address);
    this.#token = token;
  }

  async create(run: z.input<typeof newRun>): Promise<RunView> {
    return await this.#once('/runs', { method: 'POST', body: JSON.stringify(run) });
  }

  async read(id: string): Promise<RunView> {
    return await this.#once(`/runs/${encodeURIComponent(id)}`, { method: 'GET' });
  }

  async decide(id: string, { verb, ...details }: RunDecision): Promise<RunView> {
    const path = `/runs/${encodeURIComponent(id)}/${verb}`;
    return await this.#once(path, { method: 'POST', body: JSON.stringify(details) });
  }

  /** Address of the run's page. */
  pageOf(id: string): string {
    return `${this.address}/ui/runs/${encodeURIComponent(id)}`;
  }

  /** Exchanges signed reviews for a deploying token. The platform may plan the stack for it. */
  async deployingToken(reviews: z.input<typeof tokenExchange.asked>) {
    const request = { method: 'POST', body: JSON.stringify(reviews) };
    return this.#read(tokenExchange.given, await this.#answer('/deploying-tokens', request, planMs));
  }

  /** Signed reviews of a stack that the platform keeps, the newest first. */
  async *reviews(stack: string) {
    let before: number | undefined;
    for (;;) {
      const query = new URLSearchParams({ stack, ...(before !== undefined && { before: `${before}` }) });
      const page = await this.#answer(`/reviews?${query}`, { method: 'GET' }, answerMs);
      const { reviews } = this.#read(listedReviews, page);
      // Without older reviews it ends, even if a platform returns the same page again and again.
      const older = reviews.filter(({ number }) => number < (before ?? Number.POSITIVE_INFINITY));
      if (older.length === 0) return;
      yield* older;
      before = smallestOf(older.map(({ number }) => number));
    }
  }

  async #once(path: string, request: ExchangeRequest): Promise<RunView> {
    return this.#read(runView, await this.#answer(path, request, answerMs));
  }

  async #answer(path: string, request: ExchangeRequest, ms: number): Promise<string> {
    const { body } = await this.#ask(path, { ...request, idleMs: ms, signal: AbortSignal.timeout(ms) });
    return body.toString();
  }

  /** The run now, and after each change until it has ended. Reconnects. */
  async *watch(id: string): AsyncGenerator<RunView> {
    for (let failures = 0; ; failures += 1) {
      try {
        for await (const data of this.#events(`/runs/${encodeURIComponent(id)}/events`)) {
          failures = 0;
          const snapshot = this.#read(runView, data);
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

  /** The data of server-sent events with one line each. */
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
    const answer = await exchange(`${this.address}${path}`, { ...request, headers }).catch((cause) => {
      throw this.#unreachable(cause);
    });
    if (answer.status < 300) return answer;
    const refusal = refusedRequest.safeParse(jsonIn(answer.body.toString()));
    if (refusal.success) {
      const { code, message } = refusal.data.error;
      // A platform of another version may have other codes: they are shown as received.
      throw new GatehouseError({ code: code as GatehouseError['code'], what: message });
    }
    // The platform is busy, and clients that watch a run try again.
    if ([429, 503].includes(answer.status)) throw this.#unreachable(new Error(`it answers ${answer.status}`));
    throw new GatehouseError('platform_refused', { where: this.address, values: { status: answer.status } });
  }

  #read<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
    const parsed = schema.safeParse(jsonIn(text));
    if (parsed.success) return parsed.data;
    throw new GatehouseError('platform_answer_invalid', { where: this.address });
  }

  #unreachable(cause: NodeJS.ErrnoException): GatehouseError {
    return new GatehouseError('platform_unreachable', {
      where: this.address,
      cause,
      values: { reason: cause.code ?? cause.message },
    });
  }
}
