// `npm run build:page` writes dist/review.html: the review as one file, with its style, its script, its worker and a sample plan in
// it. `node packages/review-page/build.ts FILE` writes another file.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { capabilities } from '@gatehouse/core/values';
import { build, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The look of the pages of Gatehouse, then what this page adds to it. */
const sheets = ['sheet', 'forms', 'lists', 'runs'].map(
  (name) => `packages/host/src/pages/assets/${name}.css`,
);

/** Libraries that the core loads when it needs them are part of the page; messages of schemas come in English alone. */
const forPages: Plugin = {
  name: 'for pages',
  setup({ onLoad }) {
    onLoad({ filter: /core\/src\/.*-librar(?:y|ies)\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replace("import { createRequire } from 'node:module';\n", '')
        .replace('const require = createRequire(import.meta.url);\n', ''),
      loader: 'ts',
    }));
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** Bundles a module and all that it imports. @throws Error with what cannot be bundled, such as a module of Node.js */
async function bundled(entry: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(root, 'packages/review-page/src', entry)],
    absWorkingDir: root,
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2024',
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    write: false,
    metafile: true,
    // Of the core, some files need Node.js. None of them may be left once what is not used is gone.
    external: ['node:*'],
    logLevel: 'silent',
    plugins: [forPages],
  });
  const outward = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  if (outward.length > 0) throw new Error(`${entry} needs what no browser has: ${outward.join(', ')}`);
  return outputFiles[0]?.text ?? '';
}

/** A script as HTML takes it: nothing in it ends the element, or begins a comment. In strings and patterns, both mean the same. */
function inElement(script: string): string {
  return script.replaceAll(/<(?=!--|\/?script)/gi, '\\x3C');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** The page, as one file. */
export async function reviewPage(): Promise<string> {
  const [worker, script] = await Promise.all(['worker.ts', 'view/main.ts'].map(bundled));
  const style = [...sheets, 'packages/review-page/src/page.css']
    .map(read)
    .join('\n')
    .replaceAll(/\n\s*/g, '\n');
  const own = inElement(script ?? '');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(own)}`,
    `style-src ${hashOf(style)}`,
    'worker-src blob:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const values: Record<string, string> = {
    policy,
    style,
    capabilities: capabilities
      .map((capability) => `<option${capability === 'read' ? ' selected' : ''}>${capability}</option>`)
      .join(''),
    sample: inElement(JSON.stringify(JSON.parse(read('examples/plans/terraform-plan.json')))),
    worker: inElement(worker ?? ''),
    script: own,
  };
  return read('packages/review-page/src/page.html').replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
}

if (import.meta.main) {
  const [target = join(root, 'dist/review.html')] = process.argv.slice(2);
  const page = await reviewPage();
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, page);
}
