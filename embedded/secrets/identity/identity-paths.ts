import type { SecretsPath } from '../protocol/path.ts';
import { entityAliasPaths } from './entity-alias-paths.ts';
import { entityPaths } from './entity-paths.ts';
import { groupAliasPaths } from './group-alias-paths.ts';
import { groupPaths } from './group-paths.ts';
import { lookupPaths } from './lookup-paths.ts';

/** All paths below `identity/`. */
export const identityPaths: SecretsPath[] = [
  ...groupPaths,
  ...groupAliasPaths,
  ...entityPaths,
  ...entityAliasPaths,
  ...lookupPaths,
];
