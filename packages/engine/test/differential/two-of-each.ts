import { describeRunning } from '../../../../test/harness/describe-running.ts';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { unavailableOpenBao } from '../../../../test/harness/openbao.ts';
import { startOpenBao } from '../../../../test/harness/openbao-server.ts';
import type { TestedServer } from '../../../../test/harness/two-servers.ts';

type Two = [TestedServer, TestedServer];

/** The same tests with two embedded services, and with two real ones. */
export function describeOnTwoOfEach(name: string, tests: (services: () => Two) => void): void {
  const kinds = [
    { kind: 'embedded', start: () => startEmbeddedService(), unavailable: undefined },
    { kind: 'openbao', start: () => startOpenBao(), unavailable: unavailableOpenBao },
  ] as const;
  for (const { kind, start: startOne, unavailable } of kinds) {
    const start = async () => {
      const started = [await startOne(), await startOne()];
      const close = () => Promise.all(started.map((one) => one.close()));
      return { services: started.map(({ address, token }) => ({ address, token, kind })), close };
    };
    describeRunning(`${name} (${kind})`, { start, unavailable }, (running) =>
      tests(() => running().services as Two),
    );
  }
}
