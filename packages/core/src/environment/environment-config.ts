import { GatehouseError } from '../graph/values/errors.ts';
import { isObject, jsonIn } from '../graph/values/json.ts';
import { placeText } from '../graph/values/problem.ts';
import { leadsOutside } from '../graph/values/project-path.ts';
import { isSecretKey, type SecretKey, setSecretCommand } from '../graph/values/secret-keys.ts';
import { yamlValue } from '../graph/values/yaml-document.ts';
import { positionsIn } from '../graph/values/yaml-position.ts';
import { type Environment, type EnvironmentContext, parseEnvironment } from './environment.ts';
import { expandTemplates } from './environment-templates.ts';
import { type InClear, stackFileOf, writtenKeys } from './secrets-in-clear.ts';
import { serviceAccountKeyProblem } from './service-account-key.ts';

/** Where an environment is read from. */
export interface ConfigSource extends Pick<EnvironmentContext, 'ruleIds'> {
  /** `gatehouse:<key>` → JSON text, as Pulumi hands it to a program. Other keys are ignored. */
  config: Record<string, string>;
  /**
   * Environment variables: `GATEHOUSE_SERVICE_ADDRESS` and `GATEHOUSE_IDENTITY_ADDRESS` override the
   * configuration, so that tests and `gatehouse dev` can use free ports. Defaults to none.
   */
  variables?: Record<string, string | undefined>;
  /**
   * Reads the file that `gatehouse:file` names, in the folder of Pulumi.yaml or below it. It holds the same keys in
   * YAML, without `gatehouse:` and without secrets: Pulumi hands the configuration over in one environment
   * variable, which Linux limits to 128 KiB.
   */
  readFile: (path: string) => string;
  /** Name of the stack: problems are then located in its file, if `readFile` finds it. */
  stack?: string;
  /** Secrets are ciphertexts, so their contents are not checked. Defaults to false. */
  isSealed?: boolean | undefined;
  /**
   * Values below a secret key, `gatehouse:<key>`, that are written without encryption. Defaults to unknown: none is
   * refused.
   */
  inClear?: ((fullKey: string) => InClear) | undefined;
}

/** The values of a configuration, which need not be valid. Secrets are replaced by their names. */
interface ConfigValues {
  /** The keys of the environment, by name. */
  keys: Record<string, unknown>;
  /** The keys that are written in the stack file. */
  inline: Record<string, unknown>;
  /** The value of `gatehouse:file`: the path of the environment's own file. */
  file: unknown;
  secretProblems: { path: string[]; message: string }[];
}

/**
 * The values of a stack's configuration, before the schema has checked them.
 *
 * @throws GatehouseError `environment_file_invalid` and `stack_file_invalid` for the file of `gatehouse:file`
 */
export function givenInConfig({
  config,
  readFile,
  stack,
  isSealed = false,
  inClear = () => [],
}: Omit<ConfigSource, 'ruleIds'>): ConfigValues {
  const values: Record<string, unknown> = {};
  const secretProblems: ConfigValues['secretProblems'] = [];
  const report = (path: string[], message: string) => void secretProblems.push({ path, message });
  for (const [fullKey, text] of Object.entries(config)) {
    if (!fullKey.startsWith('gatehouse:')) continue;
    const key = fullKey.slice('gatehouse:'.length);
    const value = parseValue(key, text);
    if (isSecretKey(key)) {
      values[key] = namesOf(key, value, stack, report);
      const clear = inClear(fullKey);
      for (const [name, secret] of Object.entries(isObject(value) ? value : {})) {
        const isInClear = secret !== null && (clear === 'all' || clear.includes(name));
        const message = isInClear
          ? `is not encrypted; seal it with: ${setSecretCommand(key, name, stack)}`
          : secretProblem(key, name, secret, { stack, isSealed });
        if (message !== undefined) report([key, name], message);
      }
    } else values[key] = value;
  }
  const { file, ...inline } = values;
  const keys =
    typeof file === 'string' ? { ...fromFile(file, inline, { readFile, stack, report }), ...inline } : values;
  return { keys, inline, file, secretProblems };
}

/**
 * Reads an environment from a stack's configuration.
 *
 * @throws GatehouseError `environment_invalid`, `environment_file_invalid`.
 */
export function environmentFromConfig(source: ConfigSource): Environment {
  const { variables = {}, ruleIds, stack } = source;
  const configValues = givenInConfig(source);
  const { keys, secretProblems } = configValues;
  for (const [key, variable] of Object.entries(addressVariables)) override(keys, key, variables[variable]);
  return parseEnvironment(keys, { ruleIds, secretProblems, stack, locate: locateIn(source, configValues) });
}

/** The keys of a configuration with its templates expanded, the origin of each part, and the place of an origin. */
export function locationsIn(source: ConfigSource) {
  const configValues = givenInConfig(source);
  return { ...expandTemplates(configValues.keys), locate: locateIn(source, configValues) };
}

/** Says where a part of an environment is written: its place in a file, its path in the YAML, and which use made it. */
export function whereIn(source: ConfigSource): (path: PropertyKey[]) => string {
  const { originOf, locate } = locationsIn(source);
  return (path) => placeText(originOf(path), [originOf(path).use], locate);
}

/** Says where a part of a configuration is, by its path in the YAML: a place in a file, or a variable. */
function locateIn(
  source: ConfigSource,
  { keys, inline, file }: ConfigValues,
): (path: PropertyKey[]) => string | undefined {
  const { variables = {} } = source;
  const isInFile = (key: unknown) => typeof file === 'string' && !(String(key) in inline);
  const places = placesIn(source);
  return ([key = '', ...rest]) => {
    const variable = rest[0] === 'address' ? addressVariables[String(key)] : undefined;
    if (variable !== undefined && variables[variable] !== undefined) return variable;
    return isInFile(key) && key in keys
      ? places.inFile(file as string, [key, ...rest])
      : places.inStackFile(key, rest);
  };
}

/** The variable that overrides the address below a key. */
const addressVariables: Record<string, string> = {
  service: 'GATEHOUSE_SERVICE_ADDRESS',
  identity: 'GATEHOUSE_IDENTITY_ADDRESS',
};

/** Finds the places of problems: `environments/main.yaml:3:5`. Each file is read once. */
function placesIn({ readFile, stack }: SecretSource) {
  const files = new Map<string, ReturnType<typeof positionsIn>>();
  let stackFile: string | undefined;

  /** Undefined if the file or the path does not exist. */
  function inFile(file: string, path: PropertyKey[]): string | undefined {
    try {
      const positionOf = files.get(file) ?? positionsIn(file, readFile(file));
      files.set(file, positionOf);
      return positionOf(path);
    } catch {
      return undefined;
    }
  }

  function inStackFile(key: PropertyKey, rest: PropertyKey[]): string | undefined {
    if (stack === undefined) return undefined;
    stackFile ??= stackFileOf({ readFile, stack });
    const file = stackFile;
    // The project's own file has the values of all stacks.
    for (const configFile of [file, 'Pulumi.yaml']) {
      const ofConfig = inFile(configFile, ['config']);
      const places = writtenKeys(String(key)).map((written) =>
        inFile(configFile, ['config', written, ...rest]),
      );
      const position = places.find((place) => place !== undefined && place !== ofConfig);
      if (position !== undefined) return position;
    }
    return undefined;
  }
  return { inFile, inStackFile };
}

function fromFile(
  file: string,
  inline: Record<string, unknown>,
  { readFile, stack, report }: SecretSource & { report: ReportSecret },
): Record<string, unknown> {
  const about = {
    where: 'gatehouse:file',
    given: file,
    allowed:
      'a YAML file below the folder of Pulumi.yaml with the keys of an environment (service, providers, policies, messages)',
  };
  if (leadsOutside(file)) throw new GatehouseError('environment_file_invalid.outside', about);
  let text: string;
  try {
    text = readFile(file);
  } catch (cause) {
    const reason = (cause as Error).message.split('\n')[0] ?? '';
    throw new GatehouseError('environment_file_invalid', { ...about, cause, values: { reason } });
  }
  const keys = yamlValue(file, text);
  if (!isObject(keys)) {
    throw new GatehouseError('environment_file_invalid.map', about);
  }
  const read: Record<string, unknown> = { ...keys };
  for (const [key, value] of Object.entries(keys)) {
    if (key in inline) {
      throw new GatehouseError('environment_file_invalid.twice', { ...about, values: { key } });
    }
    if (!isSecretKey(key)) continue;
    read[key] = namesOf(key, value, stack, report);
    for (const name of Object.keys(isObject(value) ? value : {}))
      report(
        [key, name],
        `secrets stand in the stack’s file, encrypted; remove it here, then set it with: ${setSecretCommand(key, name, stack)}`,
      );
  }
  return read;
}

function parseValue(key: string, text: string): unknown {
  const json = jsonIn(text);
  // Plain text is a value too; the schema says what is needed instead. A secret key's is never repeated.
  return json === undefined ? (isSecretKey(key) ? '' : text) : json;
}

function secretProblem(
  key: SecretKey,
  name: string,
  secret: unknown,
  { stack, isSealed }: Pick<ConfigSource, 'stack' | 'isSealed'>,
): string | undefined {
  if (typeof secret !== 'string') return `must be a text; set it with: ${setSecretCommand(key, name, stack)}`;
  return key === 'serviceAccountKeys' && !isSealed ? serviceAccountKeyProblem(secret) : undefined;
}

type SecretSource = Pick<ConfigSource, 'readFile' | 'stack'>;
type ReportSecret = (path: string[], message: string) => void;

function namesOf(key: SecretKey, value: unknown, stack: string | undefined, report: ReportSecret): string[] {
  if (isObject(value)) return Object.keys(value);
  const command = setSecretCommand(key, 'NAME', stack);
  report([key], `must be a map from name to secret; remove it, then set each one with: ${command}`);
  return [];
}

function override(keys: Record<string, unknown>, key: string, address: string | undefined): void {
  if (address === undefined) return;
  const before = keys[key];
  keys[key] = { ...(typeof before === 'object' ? before : {}), address };
}
