import { buildEnvironment } from './stacks/environment.ts';
import { leanSdk } from './stacks/lean-sdk.ts';

leanSdk();
export const { address, methods, groups, policies, messages } = await buildEnvironment(import.meta.dirname);
