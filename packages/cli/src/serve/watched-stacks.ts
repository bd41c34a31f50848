import { GatehouseError } from '@gatehouse/core/values';
import { readProject, readSealedStack } from '@gatehouse/engine/stack-files';
import type { WatchReading } from '@gatehouse/run-tasks';
import { type DriftReport, drift } from '../drift/drift.ts';
import { openEngine } from '../open/engines.ts';
import { ofEach } from '../open/many-stacks.ts';
import { openMade } from '../open/open-state.ts';
import { checkTokenNames, openWithToken } from '../open/service-token.ts';
import { stacksMatching } from '../open/stack-reading.ts';
import { checkoutOf } from './version-control.ts';

export interface WatchedStacksArgs {
  /** The folder of `Pulumi.yaml` in the checkout. */
  checkout: string;
  /** Stacks of it; `*` stands for any letters. */
  patterns: readonly string[];
  /** Look, too, for what is on the service and not declared. */
  unmanaged: boolean;
  env: NodeJS.ProcessEnv;
  /** The part of a report that people read. */
  describe: (
    report: DriftReport,
  ) => Pick<WatchReading, 'summary' | 'findings' | 'access'> & { unread: readonly string[] };
}

/** Readings of one checkout that changes meanwhile, until it is given up. */
const mostAttempts = 3;

/** The stacks of a checkout, for the watch. */
export function watchedStacks({ checkout, patterns, unmanaged, env, describe }: WatchedStacksArgs) {
  // Nothing is written to the checkout: as in CI, things declared as known are compared, and not recorded.
  const readingEnv = { ...env, CI: 'true' };
  return {
    /** As `project/stack`. @throws GatehouseError what `stacksMatching` throws */
    async list(): Promise<string[]> {
      const { name: project } = await readProject(checkout);
      const names = await Promise.all(patterns.map((pattern) => stacksMatching(checkout, pattern)));
      return [...new Set(names.flat())].map((name) => `${project}/${name}`);
    },
    /** @throws GatehouseError `token_ambiguous` where two stacks would take one token */
    async checkTokens(ids: readonly string[]): Promise<void> {
      const read = await ofEach(ids.map(stackOf), 4, (name) => readSealedStack(checkout, name, readingEnv));
      checkTokenNames(
        read.flatMap((outcome) => ('result' in outcome ? outcome.result : [])),
        readingEnv,
      );
    },
    /** @throws GatehouseError `checkout_changing`, and what `openWithToken`, `openMade` and `drift` throw */
    async read(id: string, signal: AbortSignal): Promise<WatchReading> {
      for (let attempt = 1; attempt <= mostAttempts && !signal.aborted; attempt++) {
        const before = await checkoutOf(checkout);
        const reading = await readOnce(id, signal);
        if ((await checkoutOf(checkout)).identity === before.identity)
          return { ...reading, comparedWith: before.text };
      }
      throw new GatehouseError('checkout_changing');
    },
    async comparedWith(): Promise<string> {
      return (await checkoutOf(checkout)).text;
    },
  };

  async function readOnce(id: string, signal: AbortSignal): Promise<Omit<WatchReading, 'comparedWith'>> {
    const opened = await openWithToken(checkout, stackOf(id), readingEnv);
    const fromState = await openMade(opened.stack, opened.env, openEngine);
    return readingOf(describe(await drift({ ...opened, fromState, unmanaged, signal })));
  }
}

/** Names of stacks have no slash. */
function stackOf(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** Findings that are only about what cannot be read say nothing of the stack: the reading failed. */
function readingOf({
  summary,
  findings,
  access,
  unread,
}: ReturnType<WatchedStacksArgs['describe']>): Omit<WatchReading, 'comparedWith'> {
  const isFailed = unread.length > 0 && findings.length === unread.length;
  return {
    outcome: isFailed ? 'failed' : findings.length > 0 ? 'drift' : 'ok',
    summary,
    findings,
    unread,
    ...(access && { access }),
    ...(isFailed && { problem: 'The token may not read all that the stack declares.' }),
  };
}
