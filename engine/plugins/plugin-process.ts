import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { GatehouseError } from '../../core/model/values/errors.ts';

/** Milliseconds to print the port; Pulumi's limit (`sdk/go/common/resource/plugin/plugin.go`). */
const startLimitMs = 60_000;
/** Milliseconds to end after SIGTERM. */
const stopLimitMs = 2_000;

/** The plugins that `pulumi plugin install` has put on this machine, as `vault 7.8.0`, by name. */
export function installedPlugins(env: NodeJS.ProcessEnv): string[] {
  const home = env['PULUMI_HOME'] || join(env['HOME'] ?? homedir(), '.pulumi');
  try {
    return readdirSync(join(home, 'plugins'))
      .flatMap((name) => /^resource-(.+)-v(\d[^-]*)$/.exec(name)?.slice(1).join(' ') ?? [])
      .sort();
  } catch {
    // There is no such folder before the first one.
    return [];
  }
}

/** A running plugin, and the loopback port that it serves. */
interface PluginProcess {
  port: number;
  /** Sends SIGTERM, then SIGKILL. */
  stop(): Promise<void>;
}

/**
 * Starts a plugin's binary, whose first line of output is its port.
 *
 * @param given `args` are the engine's address, and more for a host of policy packs; `cwd` defaults to this process's
 * @throws GatehouseError `plugin_start_failed`
 */
export async function startPlugin(
  binary: string,
  { args, env, cwd }: { args: string[]; env: NodeJS.ProcessEnv; cwd?: string },
): Promise<PluginProcess> {
  const child = spawn(binary, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  // On `close`, unlike `exit`, the output is complete.
  const ended = once(child, 'close').then(
    ([code, signal]) => `the plugin exited immediately (${signal ?? `exit code ${code}`})`,
    (error: Error) => `the plugin could not be started: ${error.message}`,
  );
  const stop = async () => {
    child.kill('SIGTERM');
    const limit = setTimeout(() => child.kill('SIGKILL'), stopLimitMs);
    await ended;
    clearTimeout(limit);
  };
  // Only shown if the start fails, when the plugin has not received secrets yet.
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-4000);
  });
  const port = await Promise.race([firstPort(child.stdout), ended]);
  if (typeof port === 'number') return { port, stop };
  await stop();
  const given = complaints.trim().slice(-2000) || undefined;
  throw new GatehouseError({ code: 'plugin_start_failed', what: port, where: binary, given });
}

/** Or why there is none. */
async function firstPort(output: Readable): Promise<number | string> {
  // Keeps reading after the first line, because a full pipe would stop the plugin.
  const lines = createInterface({ input: output });
  try {
    const [line] = await once(lines, 'line', { signal: AbortSignal.timeout(startLimitMs) });
    const port = Number(line.trim());
    const isPort = Number.isInteger(port) && port >= 1 && port <= 65_535;
    return isPort ? port : 'the plugin’s first line of output is not a port';
  } catch {
    return 'the plugin did not print its port within a minute';
  }
}
