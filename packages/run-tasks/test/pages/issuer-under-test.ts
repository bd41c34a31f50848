import { runPagesIssuerCallback } from '../../../core/src/environment/redirect-uris.ts';
import { type HttpBrowser, providerLinkIn, textIn } from '../../../secrets-service/test/ui/http-browser.ts';
import { type IssuerSettings, IssuerSignIn } from '../../src/pages/issuer-sign-in.ts';
import { type Pages, startPages } from './page-server.ts';

export interface IssuerUnderTest {
  pages: Pages;
  /** The clock of the pages, in milliseconds. */
  clock: { now: number };
}

/** The pages with an issuer of their own, whose client is `gatehouse`, unless it is given. */
export async function startWithIssuer(
  settings: Pick<IssuerSettings, 'issuer' | 'groups'> & Partial<IssuerSettings>,
  options: { trustedProxies?: string[] } = {},
): Promise<IssuerUnderTest> {
  const clock = { now: Date.now() };
  const now = () => clock.now;
  let address = '';
  const issuer = new IssuerSignIn({
    settings: {
      clientId: 'gatehouse',
      clientSecret: 'a secret',
      userClaim: 'sub',
      groupsClaim: 'groups',
      scopes: [],
      ...settings,
    },
    redirectUri: () => `${address}${runPagesIssuerCallback}`,
    now,
  });
  const pages = await startPages({ issuer, now, ...options });
  address = pages.address;
  return { pages, clock };
}

/** Where the page leads that people see on the way to the issuer. */
export async function beginAtIssuer(browser: HttpBrowser, fields: Record<string, string> = {}): Promise<URL> {
  const shown = await browser.submit('/ui/sign-in/issuer', fields);
  const url = URL.parse(providerLinkIn(shown));
  if (url === null) throw new Error(`${shown.status} ${textIn(shown.text)}`);
  return url;
}

export function pathOf(redirectUrl: string): string {
  const { pathname, search } = new URL(redirectUrl);
  return `${pathname}${search}`;
}
