/** Whether a system call failed with this code, for example `ENOENT`. */
export function isSystemError(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
