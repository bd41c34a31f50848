import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
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
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  const stop = () => stopProcess(child, ended);
  try {
    return { port: await firstPort(child, binary), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function firstPort(child: ChildProcess, binary: string): Promise<number> {
  return new Promise((resolve, reject) => {
    // Only shown if the start fails, when the plugin has not received secrets yet.
    let complaints = '';
    const fail = (what: string) => {
      clearTimeout(limit);
      const given = complaints.trim().slice(-2000) || undefined;
      reject(new GatehouseError({ code: 'plugin_start_failed', what, where: binary, given }));
    };
    const limit = setTimeout(() => fail('the plugin did not print its port within a minute'), startLimitMs);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaints = (complaints + text).slice(-4000);
    });
    child.once('error', (error) => fail(`the plugin could not be started: ${error.message}`));
    // On `close`, unlike `exit`, the output is complete.
    child.once('close', (code, signal) =>
      fail(`the plugin exited immediately (${signal ?? `exit code ${code}`})`),
    );
    // Keeps reading after the first line, because a full pipe would stop the plugin.
    const lines = createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> });
    lines.once('line', (line) => {
      const port = Number(line.trim());
      if (!Number.isInteger(port) || port < 1 || port > 65_535) {
        fail('the plugin’s first line of output is not a port');
        return;
      }
      clearTimeout(limit);
      resolve(port);
    });
  });
}

async function stopProcess(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  const limit = setTimeout(() => child.kill('SIGKILL'), stopLimitMs);
  await ended;
  clearTimeout(limit);
}
