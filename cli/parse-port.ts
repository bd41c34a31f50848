import { InvalidArgumentError } from 'commander';

/** Reads a port: 0 to 65535, where 0 lets the system choose. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('a port is a whole number from 0 to 65535');
}
