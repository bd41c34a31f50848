import { readFile } from 'node:fs/promises';
import type { Route } from '@gatehouse/run-tasks';

/** Where the page is: in the package next to its modules, in a clone where `npm run build:page` writes it. */
const places = ['../../../../review.html', '../../../../dist/review.html'].map(
  (path) => new URL(path, import.meta.url),
);
const notBuilt = 'The page is not built here. Build it with: npm run build:page\n';

/**
 * The page that reviews a plan in the browser. It takes no part in the gate: it asks no one who looks at it, and is sandboxed, as
 * of another origin. A script in it could neither read what the gate's pages store nor send anything.
 *
 * @param files where the page may be: the first that can be read. Defaults to where it is built.
 */
export function reviewPageRoute(files: readonly URL[] = places): Route {
  return {
    method: 'GET',
    path: '/review',
    answer: async () => {
      const page = await readPage(files);
      const common = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' };
      if (page !== undefined) return { status: 200, headers: { ...common, ...headersOf(page) }, body: page };
      return {
        status: 404,
        headers: { ...common, 'content-type': 'text/plain; charset=utf-8' },
        body: notBuilt,
      };
    },
  };
}

async function readPage(files: readonly URL[]): Promise<string | undefined> {
  for (const file of files) {
    const page = await readFile(file, 'utf8').catch(() => undefined);
    if (page !== undefined) return page;
  }
  return undefined;
}

/** The policy that the page itself has, and what only a header can say. */
function headersOf(page: string): Record<string, string> {
  const [, policy = "default-src 'none'"] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `${policy}; sandbox allow-scripts; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  };
}
