// What Pulumi runs (package.json, main). Plain JavaScript, so that a Node which cannot read index.ts says so in one
// line: a RunError is printed without a stack trace.
import { RunError } from '@pulumi/pulumi';

if (!process.features.typescript) {
  throw new RunError(
    `This program is TypeScript that Node runs as it is: it needs Node 22.18 or newer, and this is ${process.version}.`,
  );
}
export const { address, methods, groups, policies, messages } = await import('./index.ts');
