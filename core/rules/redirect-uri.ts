/** A redirect URI, taken apart; undefined for what is none. */
export function uriOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Whether a URI leads to the machine that the browser runs on. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Whether the command line waits there: on loopback, whatever the port, as the service compares it. */
export function isCommandLine(text: string): boolean {
  const uri = uriOf(text);
  return uri !== undefined && isLoopback(uri) && uri.pathname === '/oidc/callback';
}

/** Path of the auth method that a URI of the pages, or of the service itself, names. */
export function methodOfUri(text: string): string | undefined {
  return /^\/(?:ui\/[^/]+|v1)\/auth\/(.+)\/oidc\/callback$/.exec(uriOf(text)?.pathname ?? '')?.[1];
}
