export { EnforcementLevel } from '../model/values/enforcement-level.ts';
