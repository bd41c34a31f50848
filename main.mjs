// What Pulumi runs (Pulumi.yaml, main). Plain JavaScript: a Node.js that cannot read index.ts says so in one line, as a
// RunError is printed without a stack trace.
import { RunError } from '@pulumi/pulumi';

if (!process.features.typescript) {
  throw new RunError(
    `This program needs a Node that runs TypeScript: 22.18 or newer, with type stripping on. This is ${process.version}.`,
  );
}
export const { address, methods, groups, policies, messages } = await import('./index.ts');
