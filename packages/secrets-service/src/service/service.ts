import type { AuditLog } from '../audit/audit-log.ts';
import { auditPaths } from '../audit/audit-paths.ts';
import { audited } from '../audit/audited.ts';
import { configPath } from '../auth/config-path.ts';
import { createTokenPaths } from '../auth/create-token-paths.ts';
import { Issuers } from '../auth/issuers.ts';
import { loginPath } from '../auth/login-path.ts';
import { oidcPaths } from '../auth/oidc-paths.ts';
import { PendingLogins } from '../auth/pending-logins.ts';
import { rolePaths } from '../auth/role-paths.ts';
import { tokenPaths } from '../auth/token-paths.ts';
import type { DirectoryAddresses } from '../auth/workspace-suite.ts';
import { entityPaths } from '../identity/entity-paths.ts';
import { groupPaths } from '../identity/group-paths.ts';
import { messagePaths, uiMessagePaths } from '../messages/message-paths.ts';
import { metricsPath, RequestMetrics } from '../metrics/request-metrics.ts';
import { mountListPaths } from '../mounts/built-in-mounts.ts';
import { mountPaths } from '../mounts/mount-paths.ts';
import { aclOf, authenticate, needsSudo, pathSeenBy } from '../policies/acl-of.ts';
import { capabilitiesPaths } from '../policies/capabilities-paths.ts';
import { policyPaths } from '../policies/policy-paths.ts';
import { statusOf } from '../protocol/answer.ts';
import { FieldRefusal } from '../protocol/fields.ts';
import type { Handler, Reply, RequestContext, SecretsPath, SecretsRequest } from '../protocol/path.ts';
import { oneError, RequestRefusal } from '../protocol/refusal.ts';
import { enterNamespaces, namespaceExists } from '../storage/namespace.ts';
import type { Storage } from '../storage/storage.ts';
import { namespacePaths } from '../system/namespace-paths.ts';
import { statusPaths } from '../system/status-paths.ts';
import { uiPaths } from '../system/ui-paths.ts';
import type { StoredToken } from '../tokens/token.ts';
import { putToken, revokeToken } from '../tokens/token-store.ts';
import { openApiDocumentPath } from './openapi.ts';
import { type MatchedRoute, noParameters, Router } from './router.ts';

interface PathsArgs {
  /** Receives what callers are not told; never a secret. Defaults to nothing. */
  log?: (message: string) => void;
  /** Where sign-ins look up groups and attributes. Defaults to the public addresses of each directory. */
  directories?: DirectoryAddresses;
  /** Log of requests and responses. Defaults to none. */
  audit?: AuditLog;
}

interface SecretsServiceArgs extends PathsArgs {
  storage: Storage;
  /** Nanoseconds since 1970. */
  now: () => bigint;
}

/** Every path of the service. OIDC logins in progress and issuers' keys are kept in memory for these paths. */
export function secretsPaths(
  { log = () => {}, directories = {}, audit }: PathsArgs = {},
  metrics = new RequestMetrics(),
): SecretsPath[] {
  const issuers = new Issuers();
  const paths: SecretsPath[] = [
    ...statusPaths,
    ...createTokenPaths,
    ...tokenPaths,
    ...policyPaths,
    ...capabilitiesPaths,
    ...namespacePaths,
    ...mountPaths,
    ...rolePaths,
    configPath(issuers),
    loginPath(issuers, directories),
    ...oidcPaths({ issuers, directories, pending: new PendingLogins(), log }),
    ...mountListPaths,
    ...uiPaths,
    ...groupPaths,
    ...entityPaths,
    ...messagePaths,
    ...uiMessagePaths,
    ...auditPaths(audit),
    metricsPath(metrics),
  ];
  return [...paths, openApiDocumentPath(paths)];
}

/** The secrets service without its HTTP: authenticates, authorizes and answers requests. */
export class SecretsService {
  readonly #storage: Storage;
  readonly #now: () => bigint;
  readonly #router: Router;
  readonly #metrics = new RequestMetrics();
  readonly #audit: AuditLog | undefined;
  readonly #log: (message: string) => void;

  constructor({ storage, now, log = () => {}, ...args }: SecretsServiceArgs) {
    this.#storage = storage;
    this.#now = now;
    this.#audit = args.audit;
    this.#log = log;
    this.#router = new Router(secretsPaths({ log, ...args }, this.#metrics));
  }

  /** @throws {RequestRefusal} */
  async handle(request: SecretsRequest): Promise<Reply> {
    const storage = this.#storage;
    this.#metrics.begin();
    let route: MatchedRoute | undefined;
    let reply: Reply | undefined;
    let status = 500;
    try {
      if (!namespaceExists({ storage, namespace: request.namespace }))
        throw new RequestRefusal(404, 'namespace not found');
      const inside = enterNamespaces({ storage, namespace: request.namespace }, request.path);
      route = this.#router.find({ storage, namespace: inside.namespace }, inside.path);
      if (request.isFolder && request.operation === 'update' && !route?.path.slashCounts) {
        throw new RequestRefusal(400, "cannot write to a path ending in '/'");
      }
      const { parameters = noParameters } = route ?? {};
      reply = await this.#respond({ ...request, ...inside, parameters, storage, now: this.#now() }, route);
      status = statusOf(reply);
      return reply;
    } catch (error) {
      if (error instanceof RequestRefusal) status = error.status;
      throw error;
    } finally {
      this.#metrics.end(request, status, reply, signInMount(route, request));
    }
  }

  async #respond(context: RequestContext, route: MatchedRoute | undefined): Promise<Reply> {
    const { storage } = context;
    const admit = () => {
      if (route?.path.unauthenticated) return;
      context.caller = use(storage, authenticate(context));
      authorize(context, context.caller, route);
    };
    const answer = () => this.#answer(context, route);
    try {
      return await audited({ audit: this.#audit, context, admit, answer, log: this.#log });
    } finally {
      const { caller } = context;
      // This was the token's last use.
      if (caller !== undefined && caller.usesLeft < 0) {
        storage.transaction(() => revokeToken(storage, caller.hash));
      }
    }
  }

  async #answer(context: RequestContext, route: MatchedRoute | undefined): Promise<Reply> {
    const { path, operation } = context;
    if (route === undefined && !this.#router.answersBelow(context, path)) {
      throw new RequestRefusal(404, `no handler for route "${path}". route entry not found.`);
    }
    if (route === undefined) throw new RequestRefusal(404, oneError('unsupported path'));
    const pathOperation = route.path.operations[operation];
    if (pathOperation !== undefined) return answerOf(pathOperation.handle, context, route.path);
    // Real servers look for a list below the path, where there is nothing, unless a path of any length goes on there.
    const goesOn = route.path.pattern.endsWith('+');
    if (operation === 'list' && !goesOn) throw new RequestRefusal(404, oneError('unsupported path'));
    const text = 'unsupported operation';
    throw new RequestRefusal(405, route.path.unauthenticated ? text : oneError(text));
  }
}

/** Real servers add no prefix on paths that ask whether something exists: these read their fields earlier. */
async function answerOf(handler: Handler, context: RequestContext, path: SecretsPath): Promise<Reply> {
  try {
    return await context.storage.transaction(() => handler(context));
  } catch (error) {
    if (!(error instanceof FieldRefusal) || path.exists !== undefined) throw error;
    throw new RequestRefusal(error.status, `Field validation failed: ${error.errors[0]}`);
  }
}

function use(storage: Storage, token: StoredToken): StoredToken {
  if (token.usesLeft === 0) return token;
  // Negative: another request is making the last use.
  if (token.usesLeft < 0) throw new RequestRefusal(403, 'permission denied');
  const used = { ...token, usesLeft: token.usesLeft === 1 ? -1 : token.usesLeft - 1 };
  putToken(storage, used);
  return used;
}

function authorize(context: RequestContext, caller: StoredToken, route: MatchedRoute | undefined): void {
  const { storage, now, namespace, path, operation, body, isFolder } = context;
  const isNew = operation === 'update' && route?.path.exists?.(context) === false;
  const seen = pathSeenBy(caller, namespace, path);
  const access = {
    path: seen ?? '',
    capability: isNew ? ('create' as const) : operation,
    isFolder: operation === 'list' || (isFolder && route?.path.slashCounts === true),
  };
  const isAllowed =
    seen !== undefined &&
    aclOf(storage, now, caller).allows({ ...access, needsSudo: needsSudo(path), parameters: body });
  if (!isAllowed) throw new RequestRefusal(403, oneError('permission denied'));
  context.granted = access;
}

const signInEnds = ['update auth/{mount}/login', 'read auth/{mount}/oidc/callback'];

/** Path of the auth method if the request completes a sign-in. */
function signInMount(
  route: MatchedRoute | undefined,
  { operation, namespace }: SecretsRequest,
): string | undefined {
  const isEnd = signInEnds.includes(`${operation} ${route?.path.pattern}`);
  const mount = route?.parameters.mount;
  return isEnd ? (namespace === '' ? mount : `${namespace}/${mount}`) : undefined;
}
