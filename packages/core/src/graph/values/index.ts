// What the command needs before it knows what is asked: nothing here loads a library.

export { readAskedPath } from './asked-path.ts';
export { readBudget } from './budget.ts';
export { capabilities } from './capability.ts';
export { cut, shortened } from './cut.ts';
export { EnforcementLevel } from './enforcement-level.ts';
export { type ErrorText, GatehouseError } from './errors.ts';
export { unprintable } from './go.ts';
export { asGo, goJson, isObject, isTexts, isUnset, isUnwieldyJson, jsonIn, objectIn } from './json.ts';
export { limits } from './limits.ts';
export { isLoopback } from './loopback.ts';
export { type Mask, maskError, maskOf } from './mask.ts';
export { metadataProblem } from './metadata.ts';
export { nameKey, type PolicyName, policyKey, policyNameText } from './name-key.ts';
export { nearest } from './nearest.ts';
export { isSecretKey, type SecretKey, secretKeys, setSecretCommand } from './secret-keys.ts';
export { addAll, largestOf, smallestOf } from './sequences.ts';
export {
  hasCustomMessages,
  hasNamespaces,
  keepsToNamespace,
  parseServiceVersion,
  type ServiceVersion,
} from './service-version.ts';
export { snapshotAge } from './snapshot-age.ts';
export { hasPlan, Stage } from './stage.ts';
export { parseStrictJson } from './strict-json.ts';
export { unknownText, unknownTexts } from './unknown-text.ts';
export { partName, plainName, visible } from './visible.ts';
export { Dialect, names, toCamelCase, toSnakeCase } from './wire.ts';
