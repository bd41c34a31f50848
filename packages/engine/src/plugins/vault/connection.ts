import { trimmed } from '@gatehouse/core/graph';
import { GatehouseError, parseServiceVersion, type ServiceVersion } from '@gatehouse/core/values';
import { readCaFile, readOwnToken, ServiceClient } from '@gatehouse/service-client';
import { isPropertyMap, type PropertyMap } from '../../property-value.ts';

/** A secrets service the plugin has signed in to. */
export interface Connection {
  client: ServiceClient;
  /** Undefined if it was not requested or is not a semantic version. */
  version: ServiceVersion | undefined;
  /** Revokes the child token and closes the connections. */
  close(): Promise<void>;
}

/**
 * Signs in like the official plugin (hashicorp/terraform-provider-vault `internal/provider/meta.go`): looks up the
 * token, creates a short-lived child token by default, and reads the service's version. Settings that the configuration
 * omits come from the same environment variables.
 *
 * @param services origins that the environment's token may go to. Defaults to any.
 * @throws GatehouseError `address_missing`, `token_missing`, `token_withheld`, and what the service answers
 */
export async function connect(
  config: PropertyMap,
  environment: NodeJS.ProcessEnv,
  services?: readonly string[],
): Promise<Connection> {
  const settings = settingsOf(config, environment);
  const { text, flag, count } = settings;
  const address = text('address', 'VAULT_ADDR');
  if (address === undefined) {
    throw new GatehouseError('address_missing');
  }
  const ownToken = text('token');
  if (ownToken === undefined) requireKnown(address, services);
  const token = (ownToken ?? text('token', 'VAULT_TOKEN'))?.trim();
  if (token === undefined) {
    throw new GatehouseError('token_missing.plugin');
  }
  const headers = Array.isArray(config['headers']) ? config['headers'].filter(isPropertyMap) : [];
  const caFile = text('caCertFile', 'VAULT_CACERT');
  const root = new ServiceClient({
    address,
    token,
    headers: Object.fromEntries(headers.map(({ name, value }) => [String(name), String(value)])),
    caPem: caFile && readCaFile(caFile),
    serverName: text('tlsServerName', 'VAULT_TLS_SERVER_NAME'),
    verifyCertificate: !flag('skipTlsVerify', 'VAULT_SKIP_VERIFY'),
    maxRetries: count('maxRetries', 'VAULT_MAX_RETRIES', 2),
  });
  try {
    return await signIn(root, settings);
  } catch (error) {
    root.close();
    throw error;
  }
}

function requireKnown(address: string, services: readonly string[] | undefined): void {
  const origin = URL.parse(address)?.origin;
  if (services === undefined || (origin !== undefined && services.includes(origin))) return;
  throw new GatehouseError('token_withheld', { given: address, allowed: services.join(', ') || 'none' });
}

async function signIn(root: ServiceClient, settings: ConnectionSettings): Promise<Connection> {
  const configured = settings.text('namespace', 'VAULT_NAMESPACE');
  const namespace = configured === undefined ? undefined : trimmed(configured);
  const [version, tokenNamespace] = await Promise.all([
    readVersion(root, settings),
    lookUpToken(namespace === undefined ? root : root.with({ namespace })),
  ]);
  const working = namespace ?? (tokenNamespace === '' ? undefined : tokenNamespace);
  if (settings.flag('skipChildToken', 'TERRAFORM_VAULT_SKIP_CHILD_TOKEN')) {
    return { client: root.with({ namespace: working }), version, close: async () => root.close() };
  }
  // A child token belongs to the namespace of its parent, not to the one it works in.
  const home = root.with({ namespace: tokenNamespace === '' ? undefined : tokenNamespace });
  const child = await createChildToken(home, settings);
  return {
    client: root.with({ namespace: working, token: child }),
    version,
    async close() {
      try {
        await home.with({ token: child }).post('auth/token/revoke-self', {});
      } catch {
        // The token expires within minutes; this failure must not hide the result.
      }
      root.close();
    },
  };
}

async function readVersion(
  root: ServiceClient,
  settings: ConnectionSettings,
): Promise<ServiceVersion | undefined> {
  const override = settings.text('vaultVersionOverride');
  if (override !== undefined) return parseServiceVersion(override);
  if (settings.flag('skipGetVaultVersion')) return undefined;
  const status = await root.read('sys/seal-status');
  if (status?.data['sealed'] === true) {
    throw new GatehouseError('service_sealed');
  }
  return parseServiceVersion(String(status?.data['version'] ?? ''));
}

/** The token's namespace without outer slashes; "" for the root namespace. */
async function lookUpToken(client: ServiceClient): Promise<string> {
  try {
    return (await readOwnToken(client)).namespace;
  } catch (error) {
    if (!(error instanceof GatehouseError) || error.code !== 'permission_denied') throw error;
    throw new GatehouseError('token_refused.plugin', { cause: error });
  }
}

async function createChildToken(home: ServiceClient, settings: ConnectionSettings): Promise<string> {
  const lifetime = `${settings.count('maxLeaseTtlSeconds', 'TERRAFORM_VAULT_MAX_TTL', 1200)}s`;
  try {
    const { auth } = await home.post('auth/token/create', {
      display_name: settings.text('tokenName', 'VAULT_TOKEN_NAME') ?? 'gatehouse',
      ttl: lifetime,
      explicit_max_ttl: lifetime,
      renewable: false,
    });
    if (typeof auth?.['client_token'] === 'string') return auth['client_token'];
    throw new GatehouseError('answer_invalid.child_token');
  } catch (error) {
    if (!(error instanceof GatehouseError) || error.code !== 'permission_denied') throw error;
    throw new GatehouseError('child_token_refused', { cause: error });
  }
}

/** Each setting is that of the configuration, or else of its environment variable. */
function settingsOf(config: PropertyMap, environment: NodeJS.ProcessEnv) {
  const text = (name: string, variable = ''): string | undefined => {
    const value = config[name];
    return (typeof value === 'string' && value) || environment[variable] || undefined;
  };
  return {
    text,
    flag: (name: string, variable = ''): boolean => {
      const value = config[name];
      return typeof value === 'boolean' ? value : /^(1|t|true)$/i.test(environment[variable] ?? '');
    },
    count: (name: string, variable: string, fallback: number): number => {
      const value = config[name];
      const count = typeof value === 'number' ? String(value) : environment[variable];
      return /^\d+$/.test(count ?? '') ? Number(count) : fallback;
    },
  };
}
type ConnectionSettings = ReturnType<typeof settingsOf>;
