import { createRequire } from 'node:module';

/** What `runtime/rpc.js` of an SDK of ES modules would be: exports that nobody can replace. */
export const transferProperties: unknown = createRequire(import.meta.url)(
  '@pulumi/pulumi/runtime/rpc.js',
).transferProperties;
