import { main } from '@pulumi/pulumi/provider/index.js';
import { ComponentPlugin } from './component-plugin.ts';

// Answers Pulumi's plugin protocol on a port that it prints. Not the SDK's `componentProviderHost`, which works the schema
// out by the TypeScript compiler at every start (docs/adr/0015-a-committed-schema.md).
void main(new ComponentPlugin(), process.argv.slice(2));
