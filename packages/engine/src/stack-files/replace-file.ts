import { randomBytes } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';

/** Writes a file by a rename, so that a killed process, or a loss of power, leaves the old file or the new one. */
export async function replaceFile(name: string, text: string): Promise<void> {
  // A link stays one.
  const path = await realpath(name).catch(() => name);
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  const mode = await stat(path).then(
    (stats) => stats.mode,
    () => undefined,
  );
  try {
    const file = await open(draft, 'wx', mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
