import type { Claims } from '../../../core/login/claims.ts';

/** Members that hold a token of another issuer (OpenID Connect Core, 5.6.2), or one of the sign-in's own. */
const tokenNames = /^(jwt|code|nonce|.*(token|secret|password|assertion))$/i;
/** What looks like a token, wherever it stands. */
const tokens = /\b[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g;
/** Characters; thousands of groups would fill a log. */
const longest = 8_000;

/** The claims of a sign-in as text for `verbose_oidc_logging`: every token in them is left out. */
export function loggableClaims(claims: Claims): string {
  const text = JSON.stringify(claims, (name, value) => {
    if (value !== null && typeof value !== 'object' && tokenNames.test(name)) return '[secret]';
    return typeof value === 'string' ? value.replace(tokens, '[secret]') : value;
  });
  return text.length > longest ? `${text.slice(0, longest)} …` : text;
}
