import { buildEnvironment } from './stacks/environment.ts';

export const { address, methods, groups, policies, messages } = await buildEnvironment(import.meta.dirname);
