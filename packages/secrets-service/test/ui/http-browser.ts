/** A browser without scripts: it keeps cookies, follows redirects within the site and sends forms. */
export class HttpBrowser {
  readonly cookies = new Map<string, string>();
  /** Every `Set-Cookie` received. */
  readonly setCookies: string[] = [];
  readonly address: string;

  constructor(address: string) {
    this.address = address;
  }

  /** Fetches a page without following redirects. */
  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { Accept: 'text/html', Cookie: cookie, ...(init.headers as Record<string, string>) };
    const url = path.startsWith('/') ? `${this.address}${path}` : path;
    const response = await fetch(url, { redirect: 'manual', ...init, headers });
    for (const given of response.headers.getSetCookie()) {
      this.setCookies.push(given);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(given) ?? [];
      this.cookies.set(name, value);
    }
    return response;
  }

  /** Opens a page; follows redirects. */
  async visit(path: string): Promise<Shown> {
    return this.#follow(await this.send(path));
  }

  /** Sends a form with this browser's form token. */
  async submit(path: string, fields: Record<string, string> = {}): Promise<Shown> {
    return this.#follow(await this.post(path, { form_token: await this.formToken(), ...fields }));
  }

  post(path: string, fields: Record<string, string>): Promise<Response> {
    return this.send(path, { method: 'POST', body: new URLSearchParams(fields) });
  }

  /** The form token, from a page that is always available. */
  async formToken(): Promise<string> {
    const { text } = await this.visit('/ui/sign-in');
    return /name="form_token" value="([\w-]+)"/.exec(text)?.[1] ?? '';
  }

  async signIn(token: string, namespace = ''): Promise<Shown> {
    return this.submit('/ui/sign-in/token', { token, namespace });
  }

  async #follow(first: Response): Promise<Shown> {
    let response = first;
    let path = '';
    for (let count = 0; count < 5 && response.headers.has('location'); count += 1) {
      path = response.headers.get('location') ?? '';
      response = await this.send(path);
    }
    return { status: response.status, path, text: await response.text() };
  }
}

export interface Shown {
  status: number;
  /** Where the last redirect led; empty without one. */
  path: string;
  text: string;
}

/** Where the page leads that people see on the way to a provider. */
export function providerLinkIn({ text }: Shown): string {
  return textIn(/<a class="button primary" href="([^"]*)"/.exec(text)?.[1] ?? '');
}

/** The text of alerts and field errors. */
export function problemsIn({ text }: Shown): string[] {
  return [
    ...text.matchAll(
      /<(?:div class="notice alarm" role="alert">\s*<p>|p class="error" id="[^"]*">)([\s\S]*?)<\/p>/g,
    ),
  ].map(([, inner = '']) => textIn(inner));
}

/** Markup as text. */
export function textIn(markup: string): string {
  return unescaped(markup.replace(/<[^>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim();
}

function unescaped(markup: string): string {
  return markup.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}
