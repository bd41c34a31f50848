import type { Policy } from '../resources/policy.ts';
import { getOrMake } from '../values/get-or-make.ts';
import { policyKey } from '../values/name-key.ts';
import { Acl } from './acl.ts';
import { type PathRule, readPolicy } from './parse-policy.ts';

/** A set of policies, judged together. */
interface PolicySet {
  acl: Acl;
  rules: PathRule[];
  /** Names of policies whose text is missing or cannot be read. */
  unread: string[];
}

/** The policies of a graph, each read once. Their names are compared in lower case, as the service does. */
export class PolicyTexts {
  readonly #texts: Map<string, string>;
  readonly #now: bigint;
  readonly #read = new Map<string, PathRule[] | undefined>();
  readonly #sets = new Map<string, PolicySet>();

  /** @param now nanoseconds since 1970: expired rules are left out of sets. Defaults to leaving none out. */
  constructor(policies: Policy[], now = 0n) {
    this.#texts = new Map(policies.map(({ name, text }) => [policyKey(name), text]));
    this.#now = now;
  }

  text(name: string): string | undefined {
    return this.#texts.get(policyKey(name));
  }

  /** Undefined where the text is missing or cannot be read. */
  rules(name: string): PathRule[] | undefined {
    const key = policyKey(name);
    return getOrMake(this.#read, key, () => {
      const text = this.#texts.get(key);
      return text === undefined ? undefined : readPolicy(text);
    });
  }

  set(names: string[]): PolicySet {
    return getOrMake(this.#sets, JSON.stringify(names), () => {
      const read = names.map((name) => ({ name, rules: this.rules(name) }));
      return {
        acl: new Acl(
          read.map(({ name, rules }) => ({ name, rules: rules ?? [] })),
          this.#now,
        ),
        rules: read.flatMap(({ rules }) => rules ?? []),
        unread: read.filter(({ rules }) => rules === undefined).map(({ name }) => name),
      };
    });
  }

  /**
   * Whether a policy gives a power: by what it allows, or by its name where its text is missing. False for a text that
   * cannot be read, which `cannot-be-judged` reports.
   */
  gives(name: string, power: (acl: Acl, rules: PathRule[]) => boolean): boolean {
    if (policyKey(name) === 'root') return true;
    if (this.text(name) === undefined) return /admin|root/i.test(name);
    const { acl, rules } = this.set([name]);
    return power(acl, rules);
  }

  /** Names of the policies that have a text which cannot be read. */
  unreadable(): string[] {
    return [...this.#texts.keys()].filter((name) => this.rules(name) === undefined);
  }
}
