import type { PathRule } from '../../packages/core/src/graph/policies/parse-policy.ts';
import { randomPolicies } from './random-policies.ts';

type Next = (limit: number) => number;

export function pick<Value>(next: Next, list: readonly Value[]): Value {
  const found = list[next(list.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}

/** Where the two kv mounts of a recorded life keep what is asked for, and where templates are named. */
const prefixes = ['kv', 'kv', 'secret/data', 'secret/data', 'secret/metadata'];
const templates = [
  'kv/{{identity.entity.id}}/*',
  'kv/{{identity.entity.name}}',
  'secret/data/{{identity.entity.name}}/*',
];
const administration: [path: string, capabilities: string[]][] = [
  ['sys/policies/acl/scratch', ['read', 'update', 'create']],
  ['sys/policies/acl/*', ['read', 'list']],
  ['sys/policies/acl', ['list']],
  ['sys/auth', ['read']],
  ['sys/auth/*', ['read', 'sudo']],
  ['sys/auth/+/tune', ['read']],
  ['sys/audit', ['read', 'sudo']],
  ['sys/mounts', ['read']],
];
const choices = [
  ['read'],
  ['read', 'list'],
  ['create', 'update'],
  ['create', 'read', 'update', 'patch'],
  ['read', 'update', 'delete', 'list'],
  ['create', 'read', 'update', 'delete', 'list', 'patch'],
  ['deny'],
];

/** The text of a policy whose rules overlap with those of others: patterns, templates, denials, limits. */
export function limitedPolicy(seed: number, next: Next): string {
  const [patterns = []] = randomPolicies(seed, 1, 7);
  const rules = patterns
    .filter(({ path }) => !path.includes('+*'))
    .map(({ path }) => ({ path: `${pick(next, prefixes)}/${path}`, capabilities: pick(next, choices) }));
  if (next(3) === 0) rules.push({ path: pick(next, templates), capabilities: pick(next, choices) });
  if (next(3) === 0) {
    const [path, capabilities] = pick(next, administration);
    rules.push({ path, capabilities });
  }
  if (next(2) === 0) rules.push({ path: `${pick(next, prefixes)}/*`, capabilities: pick(next, choices) });
  const seen = new Set<string>();
  return rules
    .filter(({ path }) => !seen.has(path) && seen.add(path))
    .map((rule) => ruleText(rule, next))
    .join('\n');
}

function ruleText({ path, capabilities }: PathRule, next: Next): string {
  const limits =
    next(4) === 0 && !capabilities.includes('deny') && !path.startsWith('sys/') ? limit(next) : [];
  return [`path "${path}" {`, `  capabilities = ${JSON.stringify(capabilities)}`, ...limits, '}'].join('\n');
}

/** Values of fields that requests have; a `*` meets a hashed value rarely. */
function limit(next: Next): string[] {
  const values = () => pick(next, ['[]', '["one"]', '["one", "two"]', '["three", true]', '["1", 2]']);
  const field = () => pick(next, ['x', 'y', 'data', 'options', '"*"']);
  const list = (name: string, ...fields: string[]) => [
    `  ${name} = {`,
    ...[...new Set([field(), ...fields])].map(
      (one) => `    ${one} = ${one === 'data' || one === 'options' ? '[]' : values()}`,
    ),
    '  }',
  ];
  switch (next(5)) {
    case 0:
      return list('allowed_parameters', 'data', 'x');
    case 1:
      return list('denied_parameters');
    case 2:
      return [`  required_parameters = [${pick(next, ['"x"', '"data"', '"x", "y"', '"Zone"'])}]`];
    case 3:
      return ['  min_wrapping_ttl = "30s"', ...(next(2) === 0 ? ['  max_wrapping_ttl = "90s"'] : [])];
    default:
      return next(8) === 0
        ? ['  allowed_parameters = {', '    x = ["on*"]', '  }']
        : list('allowed_parameters', '"*"');
  }
}
