import { methodAt, roleNamed } from '../../graph/parts-by-name.ts';
import type { Role } from '../../graph/resources/role.ts';
import { roleSubject } from '../../graph/subject.ts';
import { isLoopback } from '../../graph/values/loopback.ts';
import { type ChangeRule, type GraphRule, type PartRule, partRule, roleRule } from './rule.ts';

/** Rules over where a provider may send browsers back to. */
export const redirectUriRules: GraphRule[] = [
  {
    id: 'redirect-uri-missing',
    severity: 'error',
    about: 'An oidc role without a redirect URI for the command line or for the pages.',
    check: ({ roles, methods }) =>
      roles
        .filter(({ roleType }) => roleType === 'oidc')
        .flatMap((role) => {
          const uris = (role.allowedRedirectUris ?? []).flatMap((text) => URL.parse(text) ?? []);
          // A server compares without the namespace that travels in the state: an allowed URI with one never matches.
          const inState = methodAt(methods, role.method)?.config.namespaceInState !== false;
          // Or the one to which a provider posts its answer (`form_post`).
          const isPages = ({ pathname, searchParams }: URL) =>
            pathname.endsWith(`/auth/${role.method}/oidc/callback`) &&
            !(inState && searchParams.has('namespace'));
          const missing = [
            ...(uris.some(isCommandLine) ? [] : ['the command line (http://localhost:8250/oidc/callback)']),
            ...(uris.some(isPages) ? [] : ['the service’s pages']),
          ];
          if (missing.length === 0) return [];
          return {
            subject: roleSubject(role, 'allowedRedirectUris'),
            message: `No redirect URI is for ${missing.join(' or ')}. People cannot sign in there.`,
            fix: `Allow it; the pages use <address>/ui/vault/auth/${role.method}/oidc/callback.`,
          };
        }),
  },
  uriRule({
    id: 'redirect-uri-other-method',
    severity: 'error',
    about: 'A redirect URI that names the path of another auth method.',
    isWrong: ({ uri, method }) => (methodOf(uri) ?? method) !== method,
    message: ({ text, uri, method }) =>
      `Redirect URI ${text} belongs to auth/${methodOf(uri)}, and the role to auth/${method}. The pages answer with the wrong method, and the sign-in fails.`,
    fix: ({ method }) => `Use auth/${method} in it, here and at the provider.`,
  }),
  uriRule({
    id: 'redirect-uri-plain-http',
    severity: 'error',
    about: 'A redirect URI of plain http on a host that is not loopback.',
    isWrong: ({ uri }) => uri.protocol === 'http:' && !isLoopback(uri),
    message: ({ text }) =>
      `Redirect URI ${text} is plain http. Sign-in codes would cross the network unencrypted, and providers refuse it.`,
    fix: 'Use https.',
  }),
  uriRule({
    id: 'redirect-uri-other-host',
    severity: 'warning',
    about: 'A redirect URI on a host that is not the service’s.',
    isWrong({ uri }, { service }) {
      if (service === undefined) return false;
      const { address, uiAddress = address, platformAddress = address } = service;
      const own = [address, uiAddress, platformAddress].map((url) => URL.parse(url)?.origin);
      return !own.includes(uri.origin) && !(isLoopback(uri) && methodOf(uri) === undefined);
    },
    message: ({ text }) =>
      `Redirect URI ${text} leads to a host that is not this service’s. The owner of that host gets sign-in codes.`,
    fix: 'Remove it, or set uiAddress or platformAddress under gatehouse:service if pages are served there.',
  }),
  roleRule({
    id: 'form-post-callback',
    severity: 'warning',
    about: '`form_post` without the callback to which a provider posts.',
    field: 'allowedRedirectUris',
    isWrong: ({ method, roleType, allowedRedirectUris = [] }, { config }) =>
      config.oidcResponseMode === 'form_post' &&
      roleType === 'oidc' &&
      !allowedRedirectUris.some((uri) => uri.endsWith(`/v1/auth/${method}/oidc/callback`)),
    message:
      'The provider posts its answer to the service’s own address, because browser pages cannot receive it. The role does not allow that address.',
    fix: ({ method }) => `Allow https://<host>/v1/auth/${method}/oidc/callback, here and at the provider.`,
  }),
];

export const redirectHostAdded: ChangeRule = {
  id: 'redirect-host-added',
  severity: 'warning',
  about: 'A redirect URI on a host that the role did not allow before.',
  check: ({ before, after }) =>
    after.roles.flatMap((role) => {
      const roleBefore = roleNamed(before.roles, role);
      if (roleBefore === undefined) return [];
      const known = hostsOf(roleBefore);
      return [...hostsOf(role)]
        .filter((host) => !known.has(host))
        .map((host) => ({
          subject: roleSubject(role, 'allowedRedirectUris'),
          message: `Sign-ins may now redirect to ${host}. The owner of that host gets their codes.`,
          fix: 'Check that the host is yours and registered at the provider.',
        }));
    }),
};

function hostsOf({ allowedRedirectUris = [] }: Role): Set<string> {
  return new Set(allowedRedirectUris.flatMap((text) => URL.parse(text)?.host ?? []));
}

interface RedirectUri {
  text: string;
  uri: URL;
  /** Path of the auth method of its role. */
  method: string;
}

/** A rule over each redirect URI of a role. Texts that are no URL are not looked at. */
function uriRule(rule: PartRule<RedirectUri>): GraphRule {
  return partRule(rule, ({ roles }) =>
    roles.flatMap((role) =>
      (role.allowedRedirectUris ?? []).flatMap((text) => {
        const uri = URL.parse(text);
        const subject = () => roleSubject(role, 'allowedRedirectUris');
        return uri === null ? [] : { part: { text, uri, method: role.method }, path: role.method, subject };
      }),
    ),
  );
}

/** Whether the command line waits there: on loopback, whatever the port, as the service compares it. */
function isCommandLine(uri: URL): boolean {
  return isLoopback(uri) && uri.pathname === '/oidc/callback';
}

/** Path of the auth method that a URI of the pages, or of the service itself, names. */
function methodOf({ pathname }: URL): string | undefined {
  return /^\/(?:ui\/[^/]+|v1)\/auth\/(.+)\/oidc\/callback$/.exec(pathname)?.[1];
}
