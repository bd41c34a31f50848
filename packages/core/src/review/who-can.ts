import { type Ability, type Question, Reach, strongestAnswer } from '../access/questions/who-can.ts';
import { isComplete } from '../graph/graph.ts';
import { openAt } from '../graph/policies/open-paths.ts';
import { needsSudo } from '../graph/policies/sudo-paths.ts';
import { sortedJson } from '../graph/resources/field.ts';
import { namespaceBelow, namespaceWithin, patternWithin } from '../graph/values/namespace-path.ts';
import { signerWords, whomWords } from '../words/condition-words.ts';
import { reasonWords } from '../words/reason-words.ts';
import type { AskedGraph } from './asked-graph.ts';
import type { Place } from './plan/compose-change.ts';

/** Who can do something. */
export interface WhoCanReport extends Question {
  /** Where the graphs come from. */
  source: 'declared' | 'state' | 'live' | 'plan' | 'snapshot';
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
 */
export function whoCanIn(
  graphs: readonly AskedGraph[],
  question: Question,
  source: WhoCanReport['source'],
  now: bigint,
): WhoCanReport {
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
    source,
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
