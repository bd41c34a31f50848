import type { Review } from '../../../../src/review/review.ts';
import { reasonWords } from '../../../../src/words/reason-words.ts';
import type { WorldChange } from './change.ts';
import { type Kind, type Resource, type Resources, textOf, type World } from './world.ts';

/**
 * What a review names as not known, and workspace B really has: the answer is open, whatever the people of
 * this world then get.
 */
export function leftOpen(
  world: World,
  { before, after }: WorldChange,
  { scope, missing, access }: Pick<Review, 'scope' | 'missing' | 'access'>,
): string[] {
  const there: Resources = new Map([...before, ...after].filter(([key]) => !world.own.has(key)));
  const elsewhere = new Elsewhere(there, world.prefix);
  const unread = access.flatMap(({ unread: names }) =>
    names.map((name) => `what policy ${JSON.stringify(name)} allows`),
  );
  return [...new Set([...[...scope.missing, ...missing].map(reasonWords), ...unread])].filter((words) =>
    elsewhere.has(words),
  );
}

const identities: Kind[] = ['group', 'entity', 'attachment'];

/** Workspace B. */
class Elsewhere {
  readonly #there: Resources;
  readonly #all: Resource[];
  readonly #prefix: string;

  constructor(there: Resources, prefix: string) {
    this.#there = there;
    this.#all = [...there.values()];
    this.#prefix = prefix;
  }

  /** Whether it has something of what a review calls so. */
  has(words: string): boolean {
    const [, name = ''] = /(?:group|entity|policy|policies of group|alias) "([^"]*)"/.exec(words) ?? [];
    const [, mount = ''] = /auth\/([\w-]+)/.exec(words) ?? [];
    if (words.startsWith('other principals with') || words.startsWith('what else other principals with'))
      return this.#gives(name);
    if (/^(other grants of|what else the principals of) role/.test(words))
      return this.#isGiving(...identities);
    if (/^(other grants of|what else the principals of)/.test(words))
      return this.#isGiving(...identities, 'role', 'user');
    if (words.startsWith('groups, policies and second factors elsewhere of'))
      return this.#isAround(name) || this.#isReading(name);
    if (words.startsWith('policies elsewhere that read')) return this.#isReading(name);
    if (words.startsWith('entities and groups elsewhere'))
      return this.#isOn(mount, 'groupAlias', 'entityAlias');
    if (/^(other groups with an alias|which groups claim)/.test(words))
      return this.#isOn(mount, 'groupAlias');
    if (words.startsWith('what others make again')) return this.#isOn(mount, 'role', 'user');
    if (/^(what .* had before|the entity that)/.test(words)) return this.#isGiving(...identities);
    if (/^what policy .* allows(?!, which)/.test(words)) return this.#named(name) !== undefined;
    // Of something that the plan has by its id alone.
    if (/^(policies|method) of/.test(words)) return this.#named(name) !== undefined || /id-|acc-/.test(words);
    return false;
  }

  #named(name: string): string | undefined {
    const found = [...this.#there].find(
      ([key, one]) => key === name.replace(/^(id|acc)-/, '') || ('name' in one && one.name === name),
    );
    return found?.[0];
  }

  #gives(policy: string): boolean {
    return this.#all.some(
      (one) => 'policies' in one && one.policies.some((key) => `${this.#prefix}-${key}` === policy),
    );
  }

  #isGiving(...kinds: Kind[]): boolean {
    return this.#all.some((one) => kinds.includes(one.kind) && 'policies' in one && one.policies.length > 0);
  }

  /** Whether a group is around it, a policy is attached to it, or it is there itself with policies. */
  #isAround(name: string): boolean {
    const isIt = (key: string) =>
      name === `id-${key}` || name === this.#nameOf(key) || this.#named(name) === key;
    const own = this.#named(name);
    return this.#all.some(
      (one) =>
        (one.kind === 'group' && one.members.some(isIt)) ||
        (one.kind === 'attachment' && isIt(one.group)) ||
        (own !== undefined && one === this.#there.get(own)),
    );
  }

  /** What a key of the other workspace is called there. */
  #nameOf(key: string): string {
    return key.length === 1 ? `${this.#prefix}${key}` : `${this.#prefix}-${key}`;
  }

  #isReading(name: string): boolean {
    const isEntity = !name.includes('-');
    const what = isEntity ? '{{identity.entity.' : `{{identity.groups.names.${name}.`;
    return this.#all.some((one) => one.kind === 'policy' && textOf(one.rules).includes(what));
  }

  #isOn(mount: string, ...kinds: Kind[]): boolean {
    return this.#all.some(
      (one) =>
        kinds.includes(one.kind) &&
        'mount' in one &&
        [`${this.#prefix}${one.mount}`, `acc-${one.mount}`].includes(mount),
    );
  }
}
