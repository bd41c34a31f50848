/** Addresses that a run task request names. Those of the API lie below `/api/v2/` (interface.md, "Versioning" 3). */
export function callbackUrl(address: string, task: string): string {
  return `${address}/api/v2/task-results/${task}/callback`;
}

export function planUrl(address: string, run: string): string {
  return `${address}/api/v2/plans/${run}/json-output`;
}

/** The page of a run. */
export function runPage(address: string, run: string): string {
  return `${address}/ui/runs/${run}`;
}

/** The page of the runs of a stack. */
export function stackPage(address: string, stack: string): string {
  return `${address}/ui/runs?stack=${encodeURIComponent(stack)}`;
}
