export { readPulumiConfig } from './pulumi-config.ts';
export { PulumiEngine } from './pulumi-engine.ts';
