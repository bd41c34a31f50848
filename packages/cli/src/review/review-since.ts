import { type Environment, endsOf } from '@gatehouse/core/environment';
import {
  type Change,
  emptyGraph,
  type Graph,
  methodSubject,
  namespaceBelow,
  sortedJson,
  trimmed,
} from '@gatehouse/core/graph';
import {
  changeOnService,
  type LiveService,
  type Review,
  type ReviewOptions,
  type RuleOptions,
  review,
  ruleOptions,
  ruleOptionsElsewhere,
} from '@gatehouse/core/review';
import type { Stack } from '@gatehouse/engine';
import { atRevision } from '../open/at-revision.ts';
import { openNamespaces, requireEnvironment, stackSecrets } from '../open/open-environment.ts';
import { type ReplayRequest, replayChange } from '../usage/replay-plan.ts';

/** A stack at one revision, and what it declares by namespace. Its secrets may be encrypted. */
interface DeclaredVersion {
  stack: Stack;
  environment: Environment;
  all: Awaited<ReturnType<typeof openNamespaces>>;
}

/**
 * Reviews what a stack's files declare against what they declared at a revision of their repository. It needs no token, no
 * passphrase and no service, and does not know what was applied.
 *
 * @param revision as git takes it: a branch, a tag, `HEAD^1`
 * @param serviceOf gives what the service has, for these graphs: the change is judged on top of it. Defaults to not known.
 * @param replaying logs whose requests are sent again. Defaults to none.
 * @throws GatehouseError `revision_unreadable`, and what `openDeclared` throws for either version
 */
export async function reviewSince(
  stack: Stack,
  revision: string,
  options: ReviewOptions,
  env: NodeJS.ProcessEnv,
  serviceOf: (graphs: Graph[]) => Promise<LiveService | undefined> = async () => options.live,
  replaying?: ReplayRequest,
): Promise<Review> {
  const after = await openVersion(stack, env);
  const before = await atRevision(stack, revision, env, (stackBefore) => openVersion(stackBefore, env));
  const isElsewhere = before !== undefined && placeOf(before) !== placeOf(after);
  const base = isElsewhere ? undefined : before;
  const judged = {
    ...options,
    ...ruleOptions(after.environment, base?.environment ?? 'unknown'),
    namespaces: withEndsBefore(ruleOptionsElsewhere(after.environment, base?.environment ?? 'unknown'), base),
    endsBefore: base === undefined ? [] : endsOf(base.all[0].environment),
  };
  const paths = new Set([after, base].flatMap((version) => version?.all.map(({ path }) => path) ?? []));
  const changes = [...paths].map((path) => ({ path, change: changeOf(base, after, path) }));
  const live = await serviceOf(changes.flatMap(({ change }) => [change.before, change.after]));
  const own = trimmed(after.environment.service.namespace ?? '');
  const placed = changes.map(({ path, change }) => {
    const namespace = trimmed(namespaceBelow(own, path));
    const namespaceOnService =
      path === '' ? live : live?.otherNamespaces?.find((other) => other.namespace === namespace);
    return {
      place: path === '' ? {} : { namespace },
      change: namespaceOnService ? changeOnService(change, namespaceOnService) : change,
    };
  });
  const known = { now: options.now, namespace: own, ...(live && { live }) };
  const [{ change }] = placed as [(typeof placed)[number]];
  const replay = replaying && (await replayChange(change, known, replaying));
  const notes = [
    // If nothing changes, it does not matter what was applied.
    ...(changes.every(({ change }) => isUnchanged(change))
      ? []
      : [
          `Compared with what the stack declared at ${revision}, which may not be what was applied. Not checked: resources that the program adds by itself.`,
        ]),
    ...(before === undefined ? [`There was no such stack at ${revision}: all of it is new.`] : []),
    ...(isElsewhere ? ['It is for another service than before: all of it is new there.'] : []),
  ];
  return review({ changes: placed, notes }, { ...judged, replay, ...(live && { live }) });
}

function isUnchanged({ before, after, replaced, rotated }: Change): boolean {
  return replaced.length + rotated.length === 0 && sortedJson(before) === sortedJson(after);
}

/** Rule options of each namespace, with the ends of exceptions that it had before. */
function withEndsBefore(namespaces: Record<string, RuleOptions>, base: DeclaredVersion | undefined) {
  const before = new Map(
    base?.all.map(({ environment }) => [trimmed(environment.service.namespace ?? ''), endsOf(environment)]),
  );
  return Object.fromEntries(
    Object.entries(namespaces).map(([path, options]) => [
      path,
      { ...options, endsBefore: before.get(path) ?? [] },
    ]),
  );
}

async function openVersion(stack: Stack, env: NodeJS.ProcessEnv): Promise<DeclaredVersion> {
  return { stack, environment: requireEnvironment(stack, env), all: await openNamespaces(stack, env) };
}

function changeOf(before: DeclaredVersion | undefined, after: DeclaredVersion, path: string): Change {
  const partOf = (version: DeclaredVersion | undefined) =>
    version?.all.find((namespace) => namespace.path === path);
  const namespaceAfter = partOf(after);
  const graphBefore = partOf(before)?.graph ?? emptyGraph();
  const graphAfter = namespaceAfter?.graph ?? emptyGraph();
  const secrets = (version: DeclaredVersion) => stackSecrets(version.stack, 'clientSecrets');
  const providers = (namespaceAfter?.environment.providers ?? []).filter(({ name }) => {
    const secret = before && secrets(before)[name];
    return secret !== undefined && secret !== secrets(after)[name];
  });
  return {
    before: graphBefore,
    after: graphAfter,
    replaced: graphAfter.methods
      .filter(({ path, type }) =>
        graphBefore.methods.some((method) => method.path === path && method.type !== type),
      )
      .map((method) => methodSubject(method)),
    rotated: providers.map(({ name, path = name }) => ({
      type: 'method',
      name: path,
      field: 'oidcClientSecret',
    })),
    unknown: [],
  };
}

function placeOf({ environment: { service } }: DeclaredVersion): string {
  return JSON.stringify([service.address, service.namespace ?? '']);
}
