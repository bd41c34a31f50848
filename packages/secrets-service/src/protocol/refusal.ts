/** Refuses a request with a status and the texts of `{"errors": […]}`, which never hold a secret. */
export class RequestRefusal extends Error {
  readonly status: number;
  readonly errors: string[];

  constructor(status: number, ...errors: string[]) {
    super(errors.join('; '));
    this.name = 'Refusal';
    this.status = status;
    this.errors = errors;
  }
}

/** Only an error's own message: causes of library errors can hold what was sent. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}

/** The format of real servers' inner errors. */
export function oneError(text: string): string {
  return `1 error occurred:\n\t* ${text}\n\n`;
}
