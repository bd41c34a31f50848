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
import { checkNamespaces, namespacesIn, type Placed, withNamesOfSecrets } from './namespace-checks.ts';
import { checkPromises } from './promise-checks.ts';
import { checkSecrets, type SecretOwner, secretOwners } from './secret-checks.ts';

const text = z.string().catch('');
const name = z.string().toLowerCase().catch('');
const given = z.string().optional().catch(undefined);
const texts = z.array(text).catch([]);
const names = z.array(z.string()).catch([]);

/** A list of maps: what is no map counts as one without entries. */
const maps = <One extends z.ZodObject>(one: One) => z.array(one.catch(() => one.parse({})));

/** One text stands for a list of it. */
const policyList = z.preprocess((given) => (typeof given === 'string' ? [given] : given), texts);
const duration = roleFields.tokenPeriod.schema.optional().catch(undefined);
const roles = maps(
  z.object({ name, roleType: given, groupsClaim: given, policies: policyList, tokenPeriod: duration }),
).catch([]);

/**
 * The parts of an environment that are checked against each other, read leniently: what is wrong in itself is
 * reported by the environment's schema, and must not hide what is wrong between the parts.
 */
const checkedParts = z.object({
  providers: maps(
    z.looseObject({
      kind: text,
      name: text,
      path: given,
      namespace: given,
      defaultRole: z.string().toLowerCase().optional().catch(undefined),
      oidcResponseMode: given,
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
  groups: maps(z.object({ name: text, namespace: given, policies: policyList, members: texts })).catch([]),
  clientSecrets: names,
  serviceAccountKeys: names,
  policies: maps(
    z.object({ name, namespace: given, policy: given, until: z.looseObject({}).catch({}) }),
  ).catch([]),
  messages: maps(z.object({ title: name })).catch([]),
  runTasks: maps(z.object({ name: text })).catch([]),
  runTaskKeys: names,
  promises: maps(
    z.object({
      on: text,
      only: texts.optional(),
      never: texts.optional(),
      always: texts.optional(),
    }),
  ).catch([]),
  exceptions: maps(z.object({ rule: text, subject: text, namespace: given })).catch([]),
  known: maps(z.object({ kind: text, name: text, field: given })).catch([]),
  rules: z.object({ disabled: z.record(z.string(), z.unknown()).catch({}) }).catch({ disabled: {} }),
});

type Parts = z.output<typeof checkedParts>;
type ProviderPart = Parts['providers'][number];
type Path = (string | number)[];
type At<Part> = Part & { at: Path };
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
  at: Path;
  nameAt: Path;
  pathAt: Path;
  roles: At<ProviderPart['roles'][number]>[];
  groups: At<ProviderPart['groups'][number]>[];
}
type Checked = Omit<Parts, 'providers'> & { providers: CheckedProvider[] };
/** What does not hold, and where; `first` is what has the same name. */
interface PartProblem {
  path: Path;
  message: string;
  first?: Path;
}
type Report = (path: Path, message: string, first?: Path) => void;

/** Who can have a secret in an environment, which need not be valid. */
export function secretOwnersIn(given: Record<string, unknown>): SecretOwner[] {
  return secretOwners(withNamesOfSecrets(checkedParts.parse(expandTemplates(given).keys)));
}

/**
 * What does not hold between the parts of an environment, each by its path.
 *
 * @param stack named in what fixes it
 */
export function environmentProblems(
  given: Record<string, unknown>,
  ruleIds?: readonly string[],
  stack?: string,
): PartProblem[] {
  const parts = checkedParts.parse(given);
  // By place and words: what several clusters share is checked with each of them.
  const problems = new Map<string, PartProblem>();
  const report: Report = (path, message, first) =>
    problems.set(JSON.stringify([path, message]), { path, message, ...(first && { first }) });
  checkNamespaces(parts, report);
  for (const path of new Set(['', ...namespacesIn(parts)])) checkNamespace(partsOf(given, path), report);
  checkSecrets(withNamesOfSecrets(parts), stack, report);
  const named: [id: string, path: Path][] = [
    ...Object.keys(parts.rules.disabled).map((id): [string, Path] => [id, ['rules', 'disabled', id]]),
    ...parts.exceptions.map(({ rule }, index): [string, Path] => [rule, ['exceptions', index, 'rule']]),
  ];
  for (const [id, path] of named) {
    if (id === '' || ruleIds === undefined || ruleIds.includes(id)) continue;
    const likely = didYouMean(id, ruleIds) || '; docs/rules.md lists them all';
    report(path, `there is no rule of this id${likely}`);
  }
  return [...problems.values()];
}

/** The parts of one namespace, each where it is in the YAML: what is elsewhere has no name, which no check is about. */
function partsOf(given: Record<string, unknown>, path: string): Parts {
  const placed = ['providers', 'groups', 'policies', 'exceptions'].map((list) => {
    const all: unknown = given[list];
    const isHere = (one: Placed | null) => (one?.namespace ?? '') === path;
    return [list, Array.isArray(all) ? all.map((one) => (isHere(one) ? one : {})) : all];
  });
  return checkedParts.parse({ ...(path === '' ? given : {}), ...Object.fromEntries(placed) });
}

/** What does not hold between the parts of one namespace. */
function checkNamespace({ providers, ...rest }: Parts, report: Report): void {
  const parts: Checked = { ...rest, providers: providers.flatMap(placed) };
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
    for (const [index, one] of all.entries()) check(one, [list, index, key]);
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

/** What one entry stands for: a provider, or one a cluster. */
function placed(provider: ProviderPart, index: number): CheckedProvider[] {
  const at = ['providers', index];
  const placedIn = <Part>(parts: Part[], part: string, above: Path = at): At<Part>[] =>
    parts.map((one, position) => ({ ...one, at: [...above, part, position] }));
  const { clusters, name, path } = provider;
  const own = placedIn(provider.roles, 'roles');
  const nameAt = [...at, 'name'];
  const groups = placedIn(provider.groups, 'groups');
  if (clusters === undefined)
    return [
      { ...provider, at, nameAt, pathAt: path === undefined ? nameAt : [...at, 'path'], roles: own, groups },
    ];
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

/** Reports the second of two things of one name. The schema reports a missing name. */
function once(what: string, report: Report): (name: string, path: Path) => void {
  const seen = new Map<string, Path>();
  return (name, path) => {
    if (name === '') return;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, path);
    else report(path, `${what} ${JSON.stringify(name)} is declared twice`, first);
  };
}

/** Settings of a provider that its `config` could set, too. */
const sameInConfig = [
  ['caPem', 'oidcDiscoveryCaPem'],
  ['jwtSupportedAlgs', 'jwtSupportedAlgs'],
] as const;

function checkProviders(
  providers: CheckedProvider[],
  groups: (name: string, path: Path) => void,
  report: Report,
): void {
  const names = once('the provider name', report);
  const paths = once('the auth method path', report);
  for (const provider of providers) {
    const { at, nameAt, pathAt } = provider;
    names(provider.name, nameAt);

    const path = pathOf(provider);
    paths(path, pathAt);
    const ofPath = methodPath.problem(path);
    if (ofPath !== undefined) report(pathAt, ofPath);
    const above = providers.map(pathOf).find((other) => other !== '' && path.startsWith(`${other}/`));
    if (above !== undefined) {
      // The service refuses a mount below another: "path is already in use" (tried with OpenBao 2.7.2).
      const [inner, outer] = [path, above].map((text) => JSON.stringify(text));
      report(pathAt, `the auth method path ${inner} lies below another, ${outer}`);
    }

    const kind = kindNamed(provider.kind);
    const type = kind && kindById(kind).methodType;
    const roles = once('the role', report);
    for (const { name, roleType = type, at: roleAt } of provider.roles) {
      roles(name, [...roleAt, 'name']);
      if (type === undefined || roleType === type) continue;
      report([...roleAt, 'roleType'], `the roles of a ${provider.kind} are of type ${type}; leave this out`);
    }
    for (const { tokenPeriod, at: roleAt } of provider.roles) {
      for (const { field, message, isRefused } of roleRefusals) {
        if (isRefused({ tokenPeriod }, { tune: provider.tune }) && !isRefused({ tokenPeriod }))
          report([...roleAt, field], message);
      }
    }
    const { defaultRole, config, oidcResponseMode } = provider;
    if (defaultRole !== undefined && !provider.roles.some(({ name }) => name === defaultRole)) {
      report([...at, 'defaultRole'], `no role of this provider is named ${JSON.stringify(defaultRole)}`);
    }

    if (config?.oidcResponseTypes?.includes('id_token') && oidcResponseMode !== 'form_post') {
      const message = 'a provider sends an id_token back by oidcResponseMode form_post only';
      report([...at, 'config', 'oidcResponseTypes'], message);
    }

    for (const [setting, field] of sameInConfig) {
      if (provider[setting] === undefined || config?.[field] === undefined) continue;
      report([...at, 'config', field], `${setting} says this already; give one of the two`);
    }

    const aliases = once('the group alias', report);
    const isGroupless =
      kind !== undefined &&
      kindById(kind).hasNoGroups &&
      !provider.roles.some(({ groupsClaim }) => groupsClaim);
    for (const { name, alias, at: groupAt } of provider.groups) {
      if (isGroupless && alias !== '') {
        report(
          [...groupAt, 'alias'],
          `the tokens of a ${provider.kind} carry no groups, so no one would be in this group. Leave \`alias\` out, or give a role a \`groupsClaim\` that its tokens have`,
        );
      }
      // The service tells names of groups and aliases apart without regard to case.
      groups(name.toLowerCase(), [...groupAt, 'name']);
      aliases(alias.toLowerCase(), [...groupAt, 'alias']);
    }
  }
}

/** A declared part is not managed elsewhere. */
function checkKnown({ known, providers, groups, policies }: Checked, report: Report): void {
  const named = (type: Subject['type'], names: readonly { name: string }[], path?: string): Subject[] =>
    names.map(({ name }) => ({ type, name, ...(path !== undefined && { method: path }) }));
  const declared = [
    ...named('group', [...groups, ...providers.flatMap((one) => one.groups)]),
    ...named('policy', policies),
    ...providers.flatMap((one) => [
      ...named('method', [{ name: pathOf(one) }]),
      ...named('role', one.roles, pathOf(one)),
      ...named(
        'alias',
        one.groups.map(({ alias }) => ({ name: alias })),
        pathOf(one),
      ),
    ]),
  ];
  known.forEach(({ kind, name, field }, index) => {
    const isDeclared = declared.some((one) => isSubjectNamed(one, `${kind} ${name}`));
    const message =
      field === undefined
        ? isDeclared && 'the stack declares it: only what is managed elsewhere is known, or a `field` of it'
        : (!isDeclared && 'all of it is known, as the stack does not declare it: leave `field` out') ||
          (!isLeftToOthers(kind, field) && 'a stack can declare this field: declare it');
    if (message) report(['known', index, field === undefined ? 'name' : 'field'], message);
  });
}

/** Whether a stack leaves a field of what it declares as it is. Tuning may be declared, and is left where it is not. */
function isLeftToOthers(kind: string, field: string): boolean {
  return field.startsWith('tune.') || resourceNamed(kind)?.fields[field]?.liveOnly === true;
}

function pathOf({ path, name }: CheckedProvider): string {
  return path ?? name;
}

/**
 * Resources are named `<provider>-<role>`, below a component of the provider's kind: of one kind, provider `a` with
 * role `b-c` would meet provider `a-b` with role `c`.
 */
function checkResourceNames(providers: CheckedProvider[], report: Report): void {
  for (const [part, field, what] of [
    ['roles', 'name', 'role'],
    ['groups', 'name', 'group'],
    ['groups', 'alias', 'alias'],
  ] as const) {
    for (const kind of new Set(providers.map((provider) => provider.kind))) {
      const resources = once(`the resource name <provider>-<${what}>`, report);
      for (const provider of providers.filter((one) => one.kind === kind)) {
        const all: At<{ name: string; alias?: string }>[] = provider[part];
        for (const [name, [one]] of Map.groupBy(all, (each) => (each[field] ?? '').toLowerCase())) {
          if (name !== '' && one !== undefined) resources(`${provider.name}-${name}`, [...one.at, field]);
        }
      }
    }
  }
}
