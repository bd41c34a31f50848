import { identityPath } from '@gatehouse/core/environment';
import {
  adoptedSettings,
  methodConfigFromWire,
  type ProviderKind,
  providerKinds,
} from '@gatehouse/core/graph';
import { findAsset, type PageAnswer, Visits } from '@gatehouse/host';
import { configData, getConfig } from '../auth/config.ts';
import { groupNames } from '../identity/group.ts';
import { methods } from '../mounts/mount.ts';
import type { HttpRequest } from '../protocol/read-request.ts';
import { RequestRefusal } from '../protocol/refusal.ts';
import type { SecretsService } from '../service/service.ts';
import type { Space, Storage } from '../storage/storage.ts';
import { accountPages } from './account-pages.ts';
import { createAsk, isTokenRefused, type PageCaller, refusalText } from './ask.ts';
import {
  type Page,
  type PageRequest,
  readPageRequest,
  type SignedInVisit,
  site,
  type UiVisit,
} from './page.ts';
import { reachPages } from './reach-page.ts';
import { signInPages } from './sign-in-pages.ts';

const signedInPages: Page<SignedInVisit>[] = [...accountPages, ...reachPages];

interface UiArgs {
  service: SecretsService;
  storage: Storage;
  /** Nanoseconds since 1970. */
  now: () => bigint;
  /** Whether browsers reach the service over TLS. */
  secure: boolean;
}

export class Ui {
  readonly #args: UiArgs;
  readonly #visits: Visits<Required<PageCaller>>;

  constructor(args: UiArgs) {
    this.#args = args;
    const now = () => Number(args.now() / 1_000_000n);
    this.#visits = new Visits({ site, secure: args.secure, cookie: 'gatehouse', now });
  }

  async answer(httpRequest: HttpRequest): Promise<PageAnswer> {
    try {
      const request = readPageRequest(httpRequest, this.#args.secure);
      const asset = findAsset(/^assets\/([^/]+)$/.exec(request.path)?.[1] ?? '');
      if (asset !== undefined) return { status: 200, headers: { ...asset.headers }, body: asset.body };
      return await this.#page(request);
    } catch (error) {
      if (error instanceof RequestRefusal) return refused(error);
      throw error;
    }
  }

  async #page(request: PageRequest): Promise<PageAnswer> {
    const now = this.#args.now();
    const { cookies, method, form } = request;
    return await this.#visits.answer({ cookies, ...(method === 'POST' && { form }) }, (browser) => {
      const askAs = (caller: PageCaller) => createAsk(this.#args.service, caller, request.remoteAddress);
      const kindsIn = (namespace: string) => methodKinds({ storage: this.#args.storage, namespace });
      const groupsOf = (namespace: string, entity: string) =>
        groupNames({ storage: this.#args.storage, namespace }, entity);
      return answerTo({ ...browser, request, now, askAs, kindsIn, groupsOf });
    });
  }
}

/** The kinds of the providers behind the auth methods of a namespace, by path, that fit their configuration best. */
function methodKinds(space: Space): Map<string, ProviderKind> {
  return new Map(
    methods.all(space).flatMap((mount) => {
      const { path, type } = mount;
      const config = type === 'oidc' || type === 'jwt' ? getConfig(space, mount) : undefined;
      if (config === undefined) return [];
      const methodConfig = methodConfigFromWire(configData(config));
      const issuer = methodConfig.oidcDiscoveryUrl ?? methodConfig.boundIssuer ?? '';
      const [settings] = adoptedSettings({ path, type, config: methodConfig }, []);
      const kind = playedKind(issuer) ?? settings?.kind;
      return kind === undefined ? [] : [[path, kind] as const];
    }),
  );
}

/** The kind that the embedded identity provider plays at an issuer; undefined for any other. */
function playedKind(issuer: string): ProviderKind | undefined {
  const { hostname = '', pathname = '' } = URL.parse(issuer) ?? {};
  if (hostname !== '127.0.0.1') return undefined;
  return providerKinds.find((kind) => `${pathname}/`.startsWith(`${identityPath(kind).replace(/\/$/, '')}/`));
}

async function answerTo(visit: UiVisit): Promise<PageAnswer> {
  const signInAnswer = answerFrom(signInPages, visit);
  if (signInAnswer !== undefined) return await signInAnswer();
  const { person } = visit;
  // Only people who are signed in learn whether a page exists.
  if (person === undefined) return site.seeOther('/ui/sign-in');
  const { namespace } = person;
  try {
    const answer = answerFrom(signedInPages, { ...visit, person, namespace, ask: visit.askAs(person) });
    if (answer === undefined) throw new RequestRefusal(404);
    return await answer();
  } catch (error) {
    if (!isTokenRefused(error)) throw error;
    visit.signOut();
    return site.seeOther('/ui/sign-in?notice=ended');
  }
}

function answerFrom<Of extends UiVisit>(
  pages: Page<Of>[],
  visit: Of,
): (() => Promise<PageAnswer> | PageAnswer) | undefined {
  for (const { pattern, get, post } of pages) {
    const match = pattern.exec(visit.request.path);
    const answer = visit.request.method === 'POST' ? post : get;
    if (match === null) continue;
    if (answer === undefined) throw new RequestRefusal(405);
    return () => answer(visit, { ...match.groups });
  }
  return undefined;
}

const titles: Record<number, [title: string, explanation: string]> = {
  403: ['Not allowed', 'Your policies do not allow this.'],
  404: ['Page not found', 'There is no such page, or what it showed is gone.'],
  405: ['Page not found', 'This page does not do that.'],
  413: ['Too large', 'The form is larger than the service accepts.'],
  415: ['Not a form', 'The service accepts forms from its own pages only.'],
};

function refused(refusal: RequestRefusal): PageAnswer {
  const [title, explanation] = titles[refusal.status] ?? ['Not done', refusalText(refusal)];
  return site.problem(title, explanation, refusal.status);
}
