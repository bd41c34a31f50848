export type {
  DeploymentEvent,
  DeploymentRequest,
  DeploymentResult,
  Diagnostic,
  Engine,
  Step,
  StepOperation,
} from './engine.ts';
export { createCrypter, openCrypter, readPassphrase, requirePassphrase } from './passphrase.ts';
export { isAsPlanned, isSamePlan, plannedPreview, plannedStep } from './planned-steps.ts';
export { maskedProperties, propertiesFromJson } from './property-json.ts';
export {
  type PropertyMap,
  type PropertyValue,
  ResourceReference,
  Secret,
  Unknown,
} from './property-value.ts';
export { type ResourceState, resourceToJson } from './resource-state.ts';
export { secretsProviderUnsupported } from './secrets-provider.ts';
export type { Stack } from './stack.ts';
export { createUrn, isDefaultPlugin, packageOf, parseUrn, rootStackType } from './urn.ts';
