import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** A request that the official plugin sent, and OpenBao's answer. */
export interface Exchange {
  /** The edit of the stack that it belongs to. */
  step: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/v1/`. */
  path: string;
  namespace?: string;
  body?: object | null;
  status: number;
  answer?: object;
}

/** Addresses of the identity providers and of the secrets service when it was recorded. */
export const recordedIssuers = 'http://127.0.0.1:18991';
export const recordedService = 'http://127.0.0.1:18970';
/** The token that the plugin was given. */
export const recordedToken = 'the root token';
/** Of the issuers, the one whose own address ends with a slash. */
export const issuersWithSlash = ['/hosted-identity-platform'];

/** Ids and tokens are taken out of the recording. What looks like one stands in for each. */
const standIns: Record<string, string> = {
  '"ID"': `"${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}"`,
  '"TOKEN"': `"s.${'0'.repeat(24)}"`,
  '"TOKEN_ACCESSOR"': `"${'0'.repeat(24)}"`,
  '"id":"root"': `"id":"${recordedToken}"`,
  '"path":"/v1/': '"path":"',
};

/**
 * The 391 requests of the official `vault` plugin 7.8.0 (Terraform provider 5.10.1), which Pulumi's CLI 3.274.1 drove with
 * this project's program against OpenBao 2.7.2: one stack is made, refreshed, edited 20 times and destroyed.
 * `environments/` has its file at each step.
 */
export function recordedExchanges(): Exchange[] {
  const file = new URL('./openbao-2.7.2.jsonl.gz', import.meta.url);
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n');
  const text = new RegExp(Object.keys(standIns).join('|'), 'g');
  return lines.map((line) => JSON.parse(line.replace(text, (found) => standIns[found] ?? found)));
}

/** The steps, each with its requests. */
export function recordedSteps(): { step: string; exchanges: Exchange[] }[] {
  return [...Map.groupBy(recordedExchanges(), ({ step }) => step)].map(([step, exchanges]) => ({
    step,
    exchanges,
  }));
}
