import { calculateJwkThumbprint, type JWK } from 'jose';
import { z } from 'zod';
import { parseStrictJson } from '../graph/values/strict-json.ts';

const publishedKey = z.strictObject({
  kid: z.string().optional(),
  alg: z.string().optional(),
  use: z.string().optional(),
  /** By RFC 7638, with SHA-256. */
  thumbprint: z.string(),
});
type PublishedKey = z.output<typeof publishedKey>;

const published = z.strictObject({
  /** Issuer, endpoints, algorithms and scopes of the discovery document, by their names there; absent without one. */
  discovery: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
  keys: z.array(publishedKey),
});

/** What the provider of an auth method publishes, as far as sign-ins depend on it: nothing of it is secret. */
export type Published = z.output<typeof published>;

const file = z.record(z.string(), published);

/**
 * Reads what was remembered of providers, by the path of their method.
 *
 * @throws SyntaxError or ZodError for another text
 */
export function parsePublished(text: string): Map<string, Published> {
  return new Map(Object.entries(file.parse(parseStrictJson(text))));
}

/** The text that `parsePublished` reads. Equal for equal content, so that only changes show in version control. */
export function publishedText(remembered: ReadonlyMap<string, Published>): string {
  const sorted = [...remembered].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted), null, 4)}\n`;
}

const remembered = /^(?:issuer|jwks_uri|.+_endpoint|id_token_signing_alg_values_supported|scopes_supported)$/;
const asymmetric = ['RSA', 'EC', 'OKP'];

/**
 * @param document the discovery document, where the method has one
 * @param jwks all keys of the method
 */
/** What a provider publishes, as it is remembered. */
export async function publishedOf(
  document: Record<string, unknown> | undefined,
  jwks: readonly JWK[],
): Promise<Published> {
  const keys = await Promise.all(
    jwks.filter((jwk) => asymmetric.includes(jwk?.kty ?? '')).map((jwk) => publishedKeyOf(jwk)),
  );
  const byText = new Map(keys.flat().map((key) => [keyText(key), key]));
  const sortedKeys = [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
  if (document === undefined) return { keys: sortedKeys };
  const discovery = Object.entries(document).flatMap(([name, value]): [string, string | string[]][] => {
    if (!remembered.test(name)) return [];
    if (typeof value === 'string') return [[name, value]];
    // The order of such lists means nothing.
    return Array.isArray(value) ? [[name, value.map(String).sort()]] : [];
  });
  return { discovery: Object.fromEntries(discovery.sort(([a], [b]) => (a < b ? -1 : 1))), keys: sortedKeys };
}

/** An entry that is no key has no thumbprint, and verifies nothing. */
async function publishedKeyOf(jwk: JWK): Promise<PublishedKey[]> {
  try {
    const { kid, alg, use } = jwk;
    const thumbprint = await calculateJwkThumbprint(jwk);
    const given = Object.entries({ kid, alg, use }).filter(([, value]) => typeof value === 'string');
    return [{ ...Object.fromEntries(given), thumbprint }];
  } catch {
    return [];
  }
}

/**
 * What differs, each in words.
 *
 * @param before undefined where nothing was remembered
 * @param now undefined where its method is no longer declared
 */
export function publishedDifferences(before: Published = { keys: [] }, now?: Published): string[] {
  if (now === undefined) return ['no longer declared'];
  const names = new Set([...Object.keys(before.discovery ?? {}), ...Object.keys(now.discovery ?? {})]);
  const fields = [...names].flatMap((name) => {
    const [from, to] = [before, now].map(({ discovery = {} }) => valueText(discovery[name]));
    return from === to ? [] : [`${name}: ${from} → ${to}`];
  });
  const [was, is] = [before, now].map(({ keys }) => keys.map(keyText));
  return [
    ...fields,
    ...(is ?? []).filter((key) => !was?.includes(key)).map((key) => `key added: ${key}`),
    ...(was ?? []).filter((key) => !is?.includes(key)).map((key) => `key removed: ${key}`),
  ];
}

function valueText(value: string | string[] | undefined): string {
  if (value === undefined) return 'none';
  return typeof value === 'string' ? value : value.join(', ');
}

function keyText({ kid, alg, use, thumbprint }: PublishedKey): string {
  const parts = [kid === undefined ? 'no kid' : `kid ${JSON.stringify(kid)}`, alg, use && `use ${use}`];
  return `${parts.filter(Boolean).join(', ')}, thumbprint ${thumbprint}`;
}
