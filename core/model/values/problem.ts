import type { z } from 'zod';

/** A configuration problem, with its path in the YAML: `gatehouse:providers[0].roles[1].ttl: …`. */
export function describeProblem(issue: z.core.$ZodIssue): string {
  return `${yamlPath(issue.path)}: ${words(issue)}`;
}

/** A path in the YAML, as printed: `gatehouse:providers[0].roles[1].ttl`. */
export function yamlPath(path: PropertyKey[]): string {
  const [key, ...rest] = path;
  const inner = rest.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return key === undefined ? 'gatehouse' : `gatehouse:${String(key)}${inner}`;
}

function words(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const secret = issue.keys.find((key) => /secret|key|password|token/i.test(key));
    const fix =
      secret === undefined
        ? ''
        : '; secrets have their own key: gatehouse:clientSecrets, gatehouse:serviceAccountKeys, gatehouse:runTaskKeys';
    return `unknown field: ${issue.keys.join(', ')}${fix}`;
  }
  if (issue.code === 'invalid_type') {
    return issue.input === undefined
      ? `this field is required (${inYaml(issue.expected)})`
      : `must be ${inYaml(issue.expected)}, not ${kindOf(issue.input)}`;
  }
  return issue.message;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : inYaml(typeof value);
}

/** What YAML users call a type. */
function inYaml(type: string): string {
  const called: Record<string, string> = {
    array: 'a list',
    boolean: 'true or false',
    int: 'a whole number',
    number: 'a number',
    object: 'a map',
    record: 'a map',
    string: 'text',
  };
  return called[type] ?? type;
}
