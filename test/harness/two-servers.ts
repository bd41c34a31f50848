import { describeRunning } from './describe-running.ts';
import { startEmbeddedService } from './embedded-service.ts';
import { isIn } from './long-run.ts';
import { describeWithOpenBao } from './openbao.ts';

/** A running secrets service that a test signs in to as root. */
export interface TestedServer {
  address: string;
  token: string;
  kind: 'embedded' | 'openbao';
}

/**
 * The same tests on two servers: the embedded secrets service and a real OpenBao, each started before the first
 * test of its block and stopped after the last. `server` answers the one that runs and may be called inside tests
 * and hooks only. Where OpenBao cannot be fetched, its block is skipped. A file named `*.both.test.ts` runs the embedded
 * service in `npm test` and OpenBao in `npm run test:long`; one named `*.long.weekly.test.ts` the embedded service in
 * `npm run test:weekly`.
 */
export function describeOnBothServers(name: string, tests: (server: () => TestedServer) => void): void {
  if (isIn('npm test')) describeOnEmbeddedService(`${name} (embedded service)`, tests);
  if (isIn('test:long')) describeOnOpenBao(`${name} (OpenBao)`, tests);
}

/** Tests that take too long to run on both: what reaches the real one reaches the embedded service, too. */
export function describeOnOpenBao(name: string, tests: (server: () => TestedServer) => void): void {
  describeWithOpenBao(name, (openbao) => {
    tests(() => ({ address: openbao().address, token: openbao().token, kind: 'openbao' }));
  });
}

/** Tests of what OpenBao has not: custom messages. */
export function describeOnEmbeddedService(name: string, tests: (server: () => TestedServer) => void): void {
  describeRunning(name, { start: () => startEmbeddedService() }, (running) => {
    tests(() => ({ address: running().address, token: running().token, kind: 'embedded' }));
  });
}
