import { startPulumiHome } from '../../test/harness/pulumi/pulumi-home.ts';
import { servePlugin } from '../engine/src/plugins/serve.ts';
import { VaultPlugin } from '../engine/src/plugins/vault/vault-plugin.ts';
import { type AtEnd, type Bench, type Figure, figure, inTurn, median, mustBe, seconds } from './frame.ts';
import { largeEnvironment, resourcesOf } from './large.ts';
import { environmentOf, makeProject, startService } from './project.ts';

/** What one program takes on the real engine. */
interface Taken {
  /** Seconds: the first `up`, and a `preview` after it that finds nothing. */
  up: number;
  preview: number;
  /** Of the state afterwards. */
  megabytes: number;
}

/**
 * Pulumi's CLI with a backend in a folder and our vault plugin: this project's program against the plain one, each on an
 * OpenBao of its own. Every round begins without a resource.
 */
export const realEngine: Bench = async ({ n = 1000, rounds = 3 }, atEnd) => {
  const environment = largeEnvironment(n);
  const taken = await inTurn(rounds, {
    gatehouse: await programOf('gatehouse', environment, resourcesOf(n), atEnd),
    plain: await programOf('plain', environment, resourcesOf(n), atEnd),
  });
  const of = (side: keyof typeof taken, what: keyof Taken) => median(taken[side].map((one) => one[what]));
  const compared = (what: keyof Taken, words: string, unit: string, aim?: number): Figure[] => [
    figure(words, of('gatehouse', what), unit),
    figure('  plain program', of('plain', what), unit),
    figure('  ratio', of('gatehouse', what) / of('plain', what), '', aim),
  ];
  return [
    ...compared('preview', 'pulumi preview, no change', ' s', 0.4),
    ...compared('up', 'first pulumi up', ' s', 1.05),
    ...compared('megabytes', 'state', ' MB'),
  ];
};

async function programOf(
  program: 'gatehouse' | 'plain',
  environment: object,
  atLeast: number,
  atEnd: AtEnd,
): Promise<() => Promise<Taken>> {
  const home = await startPulumiHome();
  atEnd(() => home.close());
  const { directory } = await makeProject(atEnd, program, environment);
  const service = environmentOf(await startService(atEnd));
  const plugin = await servePlugin(() => new VaultPlugin(service), 'vault', '7.8.0');
  atEnd(() => plugin.close());
  for (const name of ['VAULT_ADDR', 'VAULT_TOKEN', 'GATEHOUSE_SERVICE_ADDRESS'])
    home.env[name] = service[name];
  home.env['PULUMI_DEBUG_PROVIDERS'] = `vault:${plugin.port}`;
  const pulumi = (...args: string[]) => home.pulumi(directory, ...args);
  await pulumi('stack', 'init', 'bench');
  return async () => {
    const up = await seconds(() => pulumi('up', '--yes', '--skip-preview'));
    const preview = await seconds(() => pulumi('preview', '--expect-no-changes'));
    const state = await pulumi('stack', 'export');
    const { resources } = JSON.parse(state).deployment;
    mustBe(`${resources.length} resources are at least ${atLeast}`, resources.length >= atLeast, true);
    await pulumi('destroy', '--yes', '--skip-preview');
    return { up, preview, megabytes: state.length / 1e6 };
  };
}
