/**
 * `npm run build:opentofu`: builds OpenTofu for the tests of plan files, from the Go modules that the `go.sum` next to this
 * file pins. Takes three minutes on two cores, once: `.gatehouse/opentofu` keeps it.
 */
import { fileURLToPath } from 'node:url';
import { buildOnce } from '../go-build.ts';
import { tofu } from './programs.ts';

await buildOnce([
  {
    program: tofu,
    module: fileURLToPath(new URL('.', import.meta.url)),
    path: 'github.com/opentofu/opentofu/cmd/tofu',
    // As of the Kubernetes API server: what is not optimized is built in two thirds of the time.
    gcflags: 'all=-N -l',
    // A release calls itself none of development.
    ldflags: '-s -w -X github.com/opentofu/opentofu/version.dev=no',
  },
]);
