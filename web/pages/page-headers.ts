import { createHash } from 'node:crypto';
import { inlineStyle } from './layout.ts';

/**
 * Headers of every page: nothing but our own style, script and icon, no frames, no address for others, never kept.
 * The icon is why there is an `img-src`.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  // Within the site, so that forms say where they come from.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Headers of a page that looks for news of itself, at its own server. */
export const livePageHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders,
  'content-security-policy': `${pageHeaders['content-security-policy']}; connect-src 'self'`,
};

const styleHash = createHash('sha256').update(inlineStyle).digest('base64');

/**
 * Headers of a page that stands alone, at a server that has no other: its style is in it, and it has no script. There
 * is no `form-action`: browsers apply it to the redirects that follow, and those of a sign-in lead elsewhere.
 */
export const standalonePageHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders,
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'; base-uri 'none'`,
  'referrer-policy': 'no-referrer',
};
