// Runs after `npm install` in this folder, which is what Pulumi does with one from Git. The packages are those of the clone
// around it; in the npm package there is nothing to do.
import { existsSync } from 'node:fs';

const setUp = new URL('../../scripts/set-up.mjs', import.meta.url);
if (existsSync(setUp)) await import(setUp.href);
