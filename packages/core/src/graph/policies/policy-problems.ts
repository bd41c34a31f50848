import { capabilities } from '../values/capability.ts';
import { didYouMean } from '../values/problem.ts';
import { type HclBody, HclError, type HclValue, parseHcl } from './hcl.ts';
import { expiryOf, invalidKey, isBody } from './parse-policy.ts';
import { type AttributeShape, attributes, olderWords } from './policy-attributes.ts';

/** Why servers refuse the text of a policy. */
export interface PolicyProblem {
  /** As OpenBao says it, behind `failed to parse policy: `. */
  words: string;
  /** In words for people who wrote the policy, with what is allowed. */
  message: string;
}

/** Whose policies are taken: OpenBao's alone, or what only Vault takes as well. */
export type Servers = 'openbao' | 'any';

type Item = HclBody['items'][number];

/**
 * Everything that a server refuses in the text of a policy, by what OpenBao 2.7.2 does (openbao/openbao
 * `internal/vault/policy/policy.go`). A server stops at the first one.
 *
 * @param now nanoseconds since 1970: servers do not look into rules that are over. Defaults to looking into all.
 */
export function policyProblems(text: string, servers: Servers, now = 0n): PolicyProblem[] {
  let items: Item[];
  try {
    ({ items } = parseHcl(text));
  } catch (error) {
    if (error instanceof HclError) return [{ words: error.message, message: readable(error.message) }];
    throw error;
  }
  const all = items.flatMap((item) => [...problemsOfItem(item, servers, now)]);
  return [...new Map(all.map((problem) => [problem.message, problem])).values()];
}

function* problemsOfItem(item: Item, servers: Servers, now: bigint): Generator<PolicyProblem> {
  const { name, labels: [label] = [], value } = item;
  if (name === 'name') {
    if (!fits(value, 'text')) yield same(`${atLine(item)}\`name\` must be a text`);
  } else if (name !== 'path') {
    const message = `${atLine(item)}\`${name}\` is nothing that a policy has${didYouMean(name, ['path', 'name'])}`;
    yield { words: invalidKey(item).message, message };
  } else if (label === undefined || !isBody(value)) {
    yield same(`${atLine(item)}a rule is written as path "secret/*" { capabilities = ["read"] }`);
  } else yield* problemsOfRule(label, value.items, item, servers, now);
}

/** A problem of a rule. @param item where it is written. Defaults to the whole rule. */
type ProblemOf = (words: string, message: string, item?: Item) => PolicyProblem;

function* problemsOfRule(
  label: string,
  items: Item[],
  rule: Item,
  servers: Servers,
  now: bigint,
): Generator<PolicyProblem> {
  const where = `path ${JSON.stringify(label)}`;
  const problem: ProblemOf = (words, message, item = rule) => ({
    words: `${where}: ${words}`,
    message: `${atLine(item)}${where}: ${message}`,
  });
  if (!isBalanced(label)) {
    const words = 'failed to validate policy templating: unbalanced templating characters';
    yield problem(words, 'each {{ of a template needs its }}');
  }
  const named = new Map(items.map((item) => [item.name, item]));
  yield* unknownAttributes(items, servers, problem);
  yield* attributeProblems(items, named, servers, where, problem);
  const expiration = named.get('expiration')?.value;
  const expires = fits(expiration ?? '', 'instant') && expiryOf(expiration, where);
  if (expires && expires <= now) return;
  if (label.includes('+*')) {
    yield problem(
      `${where}: invalid use of wildcards ('+*' is forbidden)`,
      '`+*` is forbidden: `+` stands for one whole segment, `*` at the end for any rest',
    );
  }
  const word = String(named.get('policy')?.value ?? '');
  if (word !== '' && !olderWords.has(word)) {
    const message = `\`${word}\` is none of the older words ${[...olderWords.keys()].join(', ')}; give \`capabilities\``;
    yield problem(`${where}: invalid policy ${JSON.stringify(word)}`, message, named.get('policy'));
  }
  const written = named.get('capabilities');
  const list = word !== 'deny' && Array.isArray(written?.value) ? written.value.map(String) : [];
  yield* capabilityProblems(list, written, servers, where, problem);
  if (word === 'deny' || list.includes('deny')) return;
  yield* limitProblems(named, list, problem);
}

function* unknownAttributes(
  items: readonly Item[],
  servers: Servers,
  problem: ProblemOf,
): Generator<PolicyProblem> {
  const known = Object.keys(attributes).filter((name) => servers === 'any' || !attributes[name]?.isOfVault);
  for (const item of items) {
    if (known.includes(item.name)) continue;
    const likely = didYouMean(item.name, known) || `; known: ${known.join(', ')}`;
    yield problem(invalidKey(item).message, `no server knows \`${item.name}\`${likely}`, item);
  }
}

/** Attributes that are given twice, or with values that no server reads. */
function* attributeProblems(
  items: readonly Item[],
  named: ReadonlyMap<string, Item>,
  servers: Servers,
  where: string,
  problem: ProblemOf,
): Generator<PolicyProblem> {
  for (const item of items) {
    if (servers === 'any' && named.get(item.name) !== item) {
      // Servers take one of them, or both together: by the attribute.
      yield problem(`${item.name} is given twice`, `\`${item.name}\` is given twice; give it once`, item);
    }
    const { shape = 'anything' } = attributes[item.name] ?? {};
    if (!fits(item.value, shape)) {
      const message = `\`${item.name}\` must be ${inWords[shape]}`;
      const isTime = shape === 'instant' && typeof item.value !== 'boolean' && !Array.isArray(item.value);
      const words = `${where}: invalid expiration time: could not parse string as date and time`;
      yield problem(isTime ? words : message, message, item);
    } else if (shape === 'block') {
      for (const message of controlGroupProblems(item.value, servers)) yield problem(message, message, item);
    }
  }
}

function* capabilityProblems(
  list: readonly string[],
  written: Item | undefined,
  servers: Servers,
  where: string,
  problem: ProblemOf,
): Generator<PolicyProblem> {
  const words: string[] = [
    ...capabilities.filter((capability) => servers === 'any' || capability !== 'subscribe'),
    'deny',
  ];
  if (servers === 'any') words.push('recover');
  // A server reads no further than `deny`, in the whole rule.
  for (const capability of list.slice(0, list.includes('deny') ? list.indexOf('deny') : undefined)) {
    if (words.includes(capability)) continue;
    const likely = didYouMean(capability, words) || `; known: ${words.join(', ')}`;
    const message = `\`${capability}\` is no capability${likely}`;
    yield problem(`${where}: invalid capability ${JSON.stringify(capability)}`, message, written);
  }
}

/** Limits of what else a rule gives. */
function* limitProblems(
  named: ReadonlyMap<string, Item>,
  listed: readonly string[],
  problem: ProblemOf,
): Generator<PolicyProblem> {
  const secondsOf = (name: string) => {
    const value = named.get(name)?.value;
    return value === undefined ? 0 : goSeconds(value);
  };
  const least = secondsOf('min_wrapping_ttl');
  const most = secondsOf('max_wrapping_ttl');
  for (const [name, seconds] of Object.entries({ min_wrapping_ttl: least, max_wrapping_ttl: most })) {
    if (seconds !== undefined) continue;
    const written = JSON.stringify(named.get(name)?.value);
    yield problem(
      `error parsing ${name}`,
      `\`${name}\`: ${written} is not a duration; allowed: seconds, or 90s, 5m, 1h30m, 2d`,
      named.get(name),
    );
  }
  if (least && most && most < least) {
    const words = 'max_wrapping_ttl cannot be less than min_wrapping_ttl';
    yield problem(words, words.replaceAll(/\w+_ttl/g, '`$&`'), named.get('max_wrapping_ttl'));
  }
  const filter = named.get('list_scan_response_keys_filter_path');
  if (filter === undefined || filter.value === '') return;
  if (!listed.includes('list')) {
    const words = `${filter.name} needs to be used on a path with the list capability`;
    yield problem(words, `\`${filter.name}\` needs the capability \`list\``, filter);
  } else if (!/\{\{.*\.key.*\}\}/s.test(String(filter.value))) {
    const words = `${filter.name} resulted in same path for two different keys`;
    yield problem(words, `\`${filter.name}\` needs the name of the key in it: {{ .path }}{{ .key }}`, filter);
  }
}

/** @see https://openbao.org/docs/concepts/control-groups */
function* controlGroupProblems(group: HclValue, servers: Servers): Generator<string> {
  const inside = isBody(group) ? group.items : [];
  const wrong = (items: Item[], known: string[], of: string) =>
    items
      .filter(({ name }) => !known.includes(name))
      .map(
        ({ name }) => `${of} has no \`${name}\`${didYouMean(name, known) || `; known: ${known.join(', ')}`}`,
      );
  yield* wrong(inside, ['ttl', 'self_auth_allowed', 'factor'], 'a control group');
  const ttl = inside.find(({ name }) => name === 'ttl');
  if (ttl !== undefined && goSeconds(ttl.value) === undefined)
    yield `\`ttl\`: ${JSON.stringify(ttl.value)} is not a duration`;
  const factors = inside.filter(({ name }) => name === 'factor');
  if (factors.length === 0) yield 'a control group needs a `factor`';
  for (const { labels, value } of factors) {
    const items = isBody(value) ? value.items : [];
    const within = (name: string, searched = items) => searched.find((item) => item.name === name)?.value;
    if (labels === undefined) yield 'a `factor` of a control group needs a name';
    yield* wrong(items, ['controlled_capabilities', 'identity'], 'a factor of a control group');
    const identity = within('identity');
    const who = identity !== undefined && isBody(identity) ? identity.items : [];
    if (servers === 'openbao' && isNone(within('controlled_capabilities')))
      yield 'a `factor` of a control group needs its `controlled_capabilities`';
    if (isNone(within('group_names', who)) && (servers === 'openbao' || isNone(within('group_ids', who))))
      yield 'a `factor` of a control group needs the `group_names` of who approves';
    if (!(Number(within('approvals', who)) > 0))
      yield 'a `factor` of a control group needs its number of `approvals`';
  }
}

function isNone(value: HclValue | undefined): boolean {
  return !Array.isArray(value) || value.length === 0;
}

const inWords: Record<AttributeShape, string> = {
  anything: 'anything',
  text: 'a text',
  texts: 'a list of texts',
  'lists by name': 'names, each with a list of values: { name = ["a", "b"] }',
  duration: 'a duration',
  instant: 'a time, such as 2027-01-31T00:00:00Z',
  number: 'a whole number',
  block: 'a block',
};

/** Whether a server reads a value as this: it takes a number for a text. */
function fits(value: HclValue, shape: AttributeShape): boolean {
  const isText = (scalar: HclValue) => typeof scalar === 'string' || typeof scalar === 'number';
  switch (shape) {
    case 'anything':
    // Read where nothing denies the path.
    case 'duration':
      return true;
    case 'text':
      return isText(value);
    case 'texts':
      return Array.isArray(value) && value.every(isText);
    case 'lists by name':
      return isBody(value) && value.items.every(({ value: inner }) => Array.isArray(inner));
    case 'instant':
      return isText(value) && isInstant(value);
    case 'number':
      return /^-?\d+$/.test(String(value)) && isText(value);
    case 'block':
      return isBody(value);
  }
}

function isInstant(value: HclValue): boolean {
  try {
    expiryOf(value, '');
    return true;
  } catch {
    return false;
  }
}

/** Seconds, as Go's `ParseDurationSecond` reads them; undefined for what it refuses. */
function goSeconds(value: HclValue): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  const units: Record<string, number> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3_600 };
  if (/^[+-]?\d+d?$/.test(value)) return Number.parseInt(value, 10) * (value.endsWith('d') ? 86_400 : 1);
  if (value === '') return 0;
  if (!/^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))+)$/.test(value)) return undefined;
  const parts = [...value.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g)];
  const total = parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0), 0);
  return value.startsWith('-') ? -total : total;
}

/** Whether a template is closed: as the service takes it apart (openbao/openbao `sdk/helper/identitytpl`). */
function isBalanced(path: string): boolean {
  const [first = '', ...rest] = path.split('{{');
  return !first.includes('}}') && rest.every((part) => part.split('}}').length === 2);
}

function same(message: string): PolicyProblem {
  return { words: message, message };
}

/** JSON has no lines. */
function atLine({ line }: Item): string {
  return line === 0 ? '' : `line ${line}: `;
}

/** `At 3:14: …` as `line 3: …`. */
function readable(words: string): string {
  return words.replace(/^At (\d+):\d+: /, 'line $1: ');
}
