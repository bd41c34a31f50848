// `npm run release`: writes what a release publishes to build/release/ and publishes nothing: both packed files, the review page, the
// SBOM of what they install, the container image, the version's changes, checksums. `-- --dry-run`: for a version that is not
// finished, and without an image where this machine cannot build one; `--no-image`: without one in any case.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildImage } from './image.ts';
import { packPackages, run } from './package.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const clone = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

interface ReleaseOptions {
  /** Where the files are written; its content is replaced. */
  folder: string;
  version: string;
  dryRun: boolean;
  /** Whether a dry run builds the image where this machine can. A release always does. Defaults to true. */
  image?: boolean;
}

/**
 * @returns names of the files
 * @throws Error with what stands in the way of a release
 */
export function makeRelease({ folder, version, dryRun, image = true }: ReleaseOptions): string[] {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const missing = missingFor({ version, dryRun, changelog });
  if (missing.length > 0) throw new Error(`missing:\n${missing.map((problem) => `  ${problem}`).join('\n')}`);
  const changes = changesOf(version, changelog, dryRun);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packed = packPackages(join(root, 'build/package'));
  for (const path of [packed.gatehouse, packed.create]) copyFileSync(path, join(folder, basename(path)));
  copyFileSync(join(root, 'build/package/gatehouse/dist/review.html'), join(folder, 'review.html'));
  writeFileSync(join(folder, `${clone.name}-${version}.cdx.json`), billOfMaterials(packed.gatehouse));
  writeFileSync(join(folder, 'CHANGES.md'), changes);
  const lacking = Object.keys(programs.image).filter((name) => !isOnPath(name));
  if (dryRun && !image) console.log('no image: --no-image');
  else if (lacking.length === 0) buildImage(packed.gatehouse, join(folder, 'gatehouse-image.tar'));
  else console.log(`no image: ${lacking.join(', ')} not on PATH`);
  const files = readdirSync(folder).sort();
  writeFileSync(
    join(folder, 'SHA256SUMS'),
    files.map((name) => `${digestOf(join(folder, name))}  ${name}\n`).join(''),
  );
  return [...files, 'SHA256SUMS'];
}

/** Programs that a release runs, each with what has it, and those for the image alone. */
const programs = {
  always: { git: 'git', npm: 'Node.js', tar: 'tar' },
  image: { buildah: "Debian's buildah", ldd: 'libc-bin', 'dpkg-query': 'Debian' },
};

/**
 * All that stands in the way of a release, before the first minute of it is spent.
 *
 * @param isInstalled whether a program is on PATH. Defaults to looking for it.
 */
export function missingFor(
  { version, dryRun, changelog }: { version: string; dryRun: boolean; changelog: string },
  isInstalled: (program: string) => boolean = isOnPath,
): string[] {
  const needed = Object.entries({ ...programs.always, ...(dryRun ? {} : programs.image) });
  const installed = ['typescript/bin/tsc', ...(dryRun ? [] : ['node/bin/node'])];
  return [
    ...needed.filter(([name]) => !isInstalled(name)).map(([name, from]) => `${name} on PATH (from ${from})`),
    ...installed
      .filter((path) => !existsSync(join(root, 'node_modules', path)))
      .map((path) => `node_modules/${path}: run npm ci`),
    ...(dryRun || !isInstalled('git') ? [] : uncommitted()),
    ...problemOf(() => changesOf(version, changelog, dryRun)),
  ];
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}

function uncommitted(): string[] {
  const dirty = run('git', ['status', '--porcelain']).trimEnd();
  return dirty === '' ? [] : [`a commit of these changes:\n    ${dirty.replaceAll('\n', '\n    ')}`];
}

function problemOf(work: () => unknown): string[] {
  try {
    work();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

/**
 * The section of a version in the changelog.
 *
 * @param unfinished takes what is not released yet where there is none
 * @throws Error if there is no section, or nothing in it
 */
export function changesOf(version: string, changelog: string, unfinished: boolean): string {
  const sections = new Map(
    changelog
      .split(/^## /m)
      .slice(1)
      .map((section) => [/^\[([^\]]+)\]/.exec(section)?.[1], section.replace(/^.*\n/, '').trim()]),
  );
  const section = sections.get(version) ?? (unfinished ? sections.get('Unreleased') : undefined);
  if (section) return `${section}\n`;
  throw new Error(`CHANGELOG.md says nothing of ${version}: name its section "## [${version}] - YYYY-MM-DD"`);
}

/** Everything that an installation of the packed file has, as the registry resolves it today, in CycloneDX. */
export function billOfMaterials(packed: string): string {
  const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-sbom-'));
  // npm calls what the document is about by the name of its folder.
  const folder = join(scratch, clone.name);
  try {
    mkdirSync(folder);
    const described = JSON.parse(run('tar', ['-xzOf', packed, 'package/package.json']));
    // npm's list leaves out what a package for development needs, too.
    const { devDependencies: _, workspaces: __, ...installed } = described;
    writeFileSync(join(folder, 'package.json'), JSON.stringify(installed));
    const lockOnly = ['--package-lock-only', '--omit=dev', '--loglevel=error'];
    run('npm', ['install', ...lockOnly, '--no-audit', '--no-fund'], folder);
    return run('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', ...lockOnly], folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

if (import.meta.main) {
  const { values } = parseArgs({
    allowNegative: true,
    options: { 'dry-run': { type: 'boolean', default: false }, image: { type: 'boolean', default: true } },
  });
  const folder = join(root, 'build/release');
  try {
    const options = { folder, version: clone.version, dryRun: values['dry-run'], image: values.image };
    for (const name of makeRelease(options)) {
      console.log(`build/release/${name}  ${(statSync(join(folder, name)).size / 1e6).toFixed(2)} MB`);
    }
  } catch (error) {
    console.error(`No release: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
