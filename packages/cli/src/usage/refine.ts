import { type FoldedLog, floorOf, policiesNamed, refinePolicies } from '@gatehouse/core/usage';
import { policyKey } from '@gatehouse/core/values';
import { openDeclared, requireEnvironment } from '../open/open-environment.ts';
import { unifiedDiff } from '../terminal/line-diff.ts';
import { openService, readLogOf, type ServiceSource } from './open-service.ts';
import type { LogSource } from './read-log.ts';

export interface RefineRequest {
  log: Pick<LogSource, 'files' | 'stdin' | 'since'>;
  service: ServiceSource;
  /** A policy, or a role whose policies are meant: `web`, or `role ci/web` where several methods have one. */
  name: string;
  /** What must stay: `delete secret/data/yearly/*`, `read,list secret/*`, or `sudo` alone for all paths. */
  floor: readonly string[];
}

/** Smaller policies. Nothing is applied. */
export interface RefineReport {
  source: ServiceSource['from'];
  policies: (ReturnType<typeof refinePolicies>[number] & {
    /** A diff for `git apply`; empty if nothing is taken. */
    diff: string;
  })[];
  /** The time that the logs cover, in milliseconds since 1970, and what they lack. */
  window: Pick<FoldedLog, 'from' | 'to' | 'gaps' | 'backwards' | 'entries'>;
  /** Lines that could not be read completely: what they used is not known. */
  unread: number;
  /** Each byte of the logs was read. Only then it is sure that no request is lost. */
  isLogRead: boolean;
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
  floor: floorTexts,
}: RefineRequest): Promise<RefineReport> {
  const floor = floorTexts.map(floorOf);
  const now = BigInt(service.now) * 1_000_000n;
  const opened = await openService(service);
  const { graph, hashes, missing } = opened;
  const names = policiesNamed(graph, name);
  const folded = await readLogOf(opened, log, service.now);
  const written = await writtenPolicies(service);
  const refined = refinePolicies(folded, opened, names, written, { now, floor, hashes });
  const policies = refined.map((policy) => ({
    ...policy,
    diff: unifiedDiff(policy.file ?? `${policy.name}.hcl`, policy.before, policy.after),
  }));
  const { from, to, gaps, backwards, entries } = folded;
  return {
    source: service.from,
    policies,
    missing,
    window: { ...(from && { from }), ...(to && { to }), gaps, backwards, entries },
    unread: folded.unreadLines,
    isLogRead: folded.bytes.unread === 0 && folded.damaged.length === 0,
  };
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
