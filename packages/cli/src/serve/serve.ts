import { runPagesCallback, runPagesIssuerCallback } from '@gatehouse/core/environment';
import type { signerOf } from '@gatehouse/core/statement';
import { GatehouseError } from '@gatehouse/core/values';
import {
  Callers,
  checkStorable,
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
import pino from 'pino';
import { openService } from '../open/open-client.ts';
import { declaredKinds } from './declared-kinds.ts';
import { FollowedLogs } from './followed-logs.ts';
import { PlanReviewer, smallPlan } from './plan-reviewer.ts';
import { planningReaches } from './planning.ts';
import { platformWork } from './platform-work.ts';
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

/**
 * Serves the run tasks until it is closed: always the integrator; platform and pages if `VAULT_ADDR` names the secrets
 * service that identifies callers.
 *
 * @throws GatehouseError `port_in_use`, `address_invalid`, `ca_file_unreadable`, `database_unreachable`,
 *   `database_locked`, `database_unusable`
 */
export async function serve(args: ServeArgs): Promise<Served> {
  const { directory, env, endpoints, port, host, allowedOrigins, version } = args;
  const serializers = { err: loggedError };
  const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, args.logTo);
  const metrics = new Metrics();
  const given = args.publicUrl ?? env['GATEHOUSE_PLATFORM_ADDRESS'];
  let address = given ? platformAddress(given) : '';
  const secure = address.startsWith('https:');
  const isPlatform = Boolean(env['VAULT_ADDR']);
  /** Origins at which the server listens, and at which others reach it. */
  let own: string[] = [];
  const database = await openDatabase(env['DATABASE_URL'], args.home);
  /** To stop at the end, the last one first. */
  const started: { stop(): unknown }[] = [{ stop: () => database.close() }];
  const stopWork = async () => {
    for (const one of started.toReversed()) await one.stop();
  };
  try {
    await makeTables(database);
    const queue = new Queue(database, { onError: (err) => log.error({ err }, 'the queue') });
    const outbound = new Outbound({ allowedOrigins, ownOrigins: () => (isPlatform ? own : []) });
    const reviewer = new PlanReviewer();
    const { auditLogs: files = [] } = args;
    const people = namespaceOf(args.peopleNamespace ?? env['VAULT_NAMESPACE'] ?? '');
    /** For asking the service about people. */
    const peopleEnv = { ...env, VAULT_NAMESPACE: people };
    const watchStore = new WatchStore(database);
    const stacks = args.watch && watchedStacks({ ...args.watch, env });
    // A pattern that matches nothing is a mistake at the start; later, stacks may come and go.
    const watched = (await stacks?.list()) ?? [];
    await stacks?.checkTokens(watched);
    const logs = files.length === 0 ? undefined : new FollowedLogs({ files, database, log });
    const integrator = new Integrator({
      database,
      queue,
      outbound,
      endpoints,
      log,
      metrics,
      review: runTaskReview(directory, env, reviewer, logs),
      largestPlan: smallPlan.bytes,
      userAgent: `gatehouse/${version} (run task integrator)`,
      ...(isPlatform
        ? { pageOf: (id) => `${address}${deliveriesPath}/${id}` }
        : given && { pageOf: () => address }),
    });
    const service = isPlatform ? openService({}, peopleEnv) : undefined;
    const platform =
      service &&
      new Platform({
        database,
        queue,
        outbound,
        version,
        log,
        metrics,
        address: () => address,
        work: platformWork(directory, env, reviewer, people, {
          signer: args.signer,
          plansInPlace: args.plansInPlace,
        }),
      });
    const stopPlatform = async () => {
      await platform?.stop();
      service?.close();
    };
    const routes =
      service && platform
        ? gateRoutes({
            integrator,
            platform,
            database,
            watched: watchStore,
            callers: new Callers({ clientOf: (token) => service.with({ token }), namespace: people }),
            providers: new ProviderSignIn({
              client: service,
              redirectUri: () => `${address}${runPagesCallback}`,
              kinds: () => declaredKinds(directory, peopleEnv),
            }),
            ...(args.signIn && {
              issuer: new IssuerSignIn({
                settings: args.signIn,
                namespace: people,
                redirectUri: () => `${address}${runPagesIssuerCallback}`,
              }),
            }),
            secure,
          })
        : [...integratorRoutes(integrator), withoutPages];
    const { watch: settings } = args;
    const watch =
      stacks &&
      settings &&
      new Watch({
        database,
        store: watchStore,
        log,
        metrics,
        readStack: stacks.read,
        listStacks: () => stacks.list().catch(noStack),
        comparedWith: stacks.comparedWith,
        everyMs: settings.everySeconds * 1000,
        ...(settings.notify !== undefined && {
          notices: new Notices({
            url: settings.notify,
            key: env['GATEHOUSE_NOTIFY_KEY'] || undefined,
            queue,
            store: watchStore,
            log,
            userAgent: `gatehouse/${version} (watch)`,
            pageOf: (id) => (isPlatform ? `${address}${watchedPath(id)}` : undefined),
          }),
        }),
      });
    started.push(queue, { stop: stopPlatform }, { stop: () => reviewer.close() }, integrator);
    if (logs !== undefined) started.push(logs);
    if (watch !== undefined) started.push(watch);
    await queue.start();
    await integrator.start();
    const checkReady = () => checkStorable(database);
    const { trustedProxies } = args;
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
    if (address === '') address = server.address;
    own = [server.address, address].map((url) => new URL(url).origin);
    await platform?.start();
    started.push(startRetention({ database, log }));
    logs?.start();
    await watch?.start();
    log.info({ address: server.address }, 'serving');
    if (isPlatform) for (const reached of planningReaches(env)) log.warn(reached);
    return {
      address: server.address,
      watched: watched.length,
      isPlatform,
      async close() {
        // First, as that ends the event streams, which the server waits for.
        await stopPlatform();
        await server.close();
        await stopWork();
      },
    };
  } catch (error) {
    await stopWork();
    throw error;
  }
}

/** All stacks that matched are gone from the checkout. */
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
