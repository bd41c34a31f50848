import { GatehouseError } from '@gatehouse/core/values';

/** Redirects in a row; a sign-in needs two. */
const redirectLimit = 5;

export interface PersonSignIn {
  /** From the secrets service's `oidc/auth_url`. */
  authUrl: string;
  username: string;
}

/**
 * Signs a person in at the embedded identity provider without a browser. Resolves with the redirect back to the client,
 * whose query holds `code` and `state`. Errors: `auth_url_invalid`, `person_unknown`, `sign_in_refused`.
 */
export async function signIn({ authUrl, username }: PersonSignIn): Promise<{ redirectUrl: string }> {
  const back = URL.parse(URL.parse(authUrl)?.searchParams.get('redirect_uri') ?? '');
  if (back === null) {
    throw new GatehouseError('auth_url_invalid.other', {
      given: authUrl === '' ? 'nothing' : 'a URL without a redirect_uri',
    });
  }
  const cookies = new Map<string, string>();

  async function send(url: string, body?: URLSearchParams): Promise<Response> {
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      body,
      headers: {
        Accept: 'application/json',
        Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
      redirect: 'manual',
    });
    // Paths and ages of cookies do not matter: a sign-in is short and at one issuer.
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  }

  async function follow(from: string): Promise<{ url: string; page?: Response }> {
    let url = from;
    for (let count = 0; count < redirectLimit; count += 1) {
      if (leadsTo(url, back)) return { url };
      const response = await send(url);
      const next = redirect(response, url);
      if (next === undefined) return { url, page: response };
      url = next;
    }
    throw refused('it redirects endlessly');
  }

  const question = await follow(authUrl);
  if (question.page === undefined) return arrived(question.url);
  if (!question.page.ok) throw refused(await question.page.text());
  await question.page.body?.cancel();

  const answer = await send(question.url, new URLSearchParams({ username }));
  await answer.body?.cancel();
  const next = redirect(answer, question.url);
  if (next === undefined) {
    throw new GatehouseError('person_unknown', { given: username });
  }

  const end = await follow(next);
  if (end.page !== undefined) throw refused(await end.page.text());
  return arrived(end.url);
}

function leadsTo(url: string, back: URL | null): boolean {
  const { origin, pathname } = new URL(url);
  return origin === back?.origin && pathname === back.pathname;
}

function redirect(response: Response, from: string): string | undefined {
  const location = response.headers.get('location');
  return location === null ? undefined : new URL(location, from).href;
}

function arrived(redirectUrl: string): { redirectUrl: string } {
  const { search, hash } = new URL(redirectUrl);
  // The implicit flow returns errors in the fragment.
  const answer = new URLSearchParams(search === '' ? hash.slice(1) : search);
  if (!answer.has('error')) return { redirectUrl };
  throw refused(`${answer.get('error')}: ${answer.get('error_description')}`);
}

function refused(answer: string): GatehouseError {
  return new GatehouseError('sign_in_refused', { given: answer.slice(0, 300) });
}
