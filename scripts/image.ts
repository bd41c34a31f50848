// Builds the container image from the packed file: `node scripts/image.ts PACKED.tgz [IMAGE.tar]`, by default to
// build/release/gatehouse-image.tar. Needs Debian, its buildah, and npm's registry or cache.
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './package.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Writes the image as an archive that `docker load` and `podman load` take: Docker's, as OCI's has no health check.
 *
 * @param packed path of `gatehouse` as npm packs it
 * @returns the image's name, with its version
 * @throws Error with the output of npm or buildah
 */
export function buildImage(packed: string, archive: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-image-'));
  try {
    const context = join(folder, 'context');
    addBase(join(context, 'base'));
    addPackage(context, packed);
    mkdirSync(join(context, 'data'));
    return buildArchive(folder, context, archive);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Node.js, the libraries that it loads, from the Debian of this machine, and the files that these read. */
function addBase(base: string): void {
  const node = join(root, 'node_modules/node/bin/node');
  const inImage = join(base, 'usr/local/bin/node');
  copy(node, inImage);
  chmodSync(inImage, 0o755);
  const libraries = [...run('ldd', [node]).matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
  for (const library of libraries) copy(library, join(base, library));
  for (const name of new Set(libraries.map(packageOf))) {
    // Where scanners look for packages in an image without a package manager.
    write(join(base, 'var/lib/dpkg/status.d', name), run('dpkg-query', ['-s', name]));
    copy(`/usr/share/doc/${name}/copyright`, join(base, `usr/share/doc/${name}/copyright`));
  }
  copy('/etc/os-release', join(base, 'etc/os-release'));
  const nobodyElse = 'gatehouse:x:65532:65532::/data:/sbin/nologin\n';
  write(join(base, 'etc/passwd'), `root:x:0:0:root:/:/sbin/nologin\n${nobodyElse}`);
  write(join(base, 'etc/group'), 'root:x:0:\ngatehouse:x:65532:\n');
  write(join(base, 'etc/nsswitch.conf'), 'hosts: files dns\n');
}

/** The package of Debian that a library is from. */
function packageOf(library: string): string {
  // `/lib` links to `/usr/lib`; dpkg knows a file by one of the two names.
  for (const name of [library, `/usr${library}`]) {
    try {
      return run('dpkg-query', ['-S', name]).split(':')[0] ?? '';
    } catch {
      // Its other name.
    }
  }
  throw new Error(`${library} is from no package of Debian`);
}

function addPackage(context: string, packed: string): void {
  writeFileSync(join(context, 'package.json'), '{}');
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  run('npm', ['install', '--omit=dev', ...quiet, resolve(packed)], context);
}

function buildArchive(folder: string, context: string, archive: string): string {
  const described = readFileSync(join(context, 'node_modules/gatehouse-login/package.json'), 'utf8');
  const { name, version } = JSON.parse(described);
  const tag = `${name}:${version}`;
  const [revision = '', time = ''] = run('git', ['log', '-1', '--format=%H %ct']).trim().split(' ');
  const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')];
  const values = ['--build-arg', `VERSION=${version}`, '--build-arg', `REVISION=${revision}`];
  const options = ['--format', 'docker', '--isolation', 'chroot', '--timestamp', time, '--tag', tag];
  const file = join(root, 'scripts/Containerfile');
  run('buildah', [...store, 'build', '--quiet', ...options, ...values, '--file', file, context]);
  mkdirSync(dirname(archive), { recursive: true });
  rmSync(archive, { force: true });
  run('buildah', [...store, 'push', '--quiet', tag, `docker-archive:${resolve(archive)}:${tag}`]);
  return tag;
}

function copy(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(source, target);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

if (import.meta.main) {
  const [packed, archive = join(root, 'build/release/gatehouse-image.tar')] = process.argv.slice(2);
  if (packed === undefined) {
    console.error('usage: node scripts/image.ts PACKED.tgz [IMAGE.tar]');
    process.exit(1);
  }
  const tag = buildImage(packed, archive);
  console.log(`${relative(process.cwd(), archive)}: ${tag}`);
}
