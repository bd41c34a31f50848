/** Paths where a policy must give `sudo` beside the capability (openbao/openbao vault/logical_system.go, token_store.go). */
const guarded = [
  /^sys\/auth\/./,
  /^sys\/audit(\/|$)/,
  /^sys\/remount$/,
  /^auth\/token\/accessors$/,
  /^auth\/token\/revoke-orphan$/,
];

export function needsSudo(path: string): boolean {
  return guarded.some((pattern) => pattern.test(path));
}
