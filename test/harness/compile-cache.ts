import { fileURLToPath } from 'node:url';

/** For processes that a test starts by the dozen: what Node has compiled for one, the next one does not compile again. */
export const compileCache = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../.gatehouse/compile-cache', import.meta.url)),
};
