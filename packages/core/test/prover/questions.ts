import { randomFrom } from '../../../../test/harness/random-policies.ts';

/** Texts of policies by holder. Groups of both sides are the same ones, by index. */
export interface Held {
  role: string[];
  groups: string[][];
}

/** Whether a token of the role and any of the groups can do more, or less, after than before. */
export interface Question {
  id: number;
  before: Held;
  after: Held;
  /** Whether tokens may hold further rules that no one knows, the same before and after. */
  rest: boolean;
}

type Random = (limit: number) => number;

const words = ['a', 'a', 'ab', 'b', 'abc', '+', '+'];
const capabilities = [
  ...['create', 'read', 'update', 'delete', 'list', 'patch', 'sudo'].map((one) => [one]),
  ['read', 'list'],
  ['read', 'update'],
  ['update', 'create'],
  ['read', 'delete'],
  ['deny'],
  ['deny'],
  ['deny'],
  [],
];
const names = ['x', 'y', 'X', '*'];
const values = ['a', 'ab', 'b', 'a*', '*b', '*a*', 'a*b', '', true, false, 5];
const times = ['0', '30s', '1m', '90s', '5m'];

/** One rule of a policy, before it is text. */
interface Block {
  pattern: string;
  capabilities: string[];
  limits: string[];
}

/** Which limits the rules of a question may have; few have all. */
interface Flavor {
  parameters: boolean;
  wrapping: boolean;
}

/** A random question: the same one for the same id. */
export function question(id: number): Question {
  const next = randomFrom(Math.imul(id, 2_654_435_761));
  const kind = next(10);
  const flavor = { parameters: kind > 4, wrapping: kind > 7 };
  // Few patterns, so that policies meet.
  const patterns = repeated(2 + next(3), () => pattern(next));
  const policy = () => repeated(1 + next(3), () => block(next, patterns, flavor));
  const before = [
    repeated(1 + next(3), policy),
    ...repeated(next(3), () => repeated(1 + (next(3) === 0 ? 1 : 0), policy)),
  ];
  let after = before;
  for (let change = 1 + next(2); change > 0; change--) after = changed(next, after, policy, patterns, flavor);
  return { id, before: held(before), after: held(after), rest: next(2) === 0 };
}

/** The role's policies, then those of each group. */
type PoliciesOfSubjects = Block[][][];

function changed(
  next: Random,
  subjects: PoliciesOfSubjects,
  policy: () => Block[],
  patterns: string[],
  flavor: Flavor,
): PoliciesOfSubjects {
  const subject = next(subjects.length);
  const policies = subjects[subject] ?? [];
  const at = next(policies.length || 1);
  const kind = next(7);
  const become = (...these: Block[][]) =>
    subjects.map((all, index) =>
      index === subject ? [...all.slice(0, at), ...these, ...all.slice(at + 1)] : all,
    );
  const text = policies[at];
  if (text === undefined || kind === 0) return become(...(text ? [text] : []), policy());
  if (kind === 1) return become();
  const place = next(text.length);
  const rule = block(next, patterns, flavor);
  if (kind === 2) return become([...text, rule]);
  if (kind === 3) return become(text.filter((_, index) => index !== place));
  return become(text.map((one, index) => (index === place ? altered(one, rule, kind) : one)));
}

/** One part of a rule becomes that of another. */
function altered(one: Block, other: Block, kind: number): Block {
  if (kind === 4) return { ...one, capabilities: other.capabilities };
  return kind === 5 ? { ...one, limits: other.limits } : { ...one, pattern: other.pattern };
}

function held([role = [], ...groups]: PoliciesOfSubjects): Held {
  return { role: role.map(textOf), groups: groups.map((policies) => policies.map(textOf)) };
}

function textOf(policy: Block[]): string {
  return policy
    .map(({ pattern: path, capabilities: list, limits }) =>
      [`path ${JSON.stringify(path)} {`, `  capabilities = ${JSON.stringify(list)}`, ...limits, '}'].join(
        '\n',
      ),
    )
    .join('\n');
}

function block(next: Random, patterns: string[], { parameters, wrapping }: Flavor): Block {
  const limits = [
    ...(parameters && next(3) === 0 ? [`  allowed_parameters = ${lists(next)}`] : []),
    ...(parameters && next(4) === 0 ? [`  denied_parameters = ${lists(next)}`] : []),
    ...(parameters && next(4) === 0 ? [`  required_parameters = ["${one(next, ['x', 'y', 'X'])}"]`] : []),
    ...(wrapping && next(2) === 0 ? wrapped(next) : []),
  ];
  return { pattern: one(next, patterns), capabilities: one(next, capabilities), limits };
}

function lists(next: Random): string {
  const named = new Map(
    repeated(1 + next(2), () => {
      const name = one(next, names);
      const list = name === '*' ? [] : repeated(next(3), () => one(next, values));
      return [name.toLowerCase(), `${name} = ${JSON.stringify(list)}`.replace(/^\*/, '"*"')];
    }),
  );
  return `{\n    ${[...named.values()].join('\n    ')}\n  }`;
}

function wrapped(next: Random): string[] {
  const [least = 0, most = 0] = [next(times.length), next(times.length)].sort((a, b) => a - b);
  const [low, high] = next(3) === 0 ? [most, 0] : [least, most];
  return [
    ...(low > 0 ? [`  min_wrapping_ttl = "${times[low]}"`] : []),
    ...(high > 0 ? [`  max_wrapping_ttl = "${times[high]}"`] : []),
  ];
}

function pattern(next: Random): string {
  const path = repeated(1 + next(3), () => one(next, words)).join('/');
  const ending = next(7);
  if (ending === 0) return `${path}/`;
  if (ending < 3 && !path.endsWith('+')) return `${path}*`;
  return ending < 5 ? `${path}/*` : path;
}

function one<Value>(next: Random, all: readonly Value[]): Value {
  return all[next(all.length)] as Value;
}

function repeated<Value>(count: number, make: () => Value): Value[] {
  return Array.from({ length: count }, make);
}
