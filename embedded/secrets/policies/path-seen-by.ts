import type { Token } from '../tokens/token.ts';

const ofItself = ['auth/token/lookup-self', 'auth/token/renew-self', 'auth/token/revoke-self'];

/**
 * How the policies of a token call a path in a namespace: from the token's own namespace down. Undefined where the
 * token says nothing: outside of its namespace.
 */
export function pathSeenBy(token: Token, namespace: string, path: string): string | undefined {
  if (token.namespace === namespace) return path;
  // What a token does for itself it does wherever it asks.
  if (ofItself.includes(path)) return path;
  if (token.namespace === '') return `${namespace}/${path}`;
  const isBelow = namespace.startsWith(`${token.namespace}/`);
  return isBelow ? `${namespace.slice(token.namespace.length + 1)}/${path}` : undefined;
}
