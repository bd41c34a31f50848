import type { ErrorCode } from './error-codes.ts';

/** What an error says. */
export interface ErrorParts {
  /** Stable identifier, for example `duration_invalid`. */
  code: ErrorCode;
  /** What went wrong, in one sentence. Never contains a secret. */
  what: string;
  /** What was given, if that helps and is not secret. */
  given?: string;
  /** What is allowed instead. */
  allowed?: string;
  /** How to fix it. */
  fix?: string;
  /** Where: a path in the YAML, a URN, a file. */
  where?: string;
  cause?: unknown;
}

/**
 * An error that the user can act on. Its message says what went wrong, what was given, what is allowed and how to fix
 * it; its `code` is stable. Commands print only the message, without a stack trace.
 */
export class GatehouseError extends Error {
  readonly code: ErrorCode;
  readonly parts: ErrorParts;

  constructor(parts: ErrorParts) {
    super(describe(parts), parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = 'GatehouseError';
    this.code = parts.code;
    this.parts = parts;
  }
}

function describe({ what, given, allowed, fix, where }: ErrorParts): string {
  return [
    where === undefined ? what : `${where}: ${what}`,
    given === undefined ? undefined : `given: ${given}`,
    allowed === undefined ? undefined : `allowed: ${allowed}`,
    fix,
  ]
    .filter((part) => part !== undefined)
    .join('\n  ');
}
