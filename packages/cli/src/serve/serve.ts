import { runPagesCallback, runPagesIssuerCallback } from '@gatehouse/core/environment';
import type { signerOf } from '@gatehouse/core/statement';
import { GatehouseError } from '@gatehouse/core/values';
import {
  Callers,
  checkStorable,
  type Database,
  deliveriesPath,
  type Endpoint,
  gateRoutes,
  Integrator,
  type IssuerSettings,
  IssuerSignIn,
  integratorRoutes,
  loggedError,
  Metrics,
  makeTables,
  Notices,
  Outbound,
  openDatabase,
  Platform,
  ProviderSignIn,
  Queue,
  type Route,
  startRetention,
  startRunTaskServer,
  Watch,
  WatchStore,
  watchedPath,
} from '@gatehouse/run-tasks';
import { platformAddress } from '@gatehouse/run-tasks/client';
import { namespaceOf } from '@gatehouse/service-client';
import pino, { type Logger } from 'pino';
import { openService } from '../open/open-client.ts';
import { declaredKinds } from './declared-kinds.ts';
import { FollowedLogs } from './followed-logs.ts';
import { OpenedParts } from './opened-parts.ts';
import { PlanReviewer, smallPlan } from './plan-reviewer.ts';
import { planningReaches } from './planning.ts';
import { platformWork } from './platform-work.ts';
import { reviewPageRoute } from './review-page.ts';
import { runTaskReview } from './review-run-task.ts';
import { type WatchedStacksArgs, watchedStacks } from './watched-stacks.ts';

interface ServeArgs {
  /** The folder of `Pulumi.yaml`: for endpoints with a stack, and for deployments. */
  directory: string;
  /** `VAULT_ADDR`, `DATABASE_URL`, and whatever stacks and their service need. */
  env: NodeJS.ProcessEnv;
  /** Folder for local state: the store is here without `DATABASE_URL`. */
  home: string;
  endpoints: readonly Endpoint[];
  /** 0 lets the system choose. */
  port: number;
  host: string;
  /** Where others reach it. Defaults to `GATEHOUSE_PLATFORM_ADDRESS`, or where it listens. */
  publicUrl?: string;
  /** Proxies whose forwarded addresses count: addresses and ranges. Defaults to none. */
  trustedProxies?: readonly string[];
  /** Namespace of the service in which people are identified. Defaults to `VAULT_NAMESPACE`, or the root namespace. */
  peopleNamespace?: string;
  /** Where people sign in to the pages, as well as at the secrets service. Defaults to none. */
  signIn?: IssuerSettings;
  /** Signs the reviews of deployments. Defaults to no one. */
  signer?: ReturnType<typeof signerOf> | undefined;
  /** Whether the folder's files are planned as they are: for someone's own machine. Defaults to false: they are copied. */
  plansInPlace?: boolean;
  /** Audit logs of the service, to be followed. Defaults to none. */
  auditLogs?: readonly string[];
  /** Stacks whose drift is watched. Defaults to none. */
  watch?: WatchSettings;
  /** Origins that may be called. Defaults to the whole public internet. */
  allowedOrigins?: readonly string[];
  version: string;
  /** Takes lines of JSON. */
  logTo: { write(line: string): void };
}

export interface WatchSettings extends Omit<WatchedStacksArgs, 'env'> {
  /** Seconds between two readings of a stack. */
  everySeconds: number;
  /** Takes notices by POST, signed with `GATEHOUSE_NOTIFY_KEY` where that is set. Defaults to none. */
  notify?: string;
}

export interface Served {
  address: string;
  /** How many stacks are watched. */
  watched: number;
  /** Whether it has the platform and its pages: with `VAULT_ADDR`, the service that knows people. */
  isPlatform: boolean;
  /** Gives requests and work some time to finish, hands the rest back to the queue, and ends. */
  close(): Promise<void>;
}

/** What the parts of a server share. */
interface ServerParts {
  args: ServeArgs;
  log: Logger;
  metrics: Metrics;
  database: Database;
  queue: Queue;
  outbound: Outbound;
  reviewer: PlanReviewer;
  watchStore: WatchStore;
  /** Namespace in which people are identified. */
  people: string;
  /** For asking the service about people. */
  peopleEnv: NodeJS.ProcessEnv;
  reached: ReachedAddress;
  isPlatform: boolean;
}

/** Where others reach a server. Parts that are made before it listens look here when they need it. */
interface ReachedAddress {
  /** Empty until the server listens, if no public address is set. */
  address: string;
  isPublic: boolean;
  secure: boolean;
  /** Origins at which the server listens, and at which others reach it. */
  origins: string[];
}

/**
 * Serves the run tasks until it is closed: always the integrator; platform and pages if `VAULT_ADDR` names the secrets
 * service that identifies callers.
 *
 * @throws GatehouseError `port_in_use`, `address_invalid`, `ca_file_unreadable`, `database_unreachable`,
 *   `database_locked`, `database_unusable`
 */
export async function serve(args: ServeArgs): Promise<Served> {
  const { env, watch: watchSettings } = args;
  const log = loggerOf(args);
  const metrics = new Metrics();
  const reached = reachedAddress(args);
  const isPlatform = Boolean(env['VAULT_ADDR']);
  const database = await openDatabase(env['DATABASE_URL'], args.home);
  const opened = new OpenedParts();
  opened.add(() => database.close());
  try {
    await makeTables(database);
    const parts = partsOf(args, { log, metrics, database, reached, isPlatform });
    opened.add(() => parts.queue.stop());
    opened.add(() => parts.reviewer.close());
    const stacks = watchSettings && watchedStacks({ ...watchSettings, env });
    // A pattern that matches nothing is a mistake at the start; later, stacks may come and go.
    const watched = (await stacks?.list()) ?? [];
    await stacks?.checkTokens(watched);
    const logs = followedLogs(parts);
    const integrator = integratorOf(parts, logs);
    opened.add(() => integrator.stop());
    opened.add(() => logs?.stop());
    const service = isPlatform ? openService({}, parts.peopleEnv) : undefined;
    opened.add(() => service?.close());
    const platform = service && platformOf(parts);
    const routes =
      service && platform
        ? routesWithPages(parts, integrator, platform, service)
        : [...integratorRoutes(integrator), withoutPages];
    const watch = stacks && watchSettings && watchOf(parts, stacks, watchSettings);
    opened.add(() => watch?.stop());
    await parts.queue.start();
    await integrator.start();
    const server = await listen(parts, [...routes, reviewPageRoute()]);
    opened.add(() => server.close());
    // Before the server, as that ends the event streams, which it waits for.
    opened.add(() => platform?.stop());
    await platform?.start();
    const retention = startRetention({ database, log });
    opened.add(() => retention.stop());
    logs?.start();
    await watch?.start();
    log.info({ address: server.address }, 'serving');
    if (isPlatform) for (const reach of planningReaches(env)) log.warn(reach);
    return {
      address: server.address,
      watched: watched.length,
      isPlatform,
      close: () => opened.close(),
    };
  } catch (error) {
    await opened.close().catch((err) => log.error({ err }, 'the start failed, and a part did not close'));
    throw error;
  }
}

function loggerOf({ logTo }: ServeArgs): Logger {
  const serializers = { err: loggedError };
  return pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, logTo);
}

/** @throws GatehouseError `address_invalid` */
function reachedAddress({ publicUrl, env }: ServeArgs): ReachedAddress {
  const url = publicUrl ?? env['GATEHOUSE_PLATFORM_ADDRESS'];
  const address = url ? platformAddress(url) : '';
  return { address, isPublic: Boolean(url), secure: address.startsWith('https:'), origins: [] };
}

function partsOf(
  args: ServeArgs,
  opened: Pick<ServerParts, 'log' | 'metrics' | 'database' | 'reached' | 'isPlatform'>,
): ServerParts {
  const { env, allowedOrigins, peopleNamespace } = args;
  const { log, database, reached, isPlatform } = opened;
  const people = namespaceOf(peopleNamespace ?? env['VAULT_NAMESPACE'] ?? '');
  return {
    args,
    ...opened,
    queue: new Queue(database, { onError: (err) => log.error({ err }, 'the queue') }),
    outbound: new Outbound({ allowedOrigins, ownOrigins: () => (isPlatform ? reached.origins : []) }),
    reviewer: new PlanReviewer(),
    watchStore: new WatchStore(database),
    people,
    peopleEnv: { ...env, VAULT_NAMESPACE: people },
  };
}

function followedLogs({ args: { auditLogs: files = [] }, database, log }: ServerParts) {
  return files.length === 0 ? undefined : new FollowedLogs({ files, database, log });
}

function integratorOf(
  { args, log, metrics, database, queue, outbound, reviewer, reached, isPlatform }: ServerParts,
  logs: FollowedLogs | undefined,
): Integrator {
  return new Integrator({
    database,
    queue,
    outbound,
    endpoints: args.endpoints,
    log,
    metrics,
    review: runTaskReview(args.directory, args.env, reviewer, logs),
    largestPlan: smallPlan.bytes,
    userAgent: `gatehouse/${args.version} (run task integrator)`,
    ...(isPlatform
      ? { pageOf: (id) => `${reached.address}${deliveriesPath}/${id}` }
      : reached.isPublic && { pageOf: () => reached.address }),
  });
}

function platformOf(parts: ServerParts): Platform {
  const { args, log, metrics, database, queue, outbound, reviewer, people, reached } = parts;
  const { directory, env, version, signer, plansInPlace } = args;
  return new Platform({
    database,
    queue,
    outbound,
    version,
    log,
    metrics,
    address: () => reached.address,
    work: platformWork(directory, env, reviewer, people, { signer, plansInPlace }),
  });
}

/** The routes of a gate: integrator, platform and pages, with the ways in which people sign in to them. */
function routesWithPages(
  { args, database, watchStore, people, peopleEnv, reached }: ServerParts,
  integrator: Integrator,
  platform: Platform,
  service: ReturnType<typeof openService>,
): Route[] {
  return gateRoutes({
    integrator,
    platform,
    database,
    watched: watchStore,
    callers: new Callers({ clientOf: (token) => service.with({ token }), namespace: people }),
    providers: new ProviderSignIn({
      client: service,
      redirectUri: () => `${reached.address}${runPagesCallback}`,
      kinds: () => declaredKinds(args.directory, peopleEnv),
    }),
    ...(args.signIn && {
      issuer: new IssuerSignIn({
        settings: args.signIn,
        namespace: people,
        redirectUri: () => `${reached.address}${runPagesIssuerCallback}`,
      }),
    }),
    secure: reached.secure,
  });
}

function watchOf(
  { args, log, metrics, database, queue, watchStore, reached, isPlatform }: ServerParts,
  stacks: ReturnType<typeof watchedStacks>,
  { everySeconds, notify }: WatchSettings,
): Watch {
  return new Watch({
    database,
    store: watchStore,
    log,
    metrics,
    readStack: stacks.read,
    listStacks: () => stacks.list().catch(noStack),
    comparedWith: stacks.comparedWith,
    everyMs: everySeconds * 1000,
    ...(notify !== undefined && {
      notices: new Notices({
        url: notify,
        key: args.env['GATEHOUSE_NOTIFY_KEY'] || undefined,
        queue,
        store: watchStore,
        log,
        userAgent: `gatehouse/${args.version} (watch)`,
        pageOf: (id) => (isPlatform ? `${reached.address}${watchedPath(id)}` : undefined),
      }),
    }),
  });
}

/** Starts to listen, and records where others reach the server. */
async function listen({ args, log, metrics, database, reached }: ServerParts, routes: readonly Route[]) {
  const { port, host, trustedProxies, version } = args;
  const { secure } = reached;
  const checkReady = () => checkStorable(database);
  const server = await startRunTaskServer({
    port,
    host,
    trustedProxies,
    secure,
    metrics,
    log,
    routes,
    version,
    checkReady,
  });
  if (reached.address === '') reached.address = server.address;
  reached.origins = [server.address, reached.address].map((url) => new URL(url).origin);
  return server;
}

/** No stacks if all that matched are gone from the checkout. */
function noStack(error: unknown): [] {
  if (error instanceof GatehouseError && error.code === 'stack_unknown') return [];
  throw error;
}

/** The results of an integrator without pages link to its address. */
const withoutPages: Route = {
  method: 'GET',
  path: '/',
  answer: async () => ({
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: 'Gatehouse reviews run tasks here. What it found is in the outcomes of the task.\nThere are pages, too, where VAULT_ADDR names a secrets service.\n',
  }),
};
