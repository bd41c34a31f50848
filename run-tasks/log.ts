import type { FastifyBaseLogger } from 'fastify';

/** Where the run tasks' parts write to: structured, and never a token. */
export type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;

export const silent: Log = { info() {}, warn() {}, error() {} };
