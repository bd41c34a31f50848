/** What is thrown, for several expectations of it. */
export function errorOf(run: () => unknown): { code?: string; message: string } {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
