/** A request that is refused: the status and the texts of `{"errors": […]}`. Never holds a token or a secret. */
export class Refusal extends Error {
  readonly status: number;
  readonly errors: string[];

  constructor(status: number, ...errors: string[]) {
    super(errors.join('; '));
    this.name = 'Refusal';
    this.status = status;
    this.errors = errors;
  }
}

/** How real servers list errors of the inside. */
export function oneError(text: string): string {
  return `1 error occurred:\n\t* ${text}\n\n`;
}
