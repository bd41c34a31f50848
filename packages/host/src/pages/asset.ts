import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file that pages use. Its name contains a hash of its content, so browsers can cache it forever. */
interface Asset {
  name: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

function asset(name: string, type: string, files: string[]): Asset {
  const body = Buffer.concat(files.map((file) => readFileSync(new URL(`./assets/${file}`, import.meta.url))));
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12);
  return {
    name: name.replace('.', `.${hash}.`),
    headers: {
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    },
    body,
  };
}

export const style = asset('style.css', 'text/css; charset=utf-8', [
  'sheet.css',
  'forms.css',
  'lists.css',
  'announcements.css',
  'runs.css',
  'run.css',
]);
export const script = asset('script.js', 'text/javascript; charset=utf-8', ['script.js', 'live.js']);
export const icon = asset('icon.svg', 'image/svg+xml', ['icon.svg']);

/** The style sheet, script or icon of that name. */
export function findAsset(name: string): Asset | undefined {
  return [style, script, icon].find((file) => file.name === name);
}
