import { quoted } from '../graph/values/go.ts';

/** Most pairs of an alias, the role among them; most characters of a name, and bytes of a value. */
const most = { pairs: 64, name: 128, value: 512 };

/**
 * Why the identity store makes no alias with what a sign-in writes to it, in its words; undefined where it does (openbao/openbao
 * `internal/vault/identity_store_util.go`, `validateMetadata`). The service answers 500. An alias that is there takes all of it (tried
 * with 2.7.2).
 */
export function metadataProblem(metadata: Readonly<Record<string, string>>): string | undefined {
  const pairs = Object.entries(metadata);
  if (pairs.length > most.pairs)
    return `invalid alias metadata: metadata cannot contain more than ${most.pairs} key/value pairs`;
  for (const [name, value] of pairs) {
    const problem = nameProblem(name) ?? valueProblem(value);
    if (problem === undefined) continue;
    return `invalid alias metadata: failed to load metadata pair (${quoted(name)}, ${quoted(value)}): ${problem}`;
  }
  return undefined;
}

function nameProblem(name: string): string | undefined {
  if (name === '') return 'key cannot be blank';
  if (!/^[\w=/+-]+$/.test(name)) return 'key contains invalid characters';
  return name.length > most.name ? `key is too long (limit: ${most.name} characters)` : undefined;
}

function valueProblem(value: string): string | undefined {
  return Buffer.byteLength(value) > most.value
    ? `value is too long (limit: ${most.value} characters)`
    : undefined;
}
