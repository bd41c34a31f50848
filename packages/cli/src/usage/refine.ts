import { GraphIndex, policiesOfOther, policiesOfRole } from '@gatehouse/core/access';
import { didYouMean, type Graph, isSame, readPolicy, roleNamed, withText } from '@gatehouse/core/graph';
import { type Floor, type FoldedLog, type RefinedPolicy, refine } from '@gatehouse/core/usage';
import { capabilities, GatehouseError, nameKey, policyKey } from '@gatehouse/core/values';
import { openDeclared, requireEnvironment } from '../open/open-environment.ts';
import { unifiedDiff } from '../terminal/line-diff.ts';
import { openService, readLogOf, type ServiceSource } from './open-service.ts';
import type { LogSource } from './read-log.ts';

export interface RefineRequest {
  log: Pick<LogSource, 'files' | 'stdin' | 'since'>;
  service: ServiceSource;
  /** A policy, or a role whose policies are meant: `web`, or `auth/ci/role/web` where several methods have one. */
  name: string;
  /** What must stay: `delete secret/data/yearly/*`, `read,list secret/*`, or `sudo` alone for all paths. */
  floor: readonly string[];
}

/** Smaller policies. Nothing is applied. */
export interface RefineReport {
  source: ServiceSource['from'];
  policies: (RefinedPolicy & {
    /** The file that the diff is of, relative to the folder of the project; absent where the text is in none. */
    file?: string;
    /** As `git apply` takes it; empty where nothing is taken. */
    diff: string;
  })[];
  /** The time that the logs cover, in milliseconds since 1970, and what they lack. */
  window: Pick<FoldedLog, 'from' | 'to' | 'gaps' | 'backwards' | 'entries'>;
  /** Lines that are no entries of an audit log: what they used is unknown. */
  unread: number;
  /** What could not be read of the service, in words. */
  missing: string[];
}

/**
 * Makes policies smaller by what audit logs show: no request of the logs is lost, and no one gains.
 *
 * @throws GatehouseError `principal_unknown`, `role_ambiguous`, `argument_invalid`, and what `openService` and `readLog` throw
 */
export async function refineUsage({
  log,
  service,
  name,
  floor: given,
}: RefineRequest): Promise<RefineReport> {
  const floor = given.map(floorOf);
  const now = BigInt(service.now) * 1_000_000n;
  const opened = await openService(service);
  const { graph, ids, missing } = opened;
  const names = policiesNamed(graph, name);
  const { folded, hashes } = await readLogOf(opened, log, service.now);
  const written = await writtenPolicies(service);
  let current = graph;
  const policies = names.map((policy) => {
    const { text = '' } = current.policies.find((one) => policyKey(one.name) === policy) ?? {};
    const file = written.get(policy);
    // What the service has is proven; it is the file that people change, where it says the same.
    const isOfFile = file !== undefined && isSame(readPolicy(file.text), readPolicy(text));
    const own = { name: policy, text: isOfFile ? file.text : text };
    const found = refine(folded, { graph: current, ids }, own, { now, floor, hashes });
    if (found.after !== found.before) current = withText(current, policy, found.after);
    const path = isOfFile ? file.path : undefined;
    return {
      ...found,
      ...(path !== undefined && { file: path }),
      diff: unifiedDiff(path ?? `${policy}.hcl`, found.before, found.after),
    };
  });
  const { from, to, gaps, backwards, entries, unread } = folded;
  return {
    ...{ source: service.from, policies, missing },
    window: { ...(from && { from }), ...(to && { to }), gaps, backwards, entries },
    unread: unread['not-json'] + unread['other-format'],
  };
}

/** The policy of a name, or those of a role of it that have a text. */
function policiesNamed(graph: Graph, given: string): string[] {
  const texts = graph.policies.map(({ name }) => policyKey(name));
  if (texts.includes(policyKey(given))) return [policyKey(given)];
  const index = new GraphIndex(graph, []);
  const roles = [
    ...graph.roles.map((role) => ({
      path: `auth/${role.method}/role/${nameKey(role.name)}`,
      name: nameKey(role.name),
      policies: policiesOfRole(role),
    })),
    ...(graph.otherAccess ?? []).flatMap((one) => {
      const { name } = roleNamed(one) ?? {};
      if (name === undefined) return [];
      return [{ path: `auth/${one.method}/role/${name}`, name, policies: policiesOfOther(index, one) }];
    }),
  ];
  const wanted = nameKey(given);
  const found = roles.filter(({ path, name }) => nameKey(path) === wanted || name === wanted);
  if (found.length > 1) {
    throw new GatehouseError('role_ambiguous', { given, allowed: found.map(({ path }) => path).join(', ') });
  }
  const [role] = found;
  if (role === undefined) {
    throw new GatehouseError('principal_unknown.policy', {
      given,
      values: { suggestion: didYouMean(given, texts) || '.' },
    });
  }
  // All tokens have the policy `default`: who means it names it.
  return [...new Set(role.policies.map(policyKey))].filter(
    (name) => texts.includes(name) && name !== 'default',
  );
}

/** What the stack declares: the text of each policy, and the path of its file. */
async function writtenPolicies({
  stack,
  env,
}: ServiceSource): Promise<Map<string, { text: string; path?: string }>> {
  const files = new Map(
    requireEnvironment(stack, env).policies.map(({ name, file }) => [policyKey(name), file]),
  );
  const { graph } = await openDeclared(stack, env);
  return new Map(
    graph.policies.map(({ name, text }) => {
      const path = files.get(policyKey(name));
      return [policyKey(name), { text, ...(path !== undefined && { path }) }];
    }),
  );
}

/** @throws GatehouseError `argument_invalid` */
function floorOf(text: string): Floor {
  const [, list = '', pattern = '*'] = /^(\S+)(?:\s+(\S.*))?$/.exec(text.trim()) ?? [];
  const wanted = list.split(',');
  const known: readonly string[] = capabilities;
  if (wanted.every((one) => known.includes(one)))
    return { capabilities: wanted, pattern: pattern.replace(/^\//, '') };
  throw new GatehouseError('argument_invalid.floor', {
    given: text,
    allowed: `${capabilities.join(', ')}; for example "delete secret/data/yearly/*"`,
  });
}
