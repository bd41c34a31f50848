import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { GatehouseError } from '../../core/model/values/errors.ts';

/** How long a plugin has to print its port. Pulumi's own limit (`sdk/go/common/resource/plugin/plugin.go`). */
const startLimitMs = 60_000;
/** How long a plugin has to end after it was told to. */
const stopLimitMs = 2_000;

/**
 * Finds a plugin's binary: `$PULUMI_HOME/plugins/resource-<name>-v<version>/pulumi-resource-<name>`, where
 * `pulumi plugin install` puts it, else `pulumi-resource-<name>` on PATH.
 *
 * @throws GatehouseError `plugin_not_found`
 */
export function findPlugin(name: string, version: string, env: NodeJS.ProcessEnv): string {
  const binary = `pulumi-resource-${name}`;
  const home = env['PULUMI_HOME'] || join(env['HOME'] ?? homedir(), '.pulumi');
  const installed = join(home, 'plugins', `resource-${name}-v${version}`, binary);
  const onPath = (env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const found = [installed, ...onPath.map((folder) => join(folder, binary))].find(isExecutable);
  if (found !== undefined) return found;
  throw new GatehouseError({
    code: 'plugin_not_found',
    what: `the Pulumi plugin ${name} ${version} is not on this machine`,
    fix: `Install it with: pulumi plugin install resource ${name} ${version}, or use --engine pulumi.`,
  });
}

/** A plugin that runs, and the loopback port on which it serves its protocol. */
export interface PluginProcess {
  port: number;
  /** Ends it: asked first, killed when it does not go. */
  stop(): Promise<void>;
}

/**
 * Starts a plugin's binary with the engine's address as its only argument and waits for the port, which it
 * prints as its first line.
 *
 * @throws GatehouseError `plugin_start_failed`
 */
export async function startPlugin(
  binary: string,
  engineAddress: string,
  env: NodeJS.ProcessEnv,
): Promise<PluginProcess> {
  const child = spawn(binary, [engineAddress], { env, stdio: ['ignore', 'pipe', 'pipe'] });
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
    // Shown only when the start fails: nothing secret has been sent to the plugin by then.
    let complaints = '';
    const fail = (what: string) => {
      clearTimeout(limit);
      const given = complaints.trim().slice(-2000);
      reject(
        new GatehouseError({
          code: 'plugin_start_failed',
          what,
          where: binary,
          ...(given === '' ? {} : { given }),
        }),
      );
    };
    const limit = setTimeout(() => fail('the plugin did not print its port within a minute'), startLimitMs);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaints = (complaints + text).slice(-4000);
    });
    child.once('error', (error) => fail(`the plugin could not be started: ${error.message}`));
    // `close`, not `exit`: what it wrote before it ended is then complete.
    child.once('close', (code, signal) =>
      fail(`the plugin exited immediately (${signal ?? `exit code ${code}`})`),
    );
    // Goes on reading after the first line, so that a full pipe never stops the plugin.
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

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
