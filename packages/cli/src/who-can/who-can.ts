import {
  type Ability,
  explainSignIn,
  groupsOf,
  principalsNamed,
  type Question,
  Reach,
  type ReachOfRole,
  reachOf,
  reachOfPolicies,
  roleAsked,
  rolesNamed,
  strongestAnswer,
} from '@gatehouse/core/access';
import {
  emptyGraph,
  isComplete,
  namespaceBelow,
  namespaceWithin,
  needsSudo,
  openAt,
  patternWithin,
  sortedJson,
  textsOf,
} from '@gatehouse/core/graph';
import type { Claims } from '@gatehouse/core/login';
import type { Place } from '@gatehouse/core/review';
import { GatehouseError, partName } from '@gatehouse/core/values';
import { reasonWords, signerWords, whomWords } from '@gatehouse/core/words';
import { requireOneNamespace } from '../explain/explain.ts';
import { openNamespaceClient } from '../open/open-client.ts';
import { openDeclared } from '../open/open-environment.ts';
import { type AskedGraph, type GraphSource, openGraphs } from '../open/open-graph.ts';

type PrincipalQuestion = Parameters<typeof principalsNamed>[1];

/** Who can do something. */
export interface WhoCanReport extends Question {
  source: GraphSource['from'];
  /** `unknown` where no one is known to, and some may. */
  answer: 'yes' | 'no' | 'unknown';
  /** One entry a way, those that are certain first. */
  abilities: (Omit<Ability, 'signIn'> & Place & { reaches?: string[]; signIn?: ShownSignIn })[];
  /** Who else could give themselves this access, as they write policies, roles, groups or entities. */
  administrators: (ReturnType<Reach['administrators']>[number] & Place)[];
  /** What could not be read, so that others may be able to, in words. */
  missing: string[];
  /** Whether tokens that were issued are among them, on a live service; batch tokens never are. */
  tokens: boolean;
}

/** A sign-in with whom its role lets in, and whose keys sign its token, in words. */
interface ShownSignIn extends Omit<NonNullable<Ability['signIn']>, 'whom' | 'token'> {
  token: Omit<NonNullable<Ability['signIn']>['token'], 'signedBy'> & { signedBy?: string };
  whom?: string;
}

function shownAbility({ signIn, ...ability }: Ability): WhoCanReport['abilities'][number] {
  if (signIn === undefined) return ability;
  const { whom, token, ...rest } = signIn;
  const { signedBy, ...claims } = token;
  return {
    ...ability,
    signIn: {
      ...rest,
      token: { ...claims, ...(signedBy && { signedBy: signerWords(signedBy) }) },
      ...(whom && { whom: whomWords(whom) }),
    },
  };
}

/**
 * Says who can do something at a path, or on at least one path of a pattern.
 *
 * @param now nanoseconds since 1970
 * @throws GatehouseError what `openGraphs` throws
 */
export async function whoCan(question: Question, source: GraphSource, now: bigint): Promise<WhoCanReport> {
  const graphs = await openGraphs(source);
  const graphAnswers = graphs.map((askedGraph) => ({
    place: askedGraph.place,
    unseen: askedGraph.unseen,
    ...answerOf(askedGraph, graphs, question, now),
  }));
  const missing = [
    ...new Set(graphAnswers.flatMap((graphAnswer) => [...graphAnswer.missing, ...graphAnswer.unseen])),
  ];
  const able = new Set(
    graphAnswers.flatMap(({ abilities }) =>
      abilities.flatMap(({ by, can }) => (can === 'yes' ? sortedJson(by) : [])),
    ),
  );
  const answers = graphAnswers.map(({ answer }) => answer);
  return {
    source: source.from,
    ...question,
    sudo: sudoAt(question.path, question.capability, graphs[0]?.sudo),
    answer: strongestAnswer(missing.length > 0 ? [...answers, 'unknown'] : answers),
    abilities: graphAnswers
      .flatMap(({ place, abilities }) => abilities.map((ability) => ({ ...shownAbility(ability), ...place })))
      .sort((a, b) => Number(a.can === 'unknown') - Number(b.can === 'unknown')),
    administrators: graphAnswers.flatMap(({ place, administrators }) =>
      administrators.flatMap((administrator) =>
        able.has(sortedJson(administrator.by)) ? [] : { ...administrator, ...place },
      ),
    ),
    missing,
    tokens: graphs.every(({ graph }) => isComplete(graph, 'tokens')),
  };
}

/**
 * Asks one graph: about its own namespace, and about those below it, where its policies reach by the names of the namespaces
 * (measured: OpenBao 2.7.2).
 */
function answerOf(
  askedGraph: AskedGraph,
  all: readonly AskedGraph[],
  question: Question,
  now: bigint,
): Pick<WhoCanReport, 'administrators' | 'answer' | 'missing'> & {
  abilities: (Ability & { reaches?: string[] })[];
} {
  const { graph, path: own } = askedGraph;
  const { capability } = question;
  const reach = new Reach(graph, now);
  const answers = [...questionsFor(askedGraph, all, question)].map(([path, { namespace, ...rest }]) => ({
    ...reach.whoCan({ capability, path, ...rest }),
    namespace,
  }));
  const abilities = answers.flatMap(({ namespace, abilities }) =>
    abilities.map((ability) => ({ namespace, ability })),
  );
  // A rule that reaches several namespaces gives one answer.
  const grants = Map.groupBy(abilities, ({ namespace, ability: { by, can, pattern, policies, limits } }) =>
    sortedJson([by, can, pattern, policies, limits, namespace === own]),
  );
  return {
    answer: strongestAnswer(answers.map(({ answer }) => answer)),
    abilities: [...grants.values()].flatMap((reached) => {
      const [first] = reached;
      if (first === undefined) return [];
      if (first.namespace === own) return first.ability;
      return { ...first.ability, reaches: [...new Set(reached.map(({ namespace }) => namespace))] };
    }),
    administrators: reach.administrators(),
    missing: answers.flatMap(({ missing }) => missing.map(reasonWords)),
  };
}

/** A question about one namespace, by the path in the graph's own namespace. */
type NamespaceQuestion = { namespace: string } & Pick<Question, 'sudo' | 'tokenless'>;

function questionsFor(
  { graph, path: own, place, sudo, tokenless }: AskedGraph,
  all: readonly AskedGraph[],
  { capability, path: askedPath }: Question,
): Map<string, NamespaceQuestion> {
  const isBelow = ({ path, place: { server } }: AskedGraph) =>
    server === place.server && (path === own || own === '' || path.startsWith(`${own}/`));
  // A path that begins with the name of a namespace is asked in the innermost such namespace alone.
  const [innermost] = all
    .filter(({ path }) => path !== '' && askedPath.startsWith(`${path}/`))
    .sort((a, b) => b.path.length - a.path.length);
  const questions = new Map<string, NamespaceQuestion>();
  for (const { path: namespace } of all.filter(isBelow)) {
    if (innermost !== undefined && namespace !== innermost.path) continue;
    const inside = namespace === own ? '' : namespaceWithin(own, namespace);
    const within = namespace === '' ? undefined : patternWithin(askedPath, namespace);
    for (const pattern of innermost === undefined ? [askedPath, within] : [within]) {
      if (pattern === undefined) continue;
      questions.set(namespaceBelow(inside, pattern), {
        namespace,
        sudo: sudoAt(pattern, capability, sudo),
        tokenless: namespace === own ? openAt(pattern, capability, graph, tokenless) : undefined,
      });
    }
  }
  return questions;
}

/** Whether all that a pattern matches needs `sudo`: of some of it, another path may do. */
function sudoAt(pattern: string, capability: string, sudo: AskedGraph['sudo']): Question['sudo'] {
  if (capability === 'sudo') return 'no';
  const examples = ['', 'x/x'].map((rest) =>
    pattern.replaceAll(/(?<=^|\/)\+(?=\/|$)/g, 'x').replace(/\*$/, rest),
  );
  const answers = new Set(examples.map((path) => needsSudo({ path }, sudo)));
  const [only = 'no', ...differing] = answers;
  return differing.length > 0 ? 'no' : only;
}

export interface AccessRequest {
  /** A role of an OIDC or JWT method, or else of another one: its users, groups and teams, too. */
  role?: string | undefined;
  approle?: string | undefined;
  entity?: string | undefined;
  group?: string | undefined;
  /** Accessor of a token, on a live service. */
  accessor?: string | undefined;
  /** Path of the auth method; needed where several have a role of this name. */
  method?: string | undefined;
  /** Claims whose groups count. Without claims, no groups do. */
  claims?: Claims | undefined;
  /** Nanoseconds since 1970. */
  now: bigint;
}

/** What principals reach. */
export interface ReachReport extends Omit<ReturnType<typeof reachOfPolicies>, 'missing'> {
  source: GraphSource['from'];
  /** The principals, in words. */
  principal: string;
  /** The role, of an OIDC or JWT method. */
  role?: ReachOfRole['role'];
  /** The groups whose policies count here, by their names. */
  groups: string[];
  /** Why the claims do not sign in; then nothing is reached by them. */
  refused?: { step: string; message: string };
  /** Groups of the auth method that do not count here, and the policies that they would add. */
  otherGroups: { group: string; alias: string; policies: string[] }[];
  /** What is missing to know everything, in words. */
  missing: string[];
}

/**
 * Says everything that principals can do: those of a role in the groups that its claims name, of an entity, a group or a
 * token.
 *
 * @param opened the graphs of the source, where they are at hand
 * @throws GatehouseError `role_unknown`, `role_ambiguous`, `principal_unknown`, and what `openGraphs` throws
 */
export async function accessOf(
  request: AccessRequest,
  source: GraphSource,
  opened?: readonly AskedGraph[],
): Promise<ReachReport> {
  const { accessor, now } = request;
  const held = accessor === undefined ? undefined : await policiesOfToken(accessor, source);
  const graphs = opened ?? (await openGraphs(source));
  if (accessor !== undefined && held !== undefined) {
    const { graph = emptyGraph(), unseen = [] } = graphs[0] ?? {};
    return reportOf(`token ${accessor}`, held, { graph, unseen }, source, now);
  }
  const principal = otherPrincipal(request);
  const { role, method } = request;
  const [withRole, ...rest] = graphs.filter(
    ({ graph }) => role !== undefined && rolesNamed(graph, role, method).length > 0,
  );
  if (withRole !== undefined && source.from !== 'plan')
    requireOneNamespace([withRole, ...rest].map(({ path }) => path));
  const principals =
    withRole === undefined
      ? graphs.flatMap((askedGraph) =>
          principalsNamed(askedGraph.graph, principal).map((who) => ({ ...askedGraph, who })),
        )
      : [];
  const [first] = principals;
  if (first !== undefined) {
    requireOne(principals.map(({ who }) => who.words));
    const { graph, who } = first;
    const unseen = [...first.unseen, ...(who.isOpaque ? [`what ${who.words} gives`] : [])];
    return reportOf(who.words, who.policies, { graph, unseen }, source, now);
  }
  if (role === undefined) throw unknownPrincipal(principal, source);
  const { graph = emptyGraph(), unseen = [] } = withRole ?? graphs[0] ?? {};
  return accessOfRole(request, { graph, unseen }, source);
}

async function accessOfRole(
  { role: name = '', method, claims, now }: AccessRequest,
  { graph, unseen }: Pick<AskedGraph, 'graph' | 'unseen'>,
  source: GraphSource,
): Promise<ReachReport> {
  const role = roleAsked(graph, name, method);
  const explained =
    claims &&
    (await explainSignIn(graph, { role: role.name, method: role.method, presented: { claims }, now }));
  const groups = [...new Set((explained?.groups ?? []).flatMap(({ group }) => group ?? []))];
  const reach = reachOf(graph, role, groups, now);
  const report: ReachReport = {
    source: source.from,
    principal: partName('role', role.method, role.name),
    ...reach,
    missing: [...reach.missing.map(reasonWords), ...unseen],
    otherGroups: role.groupsClaim
      ? groupsOf(graph, role.method).filter(({ group }) => !groups.includes(group))
      : [],
  };
  if (explained?.refused === undefined) return report;
  return { ...report, rows: [], policies: [], unread: [], refused: explained.refused };
}

function reportOf(
  principal: string,
  policies: readonly string[],
  { graph, unseen }: Pick<AskedGraph, 'graph' | 'unseen'>,
  { from }: GraphSource,
  now: bigint,
): ReachReport {
  const reach = reachOfPolicies(graph, policies, now);
  return {
    source: from,
    principal,
    groups: [],
    otherGroups: [],
    ...reach,
    missing: [...reach.missing.map(reasonWords), ...unseen],
  };
}

/** All policies of a token, as its service lists them. */
async function policiesOfToken(accessor: string, source: GraphSource): Promise<string[]> {
  if (source.from !== 'live') {
    throw new GatehouseError('option_conflict.accessor');
  }
  const { environment } = await openDeclared(source.stack, source.env);
  const client = openNamespaceClient(environment.service, source.env);
  try {
    const { data } = await client.post('auth/token/lookup-accessor', { accessor });
    return ['policies', 'identity_policies'].flatMap((field) => textsOf(data[field]));
  } finally {
    client.close();
  }
}

function otherPrincipal({ role = '', approle, entity, group, method }: AccessRequest): PrincipalQuestion {
  if (approle !== undefined) return { kind: 'role', name: approle, method, type: 'approle' };
  if (entity !== undefined) return { kind: 'entity', name: entity };
  if (group !== undefined) return { kind: 'group', name: group };
  return { kind: 'role', name: role, method };
}

function requireOne(names: string[]): void {
  if (names.length < 2) return;
  throw new GatehouseError('role_ambiguous.method', { given: names.join(', ') });
}

function unknownPrincipal({ kind, name, type }: PrincipalQuestion, { from }: GraphSource): GatehouseError {
  const text = from === 'live' ? 'principal_unknown.live' : 'principal_unknown';
  return new GatehouseError(text, { given: name, values: { kind: type ?? kind } });
}
