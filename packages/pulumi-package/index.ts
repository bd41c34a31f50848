import * as pulumi from '@pulumi/pulumi';
import { main } from '@pulumi/pulumi/provider/index.js';
import { ComponentPlugin } from './component-plugin.ts';

// Answers Pulumi's plugin protocol on a port that it prints. Not the SDK's `componentProviderHost`, which works the schema
// out by the TypeScript compiler at every start (docs/adr/0015-the-schema-is-a-file.md).
void main(new ComponentPlugin(), process.argv.slice(2)).then(reportOnce);

/**
 * What is wrong with a value that is known late rejects every output made of it, and the SDK reports each of them with a
 * stack trace. Once is enough, and what the user can act on needs no stack trace.
 */
function reportOnce(): void {
  const listeners = process.listeners('unhandledRejection');
  const seen = new WeakSet<Error>();
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (error, promise) => {
    if (error instanceof Error) {
      if (seen.has(error)) return;
      seen.add(error);
      if (pulumi.RunError.isInstance(error)) error.stack = error.message;
    }
    for (const listener of listeners) listener(error, promise);
  });
}
