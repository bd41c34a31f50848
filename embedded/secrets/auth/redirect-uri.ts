const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Whether a role allows a redirect URI: to the letter, on loopback addresses whatever the port (RFC 8252, 7.3). */
export function isRedirectAllowed(uri: string, allowed: string[]): boolean {
  const url = URL.parse(uri);
  if (url === null) return false;
  if (!loopback.includes(url.hostname)) return allowed.includes(uri);
  return allowed.some((one) => {
    const other = URL.parse(one);
    return other !== null && withoutPort(other) === withoutPort(url);
  });
}

function withoutPort(url: URL): string {
  const { protocol, username, password, hostname, pathname, search, hash } = url;
  return JSON.stringify([protocol, username, password, hostname, pathname, search, hash]);
}
