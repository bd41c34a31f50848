import { GraphIndex } from '../access/graph-index.ts';
import { type Graph, withText } from '../graph/graph.ts';
import { ofKind } from '../graph/nodes/other-node.ts';
import { readPolicy } from '../graph/policies/parse-policy.ts';
import { isSame } from '../graph/resources/field.ts';
import { isSubjectNamed, roleSubject, subjectName } from '../graph/subject.ts';
import { capabilities } from '../graph/values/capability.ts';
import { GatehouseError } from '../graph/values/errors.ts';
import { nameKey, policyKey } from '../graph/values/name-key.ts';
import { didYouMean } from '../graph/values/problem.ts';
import type { FoldedLog } from './folded-log.ts';
import type { LoggedService } from './logged-principals.ts';
import { type Floor, type RefinedPolicy, type RefineOptions, refine } from './refine.ts';

/** A policy as it is written down. */
interface WrittenPolicy {
  text: string;
  /** Path of its file, relative to the folder of the project; absent where it is in none. */
  path?: string;
}

/**
 * Refines policies one after another: each in a graph that has the smaller ones before it.
 *
 * @param written what people change, by the name of the policy
 * @returns each with the path of its file, where that says the same as the service
 */
export function refinePolicies(
  log: FoldedLog,
  service: LoggedService,
  names: readonly string[],
  written: ReadonlyMap<string, WrittenPolicy>,
  options: RefineOptions,
): (RefinedPolicy & { file?: string })[] {
  let current = service.graph;
  return names.map((policy) => {
    const { text = '' } = current.policies.find((candidate) => policyKey(candidate.name) === policy) ?? {};
    const file = written.get(policy);
    // The proof is about the text of the service. People change the file, if it says the same.
    const isOfFile = file !== undefined && isSame(readPolicy(file.text), readPolicy(text));
    const own = { name: policy, text: isOfFile ? file.text : text };
    const refined = refine(log, { ...service, graph: current }, own, options);
    if (refined.after !== refined.before) current = withText(current, policy, refined.after);
    return { ...refined, ...(isOfFile && file.path !== undefined && { file: file.path }) };
  });
}

/**
 * The policy of a name, or those of a role that have a text: `shop`, `policy shop`, `web`, or `role ci/web` where several methods
 * have one.
 *
 * @throws GatehouseError `principal_unknown`, `role_ambiguous`
 */
export function policiesNamed(graph: Graph, named: string): string[] {
  const texts = graph.policies.map(({ name }) => policyKey(name));
  const policy = texts.find(
    (name) => name === policyKey(named) || isSubjectNamed({ type: 'policy', name }, named),
  );
  if (policy !== undefined) return [policy];
  const index = new GraphIndex(graph, []);
  const roles = [
    ...graph.roles.map((role) => ({ subject: roleSubject(role), policies: index.policiesOfRole(role) })),
    ...ofKind(graph.others, 'otherRole').map((role) => ({
      subject: { type: 'role', name: nameKey(role.name), method: role.method } as const,
      policies: index.policiesOfOther(role),
    })),
  ];
  const namedRoles = roles.filter(
    ({ subject }) => nameKey(subject.name) === nameKey(named) || isSubjectNamed(subject, named),
  );
  if (namedRoles.length > 1) {
    const allowed = namedRoles.map(({ subject }) => subjectName(subject)).join(', ');
    throw new GatehouseError('role_ambiguous', { given: named, allowed });
  }
  const [role] = namedRoles;
  if (role === undefined) {
    const names = [...texts, ...roles.map(({ subject }) => subjectName(subject))];
    throw new GatehouseError('principal_unknown.policy', {
      given: named,
      values: { suggestion: didYouMean(named, names) || '.' },
    });
  }
  // All tokens have the policy `default`: it is refined only if it is named itself.
  return [...new Set(role.policies.map(policyKey))].filter(
    (name) => texts.includes(name) && name !== 'default',
  );
}

/**
 * Reads what must stay: `delete secret/data/yearly/*`, `read,list secret/*`, or `sudo` alone for all paths.
 *
 * @throws GatehouseError `argument_invalid`
 */
export function floorOf(text: string): Floor {
  const [, list = '', pattern = '*'] = /^(\S+)(?:\s+(\S.*))?$/.exec(text.trim()) ?? [];
  const wantedCapabilities = list.split(',');
  const known: readonly string[] = capabilities;
  if (wantedCapabilities.every((capability) => known.includes(capability)))
    return { capabilities: wantedCapabilities, pattern: pattern.replace(/^\//, '') };
  throw new GatehouseError('argument_invalid.floor', {
    given: text,
    allowed: `${capabilities.join(', ')}; for example "delete secret/data/yearly/*"`,
  });
}
