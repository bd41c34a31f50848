import * as pulumi from '@pulumi/pulumi';

/** One resource as it was registered: what the program asked for, and with which options. */
export interface Registration {
  urn: string;
  type: string;
  name: string;
  inputs: Record<string, any>;
  parent: string;
  provider: string;
  deleteBeforeReplace: boolean;
  additionalSecretOutputs: string[];
  dependencies: string[];
}

/**
 * Runs a program against Pulumi mocks and returns what it registered, in order. Options are read from the
 * requests to the monitor: Pulumi's mocks do not show them (facts/pulumi.md).
 *
 * @throws Error for two resources of one URN, which the mocks themselves do not notice.
 */
export async function register(
  program: () => unknown,
  {
    config = {},
    secretKeys = [],
    preview = false,
  }: { config?: Record<string, string>; secretKeys?: string[]; preview?: boolean } = {},
): Promise<Registration[]> {
  const registered: Registration[] = [];
  pulumi.runtime.setAllConfig(config, secretKeys);
  await pulumi.runtime.setMocks(
    {
      call: ({ token }) => {
        throw new Error(`the program may not invoke ${token}`);
      },
      newResource: ({ type, name, inputs, id }) => ({
        id: id ?? `${name}-id`,
        state: { ...inputs, ...outputsOf(type, name) },
      }),
    },
    'gatehouse',
    'test',
    preview,
  );
  const monitor = pulumi.runtime.getMonitor() as any;
  const original = monitor.registerResource.bind(monitor);
  monitor.registerResource = (request: any, callback: (error: unknown, response: any) => void) => {
    original(request, (error: unknown, response: any) => {
      if (response !== null && response !== undefined && error === null) {
        registered.push({
          urn: response.getUrn(),
          type: request.getType(),
          name: request.getName(),
          inputs: unwrap(request.getObject().toJavaScript()),
          parent: request.getParent(),
          provider: request.getProvider() || request.getProvidersMap().get('vault') || '',
          deleteBeforeReplace: request.getDeletebeforereplace(),
          additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
          dependencies: request.getDependenciesList(),
        });
      }
      callback(error, response);
    });
  };
  await program();
  await pulumi.runtime.disconnect();
  const urns = registered.map(({ urn }) => urn);
  const twice = urns.find((urn, index) => urns.indexOf(urn) !== index);
  if (twice !== undefined) throw new Error(`registered twice: ${twice}`);
  return registered.filter(({ type }) => type !== 'pulumi:pulumi:Stack');
}

/** How a secret shows in what was registered. */
export const secret = (value: unknown) => ({ secret: value });

const signature = '4dabf18193072939515e22adb298388d';

function unwrap(value: any): any {
  if (Array.isArray(value)) return value.map(unwrap);
  if (typeof value !== 'object' || value === null) return value;
  if (signature in value) return secret(unwrap(value.value));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unwrap(inner)]));
}

function outputsOf(type: string, name: string): Record<string, unknown> {
  if (type === 'vault:jwt/authBackend:AuthBackend') return { accessor: `accessor-of-${name}` };
  if (type === 'azuread:index/application:Application') return { clientId: `client-id-of-${name}` };
  if (type === 'azuread:index/servicePrincipal:ServicePrincipal') return { objectId: `object-id-of-${name}` };
  if (type === 'azuread:index/applicationPassword:ApplicationPassword') return { value: `secret-of-${name}` };
  return {};
}
