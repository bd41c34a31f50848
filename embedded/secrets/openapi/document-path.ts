import type { SecretsPath } from '../protocol/path.ts';
import { serviceVersion } from '../system/status-paths.ts';
import { openApiDocument } from './document.ts';

/**
 * The service's description of these paths and of itself. As with real servers it needs no token; they leave out what
 * the caller may not see, this one describes the same to everyone.
 */
export function openApiDocumentPath(paths: SecretsPath[]): SecretsPath {
  let body: Record<string, unknown> | undefined;
  const path: SecretsPath = {
    pattern: 'sys/internal/specs/openapi',
    unauthenticated: true,
    operations: {
      read: () => {
        body ??= openApiDocument([...paths, path], serviceVersion);
        return { body };
      },
    },
  };
  return path;
}
