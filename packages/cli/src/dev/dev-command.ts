import { resolve } from 'node:path';
import { GatehouseError } from '@gatehouse/core/values';
import {
  type AddCommand,
  type CommonOptions,
  parsePort,
  print,
  untilStopped,
  version,
  withProgress,
} from '../terminal/command.ts';

interface DevOptions extends CommonOptions {
  exit?: boolean;
  port?: number;
  identityPort?: number;
  runTaskPort?: number;
  tlsCert?: string;
  tlsKey?: string;
  auditLog?: string;
}

export const addDev: AddCommand = (program, { terminal }) => {
  program
    .add('dev', 'start a secrets service and an identity provider, apply the dev stack, sign in', [
      'gatehouse dev',
      'gatehouse dev --exit',
    ])
    .option('--exit', 'stop when done; the exit code says whether everything worked')
    .option('--port <number>', "port of the secrets service, 0 for any (default: the dev stack's)", parsePort)
    .option(
      '--identity-port <number>',
      "port of the identity provider, 0 for any (default: the dev stack's)",
      parsePort,
    )
    .option(
      '--run-task-port <number>',
      'port of the run tasks and their pages, 0 for any (default: 8300)',
      parsePort,
    )
    .option(
      '--tls-cert <file>',
      'certificate of the secrets service, PEM; with --tls-key (default: plain HTTP)',
    )
    .option('--tls-key <file>', 'its private key, PEM')
    .option(
      '--audit-log <file>',
      'file to append every request and answer of the secrets service to (default: none)',
    )
    .action(async ({ cwd, exit, json, port, identityPort, runTaskPort, ...options }: DevOptions) => {
      const path = (file: string) => resolve(terminal.cwd, file);
      const { tlsCert, tlsKey, auditLog } = options;
      if ((tlsCert === undefined) !== (tlsKey === undefined)) {
        throw new GatehouseError('option_conflict.tls');
      }
      const [{ startDev }, { devText }] = await Promise.all([import('./dev.ts'), import('./dev-text.ts')]);
      const ports = { port, identityPort, runTaskPort };
      const tls = tlsCert && tlsKey ? { certificate: path(tlsCert), key: path(tlsKey) } : undefined;
      const auditFile = auditLog && path(auditLog);
      const request = { directory: cwd, env: terminal.env, version: version(), ...ports, tls, auditFile };
      const dev = await withProgress(terminal, (progress) =>
        startDev({ ...request, onProgress: (what) => progress.say(`${what} …`) }),
      );
      // Before anything is printed: its reader may stop this at once.
      const stopped = exit ? undefined : untilStopped();
      try {
        const { close: _, ...facts } = dev;
        print(terminal, { json }, facts, (style) => devText(facts, style, !exit));
        await stopped;
      } finally {
        await dev.close();
      }
    });
};
