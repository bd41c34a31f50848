export { type Contained, whyNotContained } from './containment.ts';
export { LocalEngine } from './local-engine.ts';
