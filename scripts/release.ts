// `npm run release`: writes what a release publishes to build/release/ and publishes nothing: both packed files, the SBOM of
// what they install, the container image, the version's changes, checksums. `-- --dry-run`: for a version that is not
// finished, and without an image where this machine cannot build one.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
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
}

/**
 * @returns names of the files
 * @throws Error with what stands in the way of a release
 */
export function makeRelease({ folder, version, dryRun }: ReleaseOptions): string[] {
  if (!dryRun) refuseDirtyTree();
  const changes = changesOf(version, readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), dryRun);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packed = packPackages(join(root, 'build/package'));
  for (const path of [packed.gatehouse, packed.create]) copyFileSync(path, join(folder, basename(path)));
  writeFileSync(join(folder, `${clone.name}-${version}.cdx.json`), billOfMaterials(packed.gatehouse));
  writeFileSync(join(folder, 'CHANGES.md'), changes);
  if (!dryRun || hasBuildah()) buildImage(packed.gatehouse, join(folder, 'gatehouse-image.tar'));
  const files = readdirSync(folder).sort();
  writeFileSync(
    join(folder, 'SHA256SUMS'),
    files.map((name) => `${digestOf(join(folder, name))}  ${name}\n`).join(''),
  );
  return [...files, 'SHA256SUMS'];
}

function refuseDirtyTree(): void {
  const dirty = run('git', ['status', '--porcelain']).trim();
  if (dirty !== '') throw new Error(`the tree has changes that are not committed:\n${dirty}`);
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

function hasBuildah(): boolean {
  try {
    run('buildah', ['--version']);
    return true;
  } catch {
    console.log('no image: there is no buildah here');
    return false;
  }
}

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
  const folder = join(root, 'build/release');
  try {
    for (const name of makeRelease({ folder, version: clone.version, dryRun: values['dry-run'] })) {
      console.log(`build/release/${name}  ${(statSync(join(folder, name)).size / 1e6).toFixed(2)} MB`);
    }
  } catch (error) {
    console.error(`No release: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
