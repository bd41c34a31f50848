/** What callers may take of the server before they are refused. */
export interface ServerLimits {
  /** Milliseconds from the first byte of a request until its head is whole. */
  headMs: number;
  /** Milliseconds until the body is whole. */
  requestMs: number;
  /** Milliseconds without a byte in either direction. */
  idleMs: number;
  /** Connections at a time; more are closed as they come. */
  connections: number;
  /** Milliseconds that answers under way may take once the service stops. */
  stopMs: number;
}

export const serverLimits: ServerLimits = {
  headMs: 30_000,
  requestMs: 60_000,
  idleMs: 120_000,
  connections: 10_000,
  stopMs: 5_000,
};
