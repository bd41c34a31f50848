import * as pulumi from '@pulumi/pulumi';

/** One resource as it was registered: what the program asked for, and with which options. */
export interface Registration {
  urn: string;
  type: string;
  name: string;
  inputs: Record<string, any>;
  /** What a component said at its end that its outputs are; undefined for other resources. */
  outputs?: Record<string, any>;
  /** Name of the parent; empty at the top. */
  parent: string;
  /** Reference to the explicit plugin resource, `urn::id`; empty for the default one. */
  provider: string;
  deleteBeforeReplace: boolean;
  /** Properties whose change replaces it; undefined where there are none. */
  replaceOnChanges?: string[];
  /** A change of it replaces the resource; undefined where there is none. */
  replacementTrigger?: unknown;
  additionalSecretOutputs: string[];
  /** Names of the resources it depends on, in order of the alphabet. */
  dependencies: string[];
  /** Other names by which it is found in state, as `parent: type name`; undefined where there are none. */
  aliases?: string[];
}

export interface RegisterOptions {
  /** Full key → value, as Pulumi hands it to a program. Defaults to none. */
  config?: Record<string, string>;
  /** Full keys of the values that are secret. Defaults to none. */
  secretKeys?: string[];
  /** Whether the program runs for a preview: what the plugin works out is then unknown. Defaults to false. */
  preview?: boolean;
}

/**
 * Runs a program against Pulumi mocks and returns what it registered, ordered by URN: the order of registrations
 * is not the program's to decide. Options are read from the requests to the monitor, as Pulumi's mocks do not show
 * them (docs/inside/measured/pulumi.md#components).
 *
 * @throws Error for two resources of one URN, which the mocks themselves do not notice.
 */
export async function register(
  program: () => unknown,
  { config = {}, secretKeys = [], preview = false }: RegisterOptions = {},
): Promise<Registration[]> {
  const registered: Registration[] = [];
  pulumi.runtime.setAllConfig(config, secretKeys);
  await pulumi.runtime.setMocks(
    {
      call: ({ token }) => {
        throw new Error(`the program may not invoke ${token}`);
      },
      newResource: ({ type, name, inputs, id }) => ({
        id: id || (preview ? undefined : `${name}-id`),
        state: { ...inputs, ...(preview ? {} : outputsOf(type, name)) },
      }),
    },
    'gatehouse',
    'test',
    preview,
  );
  const monitor = pulumi.runtime.getMonitor() as any;
  const registerResource = monitor.registerResource.bind(monitor);
  monitor.registerResource = (request: any, callback: (error: unknown, response: any) => void) => {
    registerResource(request, (error: unknown, response: any) => {
      if (!error) registered.push(registrationOf(request, response));
      callback(error, response);
    });
  };
  const registerOutputs = monitor.registerResourceOutputs.bind(monitor);
  monitor.registerResourceOutputs = (request: any, callback: (error: unknown, response: any) => void) => {
    const component = registered.find(({ urn }) => urn === request.getUrn());
    if (component !== undefined) component.outputs = unwrap(request.getOutputs().toJavaScript());
    registerOutputs(request, callback);
  };
  const { stackTraceLimit } = Error;
  // The SDK takes a stack trace for every promise, and maps each to its sources: two thirds of the time.
  Error.stackTraceLimit = 0;
  try {
    await program();
  } finally {
    await pulumi.runtime.disconnect();
    Error.stackTraceLimit = stackTraceLimit;
  }
  const urns = registered.map(({ urn }) => urn);
  const twice = urns.find((urn, index) => urns.indexOf(urn) !== index);
  if (twice !== undefined) throw new Error(`registered twice: ${twice}`);
  return registered.sort((a, b) => (a.urn < b.urn ? -1 : 1));
}

/** The registrations of one type, by the last segment of its token: `AuthBackend`, `ExternalGroup`. */
export function ofType(registered: Registration[], type: string): Registration[] {
  return registered.filter((registration) => registration.type.endsWith(`:${type}`));
}

/** The only registration of a name. */
export function named(registered: Registration[], name: string): Registration {
  const found = registered.filter((registration) => registration.name === name);
  if (found.length !== 1) throw new Error(`${found.length} resources are named ${name}`);
  return found[0] as Registration;
}

/**
 * A registration without options, but for those given.
 *
 * @param types of its parents and its own, as its URN has them
 */
export function registration(types: string, name: string, fields: Partial<Registration>): Registration {
  return {
    urn: `urn:pulumi:test::gatehouse::${types}::${name}`,
    type: types.split('$').at(-1) ?? '',
    name,
    inputs: {},
    parent: '',
    provider: '',
    deleteBeforeReplace: false,
    additionalSecretOutputs: [],
    dependencies: [],
    ...fields,
  };
}

/** How a secret shows in what was registered. */
export const secret = (value: unknown) => ({ secret: value });

/** How a value that a preview does not know yet shows in what was registered. */
export const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

const signature = '4dabf18193072939515e22adb298388d';

function registrationOf(request: any, response: any): Registration {
  const aliases: any[] = request.getAliasesList().map((alias: any) => alias.getSpec());
  const replaceOnChanges: string[] = request.getReplaceonchangesList();
  const trigger = request.getReplacementTrigger();
  return {
    urn: response.getUrn(),
    type: request.getType(),
    name: request.getName(),
    inputs: unwrap(request.getObject().toJavaScript()),
    parent: nameOf(request.getParent()),
    provider: request.getProvider() || request.getProvidersMap().get('vault') || '',
    deleteBeforeReplace: request.getDeletebeforereplace(),
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
    dependencies: request.getDependenciesList().map(nameOf).sort(),
    ...(replaceOnChanges.length > 0 && { replaceOnChanges }),
    ...(trigger && { replacementTrigger: unwrap(trigger.toJavaScript()) }),
    ...(aliases.length > 0 && {
      aliases: aliases.map(
        (alias) => `${nameOf(alias.getParenturn())}: ${alias.getType()} ${alias.getName()}`,
      ),
    }),
  };
}

function nameOf(urn: string): string {
  return urn.split('::').slice(3).join('::');
}

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
