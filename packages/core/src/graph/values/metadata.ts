import { byteLength } from './bytes.ts';
import { quoted } from './go.ts';

/** Most pairs; most characters of a name, and bytes of a value. */
const most = { pairs: 64, name: 128, value: 512 };

/** What an alias, a group or an entity takes as metadata, in words. */
export const metadataAbout = `at most ${most.pairs} names, each of 1 to ${most.name} letters, digits, \`=\`, \`/\`, \`+\`, \`_\` and \`-\`, with values of at most ${most.value} bytes`;

/**
 * Why the identity store takes no such metadata, in its words; undefined where it does (openbao/openbao
 * `internal/vault/identity/store_util.go`, `validateMetadata`). The service answers 500.
 */
export function metadataProblem(
  of: 'alias' | 'group' | 'entity',
  metadata: Readonly<Record<string, string>>,
): string | undefined {
  const pairs = Object.entries(metadata);
  const invalid = `invalid ${of} metadata:`;
  if (pairs.length > most.pairs)
    return `${invalid} metadata cannot contain more than ${most.pairs} key/value pairs`;
  for (const [name, value] of pairs) {
    const problem = metadataNameProblem(name) ?? valueProblem(value);
    if (problem === undefined) continue;
    return `${invalid} failed to load metadata pair (${quoted(name)}, ${quoted(value)}): ${problem}`;
  }
  return undefined;
}

/** Why servers refuse a name of metadata; undefined where they take it. */
export function metadataNameProblem(name: string): string | undefined {
  if (name === '') return 'key cannot be blank';
  if (!/^[\w=/+-]+$/.test(name)) return 'key contains invalid characters';
  return name.length > most.name ? `key is too long (limit: ${most.name} characters)` : undefined;
}

function valueProblem(value: string): string | undefined {
  return byteLength(value) > most.value ? `value is too long (limit: ${most.value} characters)` : undefined;
}
