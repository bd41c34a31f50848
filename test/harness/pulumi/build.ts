/**
 * `npm run build:pulumi`: builds Pulumi's CLI for the tests on the real engine, from the Go modules that the `go.sum` next
 * to this file pins, and the language host of YAML programs: the newest, and with `--oldest` also the oldest that the
 * documentation names, for `npm run test:weekly`. Takes five minutes on two cores, or ten, once: `.gatehouse/pulumi` keeps
 * them. The three modules have their dependencies in the same versions where they can, so that each is compiled once.
 */
import { fileURLToPath } from 'node:url';
import { buildOnce } from '../go-build.ts';
import { type CliAge, cli, versions, yamlLanguageHost } from './programs.ts';

const version = 'github.com/pulumi/pulumi/sdk/v3/go/common/version.Version';
const module = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const ages: CliAge[] = process.argv.includes('--oldest') ? ['newest', 'oldest'] : ['newest'];

await buildOnce([
  ...ages.map((age) => ({
    program: cli(age),
    module: module(age),
    path: 'github.com/pulumi/pulumi/pkg/v3/cmd/pulumi',
    ldflags: `-s -w -X ${version}=v${versions[age]}`,
  })),
  {
    program: yamlLanguageHost,
    module: module('yaml'),
    path: 'github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml',
    ldflags: '-s -w',
  },
]);
