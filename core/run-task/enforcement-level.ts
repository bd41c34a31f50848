export { EnforcementLevel } from '../model/enforcement-level.ts';
