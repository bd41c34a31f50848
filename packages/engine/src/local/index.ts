export { type Contained, whyNotContained } from './containment.ts';
export { LocalEngine } from './local-engine.ts';
export { openStateStore, readLastChange, statePath } from './state-store.ts';
