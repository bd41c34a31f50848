import { join } from 'node:path';
import { home, isThere } from '../fetched.ts';

/** As the `go.mod` pins it. */
const version = '1.12.6';

/** Where `build.ts` leaves OpenTofu: a folder for the PATH has it under its own name. */
export const tofu = join(home, 'opentofu', version, 'tofu');

/** Why it cannot be had here; undefined where it can. */
export async function whyNoTofu(): Promise<string | undefined> {
  if (await isThere(tofu)) return undefined;
  return `There is no ${tofu}. With Go, npm run build:opentofu makes it once, in three minutes.`;
}
