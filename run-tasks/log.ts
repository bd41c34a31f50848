import type { FastifyBaseLogger } from 'fastify';

/** The structured log of the run tasks. It never contains a token. */
export type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;

export const silent: Log = { info() {}, warn() {}, error() {} };
