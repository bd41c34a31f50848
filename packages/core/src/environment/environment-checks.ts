import { z } from 'zod';
import { clusterOf } from '../graph/kinds/container-orchestrator.ts';
import { kindById, kindNamed } from '../graph/kinds/kinds.ts';
import { knownWords } from '../graph/known.ts';
import { expiringProblems } from '../graph/policies/expiring.ts';
import { policyProblems } from '../graph/policies/policy-problems.ts';
import { methodPath } from '../graph/resources/checks.ts';
import { messageResourceName } from '../graph/resources/custom-message.ts';
import { roleRefusals } from '../graph/resources/refusals.ts';
import { resourceNamed } from '../graph/resources/resources.ts';
import { roleFields } from '../graph/resources/role.ts';
import { isSubjectNamed, type Subject } from '../graph/subject.ts';
import { didYouMean } from '../graph/values/problem.ts';
import { expandTemplates } from './environment-templates.ts';
import { internalGroupProblems } from './group-checks.ts';
import { checkNamespaces, namespacesIn, type PlacedPart, withNamesOfSecrets } from './namespace-checks.ts';
import { checkPromises } from './promise-checks.ts';
import { checkSecrets, type SecretOwner, secretOwners } from './secret-checks.ts';

const text = z.string().catch('');
const name = z.string().toLowerCase().catch('');
const optionalText = z.string().optional().catch(undefined);
const texts = z.array(text).catch([]);
const names = z.array(z.string()).catch([]);

/** A list of maps. A value that is no map counts as an empty one. */
const maps = <Shape extends z.ZodObject>(shape: Shape) => z.array(shape.catch(() => shape.parse({})));

/** A single text counts as a list with one entry. */
const policyList = z.preprocess((value) => (typeof value === 'string' ? [value] : value), texts);
const duration = roleFields.tokenPeriod.schema.optional().catch(undefined);
const roles = maps(
  z.object({
    name,
    roleType: optionalText,
    groupsClaim: optionalText,
    policies: policyList,
    tokenPeriod: duration,
  }),
).catch([]);

/**
 * The parts of an environment that are checked against each other, read leniently. The environment's schema reports
 * invalid parts; these must not hide contradictions between the parts.
 */
const checkedParts = z.object({
  providers: maps(
    z.looseObject({
      kind: text,
      name: text,
      path: optionalText,
      namespace: optionalText,
      defaultRole: z.string().toLowerCase().optional().catch(undefined),
      oidcResponseMode: optionalText,
      tune: z.object({ maxLeaseTtl: duration }).optional().catch(undefined),
      caPem: z.unknown().optional(),
      jwtSupportedAlgs: z.unknown().optional(),
      config: z
        .looseObject({ oidcResponseTypes: z.array(z.string()).optional().catch(undefined) })
        .optional()
        .catch(undefined),
      roles,
      clusters: maps(z.object({ name: text, roles }))
        .optional()
        .catch(undefined),
      groups: maps(z.object({ name: text, alias: text, policies: policyList })).catch([]),
    }),
  ).catch([]),
  namespaces: maps(z.object({ path: text })).catch([]),
  groups: maps(z.object({ name: text, namespace: optionalText, policies: policyList, members: texts })).catch(
    [],
  ),
  clientSecrets: names,
  serviceAccountKeys: names,
  policies: maps(
    z.object({ name, namespace: optionalText, policy: optionalText, until: z.looseObject({}).catch({}) }),
  ).catch([]),
  messages: maps(z.object({ title: name })).catch([]),
  runTasks: maps(z.object({ name: text })).catch([]),
  runTaskKeys: names,
  promises: maps(
    z.object({ on: text, only: texts.optional(), never: texts.optional(), always: texts.optional() }),
  ).catch([]),
  exceptions: maps(z.object({ rule: text, subject: text, namespace: optionalText })).catch([]),
  known: maps(z.object({ kind: text, name: text, field: optionalText })).catch([]),
  rules: z.object({ disabled: z.record(z.string(), z.unknown()).catch({}) }).catch({ disabled: {} }),
});

type LenientParts = z.output<typeof checkedParts>;
type ProviderPart = LenientParts['providers'][number];
type PartPath = (string | number)[];
type At<Part> = Part & { at: PartPath };
/** A provider, or one of its clusters, with the places in the YAML that it is made of. */
interface CheckedProvider
  extends Pick<
    ProviderPart,
    | 'kind'
    | 'name'
    | 'path'
    | 'defaultRole'
    | 'oidcResponseMode'
    | 'caPem'
    | 'jwtSupportedAlgs'
    | 'config'
    | 'tune'
  > {
  at: PartPath;
  nameAt: PartPath;
  pathAt: PartPath;
  roles: At<ProviderPart['roles'][number]>[];
  groups: At<ProviderPart['groups'][number]>[];
}
type CheckedNamespace = Omit<LenientParts, 'providers'> & { providers: CheckedProvider[] };
/** A contradiction between parts, and where it is; `first` is the place of the part that has the same name. */
interface PartProblem {
  path: PartPath;
  message: string;
  first?: PartPath;
}
type ReportPart = (path: PartPath, message: string, first?: PartPath) => void;
type CheckName = (name: string, path: PartPath) => void;

/** The parts of an environment that can have a secret. The environment need not be valid. */
export function secretOwnersIn(keys: Record<string, unknown>): SecretOwner[] {
  return secretOwners(withNamesOfSecrets(checkedParts.parse(expandTemplates(keys).keys)));
}

/**
 * Contradictions between the parts of an environment, each with its path.
 *
 * @param stack for the commands that fix a problem
 */
export function environmentProblems(
  keys: Record<string, unknown>,
  ruleIds?: readonly string[],
  stack?: string,
): PartProblem[] {
  const parts = checkedParts.parse(keys);
  // By place and text: parts that several clusters share are checked with each cluster, but reported once.
  const problems = new Map<string, PartProblem>();
  const report: ReportPart = (path, message, first) =>
    problems.set(JSON.stringify([path, message]), { path, message, ...(first && { first }) });
  checkNamespaces(parts, report);
  for (const path of new Set(['', ...namespacesIn(parts)])) checkNamespace(partsOf(keys, path), report);
  checkSecrets(withNamesOfSecrets(parts), stack, report);
  const namedRules: [id: string, path: PartPath][] = [
    ...Object.keys(parts.rules.disabled).map((id): [string, PartPath] => [id, ['rules', 'disabled', id]]),
    ...parts.exceptions.map(({ rule }, index): [string, PartPath] => [rule, ['exceptions', index, 'rule']]),
  ];
  for (const [id, path] of namedRules) {
    if (id === '' || ruleIds === undefined || ruleIds.includes(id)) continue;
    const likely = didYouMean(id, ruleIds) || '; docs/rules.md lists them all';
    report(path, `there is no rule of this id${likely}`);
  }
  return [...problems.values()];
}

/**
 * The parts of one namespace, at their places in the YAML. Parts of other namespaces lose their names, so no check is
 * about them.
 */
function partsOf(keys: Record<string, unknown>, path: string): LenientParts {
  const placed = ['providers', 'groups', 'policies', 'exceptions'].map((list) => {
    const all: unknown = keys[list];
    const isHere = (part: PlacedPart | null) => (part?.namespace ?? '') === path;
    return [list, Array.isArray(all) ? all.map((part) => (isHere(part) ? part : {})) : all];
  });
  return checkedParts.parse({ ...(path === '' ? keys : {}), ...Object.fromEntries(placed) });
}

/** Reports contradictions between the parts of one namespace. */
function checkNamespace({ providers, ...rest }: LenientParts, report: ReportPart): void {
  const parts: CheckedNamespace = { ...rest, providers: providers.flatMap(placed) };
  const groups = once('the group', report);
  checkProviders(parts.providers, groups, report);
  parts.groups.forEach(({ name }, index) => {
    groups(name.toLowerCase(), ['groups', index, 'name']);
  });
  const external = parts.providers.flatMap((provider) => provider.groups.map(({ name }) => name));
  for (const { path, message } of internalGroupProblems(parts.groups, external)) report(path, message);
  checkResourceNames(parts.providers, report);
  for (const [what, list, key, all] of [
    ['the policy', 'policies', 'name', parts.policies.map(({ name }) => name)],
    ['the message title', 'messages', 'title', parts.messages.map(({ title }) => messageResourceName(title))],
    ['the run task', 'runTasks', 'name', parts.runTasks.map(({ name }) => name)],
    [
      'the exception for',
      'exceptions',
      'subject',
      parts.exceptions.map(({ rule, subject }) => rule && `${subject}, ${rule}`),
    ],
    ['the known', 'known', 'name', parts.known.map(knownWords)],
  ] as const) {
    const check = once(what, report);
    for (const [index, name] of all.entries()) check(name, [list, index, key]);
  }
  parts.policies.forEach(({ policy, until }, index) => {
    const problems = policy === undefined ? [] : expiringProblems(policy, Object.keys(until));
    for (const { pattern, message } of problems) report(['policies', index, 'until', pattern], message);
    for (const { message } of policy === undefined ? [] : policyProblems(policy, 'any')) {
      report(['policies', index, 'policy'], message);
    }
  });
  const promisedTo = parts.providers.map((provider) => ({ ...provider, method: pathOf(provider) }));
  checkPromises({ ...parts, providers: promisedTo }, report);
  checkKnown(parts, report);
}

/** The providers that one entry declares: itself, or one for each of its clusters. */
function placed(provider: ProviderPart, index: number): CheckedProvider[] {
  const at = ['providers', index];
  const placedIn = <Part>(parts: Part[], part: string, above: PartPath = at): At<Part>[] =>
    parts.map((entry, position) => ({ ...entry, at: [...above, part, position] }));
  const { clusters, name, path } = provider;
  const own = placedIn(provider.roles, 'roles');
  const nameAt = [...at, 'name'];
  const groups = placedIn(provider.groups, 'groups');
  const pathAt = path === undefined ? nameAt : [...at, 'path'];
  if (clusters === undefined) return [{ ...provider, at, nameAt, pathAt, roles: own, groups }];
  return clusters.map((cluster, position) => {
    const clusterAt = [...at, 'clusters', position];
    const isNamed = name !== '' && cluster.name !== '';
    return {
      ...provider,
      at,
      nameAt: [...clusterAt, 'name'],
      pathAt: [...clusterAt, 'name'],
      name: isNamed ? clusterOf(name, cluster.name) : '',
      path: isNamed && path !== undefined ? clusterOf(path, cluster.name) : undefined,
      roles: [...own, ...placedIn(cluster.roles, 'roles', clusterAt)],
      groups: [],
    };
  });
}

/** A check that reports a name when it comes a second time. The schema reports a missing name. */
function once(what: string, report: ReportPart): CheckName {
  const seen = new Map<string, PartPath>();
  return (name, path) => {
    if (name === '') return;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, path);
    else report(path, `${what} ${JSON.stringify(name)} is declared twice`, first);
  };
}

/** Settings of a provider that its `config` can set as well. */
const sameInConfig = [
  ['caPem', 'oidcDiscoveryCaPem'],
  ['jwtSupportedAlgs', 'jwtSupportedAlgs'],
] as const;

/** Checks each provider, and the names that providers share. `groups` reports a group that is declared twice. */
function checkProviders(providers: CheckedProvider[], groups: CheckName, report: ReportPart): void {
  const names = once('the provider name', report);
  const paths = once('the auth method path', report);
  for (const provider of providers) {
    names(provider.name, provider.nameAt);
    paths(pathOf(provider), provider.pathAt);
    checkPath(provider, providers, report);
    checkRoles(provider, report);
    checkConfig(provider, report);
    checkGroups(provider, groups, report);
  }
}

function checkPath(provider: CheckedProvider, providers: CheckedProvider[], report: ReportPart): void {
  const path = pathOf(provider);
  const problem = methodPath.problem(path);
  if (problem !== undefined) report(provider.pathAt, problem);
  const above = providers.map(pathOf).find((other) => other !== '' && path.startsWith(`${other}/`));
  if (above === undefined) return;
  // The service refuses a mount below another: "path is already in use" (tried with OpenBao 2.7.2).
  report(
    provider.pathAt,
    `the auth method path ${JSON.stringify(path)} lies below another, ${JSON.stringify(above)}`,
  );
}

function checkRoles(provider: CheckedProvider, report: ReportPart): void {
  const { at, roles, tune, defaultRole } = provider;
  const kind = kindNamed(provider.kind);
  const type = kind && kindById(kind).methodType;
  const names = once('the role', report);
  for (const { name, roleType = type, at: roleAt } of roles) {
    names(name, [...roleAt, 'name']);
    if (type === undefined || roleType === type) continue;
    report([...roleAt, 'roleType'], `the roles of a ${provider.kind} are of type ${type}; leave this out`);
  }
  for (const { tokenPeriod, at: roleAt } of roles) {
    for (const { field, message, isRefused } of roleRefusals) {
      if (isRefused({ tokenPeriod }, { tune }) && !isRefused({ tokenPeriod }))
        report([...roleAt, field], message);
    }
  }
  if (defaultRole !== undefined && !roles.some(({ name }) => name === defaultRole)) {
    report([...at, 'defaultRole'], `no role of this provider is named ${JSON.stringify(defaultRole)}`);
  }
}

function checkConfig(provider: CheckedProvider, report: ReportPart): void {
  const { at, config, oidcResponseMode } = provider;
  if (config?.oidcResponseTypes?.includes('id_token') && oidcResponseMode !== 'form_post') {
    const message = 'a provider sends an id_token back by oidcResponseMode form_post only';
    report([...at, 'config', 'oidcResponseTypes'], message);
  }
  for (const [setting, field] of sameInConfig) {
    if (provider[setting] === undefined || config?.[field] === undefined) continue;
    report([...at, 'config', field], `${setting} says this already; give one of the two`);
  }
}

function checkGroups(provider: CheckedProvider, groups: CheckName, report: ReportPart): void {
  const aliases = once('the group alias', report);
  const kind = kindNamed(provider.kind);
  const isGroupless =
    kind !== undefined &&
    kindById(kind).hasNoGroups &&
    !provider.roles.some(({ groupsClaim }) => groupsClaim);
  for (const { name, alias, at } of provider.groups) {
    if (isGroupless && alias !== '') {
      report(
        [...at, 'alias'],
        `the tokens of a ${provider.kind} carry no groups, so no one would be in this group. Leave \`alias\` out, or give a role a \`groupsClaim\` that its tokens have`,
      );
    }
    // The service ignores case in names of groups and aliases.
    groups(name.toLowerCase(), [...at, 'name']);
    aliases(alias.toLowerCase(), [...at, 'alias']);
  }
}

/** Reports what is `known`, so managed elsewhere, and declared as well. */
function checkKnown({ known, providers, groups, policies }: CheckedNamespace, report: ReportPart): void {
  const subjectsOf = (type: Subject['type'], names: readonly { name: string }[], path?: string): Subject[] =>
    names.map(({ name }) => ({ type, name, ...(path !== undefined && { method: path }) }));
  const declared = [
    ...subjectsOf('group', [...groups, ...providers.flatMap((provider) => provider.groups)]),
    ...subjectsOf('policy', policies),
    ...providers.flatMap((provider) => [
      ...subjectsOf('method', [{ name: pathOf(provider) }]),
      ...subjectsOf('role', provider.roles, pathOf(provider)),
      ...subjectsOf(
        'alias',
        provider.groups.map(({ alias }) => ({ name: alias })),
        pathOf(provider),
      ),
    ]),
  ];
  known.forEach(({ kind, name, field }, index) => {
    const isDeclared = declared.some((subject) => isSubjectNamed(subject, `${kind} ${name}`));
    const message =
      field === undefined
        ? isDeclared && 'the stack declares it: only what is managed elsewhere is known, or a `field` of it'
        : (!isDeclared && 'all of it is known, as the stack does not declare it: leave `field` out') ||
          (!isLeftToOthers(kind, field) && 'a stack can declare this field: declare it');
    if (message) report(['known', index, field === undefined ? 'name' : 'field'], message);
  });
}

/** Whether a stack leaves a field of a declared part alone. Tuning is left alone unless it is declared. */
function isLeftToOthers(kind: string, field: string): boolean {
  return field.startsWith('tune.') || resourceNamed(kind)?.fields[field]?.liveOnly === true;
}

function pathOf({ path, name }: CheckedProvider): string {
  return path ?? name;
}

/**
 * Resources are named `<provider>-<role>`, below a component of the provider's kind: within one kind, provider `a`
 * with role `b-c` would collide with provider `a-b` with role `c`.
 */
function checkResourceNames(providers: CheckedProvider[], report: ReportPart): void {
  for (const [part, field, what] of [
    ['roles', 'name', 'role'],
    ['groups', 'name', 'group'],
    ['groups', 'alias', 'alias'],
  ] as const) {
    for (const kind of new Set(providers.map((provider) => provider.kind))) {
      const resources = once(`the resource name <provider>-<${what}>`, report);
      for (const provider of providers.filter((candidate) => candidate.kind === kind)) {
        const all: At<{ name: string; alias?: string }>[] = provider[part];
        for (const [name, [first]] of Map.groupBy(all, (entry) => (entry[field] ?? '').toLowerCase())) {
          if (name !== '' && first !== undefined) resources(`${provider.name}-${name}`, [...first.at, field]);
        }
      }
    }
  }
}
