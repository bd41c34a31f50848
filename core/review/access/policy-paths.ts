import { Acl } from '../../model/policies/acl.ts';
import { type PathRule, readPolicy } from '../../model/policies/parse-policy.ts';
import type { Policy } from '../../model/resources/policy.ts';

/** What becomes of a path of the secrets service. */
export interface PathChange {
  /** As a policy writes it, with `*` and `+`. */
  path: string;
  gained: string[];
  lost: string[];
  /** Fields that a request may or must have are other than before. */
  parametersChange: boolean;
}

/** What a set of policies comes to, once for each set. */
export interface PolicySet {
  acl: Acl;
  rules: PathRule[];
  /** Names of policies whose text is not there or cannot be read. */
  unread: string[];
}

/** Stands for any segment: no policy names it. */
const anySegment = '\u{e000}';

/** The policies of one side of a change. */
export class PolicyTexts {
  readonly #texts: Map<string, string>;
  readonly #now: bigint;
  readonly #parsed = new Map<string, PathRule[] | undefined>();
  readonly #sets = new Map<string, PolicySet>();

  /** @param now nanoseconds since 1970: rules may expire */
  constructor(policies: Policy[], now: bigint) {
    this.#texts = new Map(policies.map(({ name, text }) => [name, text]));
    this.#now = now;
  }

  text(name: string): string | undefined {
    return this.#texts.get(name);
  }

  set(names: string[]): PolicySet {
    const key = JSON.stringify(names);
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    const read = names.map((name) => ({ name, rules: this.#rules(name) }));
    const set: PolicySet = {
      acl: new Acl(
        read.map(({ name, rules }) => ({ name, rules: rules ?? [] })),
        this.#now,
      ),
      rules: read.flatMap(({ rules }) => rules ?? []),
      unread: read.filter(({ rules }) => rules === undefined).map(({ name }) => name),
    };
    this.#sets.set(key, set);
    return set;
  }

  #rules(name: string): PathRule[] | undefined {
    if (!this.#parsed.has(name)) {
      const text = this.#texts.get(name);
      this.#parsed.set(name, text === undefined ? undefined : readPolicy(text));
    }
    return this.#parsed.get(name);
  }
}

/**
 * Which capabilities are gained or lost where. Each pattern that a policy has on either side is asked about on both, so
 * that a rule that only repeats what a wider one says is no change, and a denial within a wider one is.
 */
export function pathChanges(before: PolicySet, after: PolicySet): PathChange[] {
  const patterns = new Set([...before.rules, ...after.rules].map(({ path }) => path));
  const changes: PathChange[] = [];
  for (const path of [...patterns].sort()) {
    const asked = example(path);
    const [old, wanted] = [before, after].map(({ acl }) => new Set(allowed(acl, asked)));
    const gained = [...(wanted ?? [])].filter((one) => !old?.has(one));
    const lost = [...(old ?? [])].filter((one) => !wanted?.has(one));
    const parametersChange = parametersOf(before, path) !== parametersOf(after, path);
    if (gained.length > 0 || lost.length > 0 || (parametersChange && wanted?.size && old?.size)) {
      changes.push({ path, gained, lost, parametersChange });
    }
  }
  return changes;
}

/** A path that a pattern matches, and that no narrower one of any policy is made for. */
function example(pattern: string): string {
  const path = pattern
    .split('/')
    .map((part) => (part === '+' ? anySegment : part))
    .join('/');
  return path.endsWith('*') ? `${path.slice(0, -1)}${anySegment}` : path;
}

function allowed(acl: Acl, path: string): string[] {
  return acl.capabilities(path).filter((one) => one !== 'deny');
}

/** What the rules of a pattern ask of a request's fields; empty where they ask nothing. */
function parametersOf({ rules }: PolicySet, path: string): string {
  const asked = rules
    .filter((rule) => rule.path === path)
    .map(({ allowedParameters, deniedParameters, requiredParameters, needsWrapping }) =>
      JSON.stringify({
        allowedParameters,
        deniedParameters,
        requiredParameters,
        ...(needsWrapping === true ? { needsWrapping } : {}),
      }),
    );
  return asked.filter((one) => one !== '{}').join();
}
