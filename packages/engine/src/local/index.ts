export { type Contained, whyNotContained } from './containment.ts';
export { LocalEngine } from './local-engine.ts';
export { openStateStore, readLastChange, stateDigest, statePath } from './state-store.ts';
