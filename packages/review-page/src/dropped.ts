import {
  betweenSnapshots,
  count,
  type GivenPolicy,
  givenPolicy,
  graphsAfter,
  type LiveService,
  largestPlan,
  type PlanResources,
  planTooLarge,
  possibleNames,
  type Review,
  readPlan,
  readSnapshot,
  review,
  type Snapshot,
  serviceOf,
  type WhoCanReport,
  whoCanIn,
  withPolicies,
} from '@gatehouse/core/review';
import { GatehouseError } from '@gatehouse/core/values';
import type { KnownFile, PageProblem } from './messages.ts';

const tools = { terraform: 'Terraform or OpenTofu', pulumi: 'Pulumi', gatehouse: 'Gatehouse' } as const;

/** What was dropped and could be read. */
export interface Dropped {
  plan?: PlanResources;
  snapshots: Snapshot[];
  policies: GivenPolicy[];
}

/** A problem that the page shows in place of an answer. */
export class NotAnswered extends Error {
  readonly problem: PageProblem;

  constructor(problem: PageProblem) {
    super(problem.text);
    this.problem = problem;
  }
}

/**
 * Reads files: at most one plan, snapshots, and policies.
 *
 * @param key of the snapshots in which names are hashed; empty for none
 * @throws NotAnswered for the first that is none of these, and where the key is that of another snapshot
 */
export async function readFiles(
  files: readonly File[],
  key: string,
): Promise<{ dropped: Dropped; known: KnownFile[] }> {
  const read: { dropped: Dropped; hashed: Map<Snapshot, string> } = {
    dropped: { snapshots: [], policies: [] },
    hashed: new Map(),
  };
  const known: KnownFile[] = [];
  for (const file of files) known.push(await readFile(file, read));
  const { dropped, hashed } = read;
  if (key === '') return { dropped, known };
  const names = possibleNames(dropped.plan?.resources ?? []);
  const opened = (snapshot: Snapshot) => {
    const text = hashed.get(snapshot);
    return text === undefined ? snapshot : readSnapshot(text, { key, names });
  };
  const snapshots = await explained(undefined, () => dropped.snapshots.map(opened));
  return { dropped: { ...dropped, snapshots }, known };
}

async function readFile(
  file: File,
  { dropped, hashed }: { dropped: Dropped; hashed: Map<Snapshot, string> },
): Promise<KnownFile> {
  const { name } = file;
  return explained(name, async () => {
    if (file.size > largestPlan) throw planTooLarge();
    const text = textOf(new Uint8Array(await file.arrayBuffer()));
    if (/^\s*\{"snapshot":/.test(text)) {
      const snapshot = readSnapshot(text);
      dropped.snapshots.push(snapshot);
      if (!snapshot.hasNames) hashed.set(snapshot, text);
      const { server, namespace, at, hasNames } = snapshot;
      const place = namespace === '' ? server : `${server}, namespace ${namespace}`;
      return { name, is: 'snapshot', about: `Snapshot of ${place}, ${at}`, isHashed: !hasNames };
    }
    if (/\.hcl$/i.test(name) || /^\s*\{\s*"path"\s*:/.test(text)) {
      const policy = givenPolicy(name, text);
      dropped.policies.push(policy);
      return { name, is: 'policy', about: `Policy ${policy.name}` };
    }
    dropped.plan = readPlan(text);
    const { tool, resources } = dropped.plan;
    return {
      name,
      is: 'plan',
      about: `Plan of ${tools[tool]}, ${count(resources.length, 'sign-in resource')}`,
    };
  });
}

/** `terraform show -json > plan.json` on Windows writes UTF-16. */
function textOf(bytes: Uint8Array): string {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isWide ? 'utf-16le' : 'utf-8').decode(bytes);
}

/** @throws NotAnswered where that throws a `GatehouseError` */
export async function explained<Result>(
  name: string | undefined,
  read: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    const { what, given, allowed, fix } = error.parts;
    const details = [given && `Given: ${given}.`, fix, allowed && `Allowed: ${allowed}.`];
    throw new NotAnswered({
      ...(name !== undefined && { name }),
      text: what,
      fix: details.filter(Boolean).join(' '),
    });
  }
}

/**
 * Reviews a plan, on top of a snapshot and policies where there are any, or what changed between two snapshots.
 *
 * @param now milliseconds since 1970
 * @returns undefined for one snapshot alone
 * @throws GatehouseError what `serviceOf`, `withPolicies` and `betweenSnapshots` throw
 */
export function reviewOf({ plan, snapshots, policies }: Dropped, now: number): Review | undefined {
  const options = { now: nanoseconds(now) };
  if (plan !== undefined) {
    const { live } = liveOf(snapshots, now, plan);
    return review(withPolicies(plan, policies, live), { ...options, ...(live && { live }) });
  }
  const [before, after] = inOrder(snapshots);
  return before && after && betweenSnapshots(before, after, options);
}

/** Says who can do something once a plan is applied, or by the newest snapshot. */
export function whoCanOf(
  { plan, snapshots, policies }: Dropped,
  question: { capability: string; path: string },
  now: number,
): WhoCanReport {
  const { live } = liveOf(snapshots, now, plan);
  if (plan !== undefined) {
    const graphs = graphsAfter(withPolicies(plan, policies, live), live).map((graph) => ({
      ...graph,
      ...(live?.sudo && { sudo: live.sudo }),
    }));
    return whoCanIn(graphs, question, 'plan', nanoseconds(now));
  }
  const graphs = live
    ? [{ place: {}, path: '', graph: live.graph, unseen: live.missing, sudo: live.sudo }]
    : [];
  return whoCanIn(graphs, question, 'snapshot', nanoseconds(now));
}

function liveOf(
  snapshots: readonly Snapshot[],
  now: number,
  plan: PlanResources | undefined,
): { live?: LiveService } {
  const newest = inOrder(snapshots).at(-1);
  return newest === undefined ? {} : { live: serviceOf(newest, { plannedAddress: plan?.address, now }) };
}

function inOrder(snapshots: readonly Snapshot[]): Snapshot[] {
  return snapshots.toSorted((left, right) => Date.parse(left.at) - Date.parse(right.at));
}

function nanoseconds(milliseconds: number): bigint {
  return BigInt(milliseconds) * 1_000_000n;
}
