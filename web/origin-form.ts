import type { IncomingMessage } from 'node:http';

/**
 * Path and query of a request. A client may also send the whole URL, as it would to a proxy: its host then replaces that
 * of the `Host` header (RFC 9112, 3.2.2). For Fastify's `rewriteUrl`.
 */
export function originForm({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string {
  const [, host, target = ''] = /^https?:\/\/([^/?#]+)(.*)$/is.exec(url) ?? [];
  if (host === undefined) return url;
  headers.host = host;
  return target.startsWith('/') ? target : `/${target}`;
}
