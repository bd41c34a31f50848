import type { FastifyBaseLogger } from 'fastify';
import { stdSerializers } from 'pino';

/** The structured log of the run tasks. It never contains a token. */
export type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;

/**
 * An error as it is logged. Those of a database also carry the values of the failed statement, and the row: a token may be
 * among them.
 */
export function loggedError(error: Error): object {
  const { type, code, message, stack } = stdSerializers.err(error);
  return { type, code, message, stack };
}

export const silent: Log = { info() {}, warn() {}, error() {} };
