/** A namespace as people write it, with slashes around it. Empty for the root namespace. */
export function tidyNamespace(given: string): string {
  return given.replace(/^[/\s]+|[/\s]+$/g, '');
}

/** The path of an auth method as people write it: with `auth/` before it, slashes around it. */
export function tidyMethod(given: string): string {
  return given.trim().replace(/^\/*(?:auth\/)?|\/+$/g, '');
}
