import type { DiffResponse } from '../plugins/plugin.ts';
import type { ResourceState } from '../resource-state.ts';

/** What one registration comes to. `next` is the resource as it will be; `old` as the last deployment left it. */
export type StepPlan =
  | { kind: 'same'; old: ResourceState; next: ResourceState }
  /** Not among the targets: left as it is. */
  | { kind: 'untargeted'; old: ResourceState }
  /** Would be created, but is not among the targets. */
  | { kind: 'skipped-create'; next: ResourceState }
  | { kind: 'create'; next: ResourceState }
  | { kind: 'update'; old: ResourceState; next: ResourceState; diff: DiffResponse }
  /** Create the new one now, delete the old one at the end. */
  | { kind: 'replace'; old: ResourceState; next: ResourceState; diff: DiffResponse }
  /** Delete `doomed` first (the old one and what must go before it, unless that has been done), then create. */
  | {
      kind: 'delete-then-replace';
      old: ResourceState;
      next: ResourceState;
      diff: DiffResponse;
      doomed: ResourceState[];
    }
  /** Take over an existing resource; `old` is the one of that name to be deleted at the end. */
  | { kind: 'import'; old: ResourceState | undefined; next: ResourceState; ignoreChanges: string[] };
