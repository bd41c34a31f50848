import type { Change } from '../../core/model/change.ts';
import { endsOf } from '../../core/model/ends.ts';
import { emptyGraph, type Graph } from '../../core/model/graph.ts';
import { graphDifferences } from '../../core/model/graph-difference.ts';
import { methodSubject, subjectText } from '../../core/model/subject.ts';
import { trimmed } from '../../core/model/values/loose-values.ts';
import { changeOnService } from '../../core/review/plan/compose-graphs.ts';
import type { LiveService } from '../../core/review/plan/live-parts.ts';
import { type Review, type ReviewOptions, reviewChange, rulesOff } from '../../core/review/review.ts';
import { ruleOptions } from '../../core/rules/rule-options.ts';
import type { Stack } from '../../engine/stack.ts';
import { atRevision } from '../at-revision.ts';
import { type Declared, openDeclared, stackSecrets } from '../open-environment.ts';
import { type ReplayRequest, replayChange } from '../usage/replay-plan.ts';

/** A stack, and what it declares. Its secrets may be encrypted. */
interface Version extends Declared {
  stack: Stack;
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
  const after = { stack, ...(await openDeclared(stack, env)) };
  const before = await atRevision(
    stack,
    revision,
    env,
    async (there): Promise<Version> => ({
      stack: there,
      ...(await openDeclared(there, env)),
    }),
  );
  const isElsewhere = before !== undefined && placeOf(before) !== placeOf(after);
  const base = isElsewhere ? undefined : before;
  const judged = {
    ...{ ...options, ...ruleOptions(after.environment, base?.environment ?? 'unknown') },
    endsBefore: base === undefined ? [] : endsOf(base.environment),
  };
  const change = changeOf(base, after);
  const differing = graphDifferences(change.after, change.before).map(({ subject }) => subjectText(subject));
  const live = await serviceOf([change.before, change.after]);
  const { graph } = after;
  const whole = live ? changeOnService(change, live) : change;
  const namespace = trimmed(after.environment.service.namespace ?? '');
  const known = { now: options.now, namespace, ...(live && { live }) };
  const replayed = replaying && (await replayChange(whole, known, replaying));
  return {
    ...reviewChange(whole, judged),
    ...(replayed && { replay: replayed }),
    tool: 'gatehouse',
    resources: {
      reviewed: [
        graph.methods,
        graph.roles,
        graph.groups,
        graph.aliases,
        graph.policies,
        graph.messages,
      ].flat().length,
      changed: new Set(differing).size,
    },
    passedOver: [],
    notes: [
      `Compared with what the stack declared at ${revision}, which may not be what was applied. Not checked: resources that the program adds by itself.`,
      ...(before === undefined ? [`There was no such stack at ${revision}: all of it is new.`] : []),
      ...(isElsewhere ? ['It is for another service than before: all of it is new there.'] : []),
      ...rulesOff(judged),
      ...(live?.notes ?? []),
    ],
  };
}

function changeOf(before: Version | undefined, after: Version): Change {
  const was = before?.graph ?? emptyGraph();
  const secrets = (version: Version) => stackSecrets(version.stack, 'clientSecrets');
  const providers = after.environment.providers.filter(({ name }) => {
    const old = before && secrets(before)[name];
    return old !== undefined && old !== secrets(after)[name];
  });
  return {
    before: was,
    after: after.graph,
    replaced: after.graph.methods
      .filter(({ path, type }) => was.methods.some((method) => method.path === path && method.type !== type))
      .map((method) => methodSubject(method)),
    rotated: providers.map(({ name, path = name }) => ({
      type: 'method',
      name: path,
      field: 'oidcClientSecret',
    })),
    unknown: [],
  };
}

function placeOf({ environment: { service } }: Version): string {
  return JSON.stringify([service.address, service.namespace ?? '']);
}
