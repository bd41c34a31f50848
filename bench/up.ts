import { channel } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { Deployment } from '../engine/local/deployment.ts';
import { pluginsAtHand } from '../engine/local/local-engine.ts';
import { openStateStore } from '../engine/local/state-store.ts';
import { startOpenBao } from '../test/harness/openbao-server.ts';
import { type Service, writeBare } from './bare-client.ts';
import { makeScratch, root } from './bench-project.ts';
import { atMost, type Figure, figure, median } from './figure.ts';
import { type Recording, record, renamed, replay } from './recording.ts';
import { inTurn, seconds } from './rounds.ts';

export interface UpOptions {
  /** One number of roles only. Defaults to 100, 300, 1,000 and 3,000; there is a group with an alias to every five. */
  roles?: number;
  /** Rounds that count; there are as many again, at most six, to warm up. Defaults to 5. */
  rounds?: number;
}

/**
 * The first `up`, without its program: engine and plugin fed recorded registrations, against a bare client that
 * does the same writes and read-backs on the same OpenBao. Every round has a mount of its own. What counts comes after
 * both have been compiled; the first round of all is shown besides, as that is what a process of its own meets.
 */
export async function up({ roles, rounds = 5 }: UpOptions): Promise<Figure[]> {
  const sizes = roles === undefined ? [100, 300, 1000, 3000] : [roles];
  const figures: Figure[] = [];
  for (const size of sizes) figures.push(...(await compare(size, rounds)));
  return figures;
}

async function compare(size: number, rounds: number): Promise<Figure[]> {
  const recording = await record(size);
  const service = await startOpenBao({ home: join(root, '.gatehouse') });
  const { address } = service;
  const scratch = await makeScratch('up');
  try {
    const warmUp = Math.min(rounds, 6);
    const runs = await inTurn(warmUp + rounds, {
      engine: (round) => {
        const own = renamed(recording, `engine-${round}`, address);
        return counted(() => deploy(own, service, join(scratch.directory, `${round}.sqlite`)));
      },
      bare: (round) => {
        const own = renamed(recording, `bare-${round}`, address);
        return counted(() => writeBare(own, service));
      },
    });
    const time = (side: keyof typeof runs) => median(runs[side].slice(warmUp).map((run) => run.seconds));
    const first = (side: keyof typeof runs) => runs[side][0]?.seconds ?? Number.NaN;
    const requests = (side: keyof typeof runs) => median(runs[side].map((run) => run.requests));
    const resources = recording.registrations.length;
    const at = `${size} roles`;
    return [
      figure(`${at}: engine and plugin`, time('engine'), ' s'),
      figure(`${at}: bare client`, time('bare'), ' s'),
      atMost(`${at}: ratio`, time('engine') / time('bare'), 1.3, ''),
      figure(`${at}: ratio of the first round`, first('engine') / first('bare'), ''),
      figure(`${at}: milliseconds a resource (${resources})`, (time('engine') / resources) * 1000, ' ms'),
      figure(`${at}: requests, engine and plugin`, requests('engine'), ''),
      figure(`${at}: requests, bare client`, requests('bare'), ''),
    ];
  } finally {
    await service.close();
    await scratch.remove();
  }
}

/** Everything that `up` does but running the program: state file, plugin, steps. */
async function deploy(recording: Recording, { token }: Service, stateFile: string): Promise<void> {
  const store = openStateStore(stateFile);
  const deployment = new Deployment({
    project: 'gatehouse',
    stack: 'bench',
    store,
    plugins: pluginsAtHand({ ...process.env, VAULT_TOKEN: token }, () => ''),
    dryRun: false,
  });
  try {
    await replay(recording, deployment);
    await deployment.finish(true);
    const { succeeded, diagnostics } = deployment.result();
    if (!succeeded) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  } finally {
    await deployment.close();
    store.close();
  }
}

interface Run {
  seconds: number;
  /** HTTP requests that this process sent. */
  requests: number;
}

async function counted(work: () => Promise<void>): Promise<Run> {
  let requests = 0;
  const count = () => {
    requests++;
  };
  const sent = channel('http.client.request.start');
  sent.subscribe(count);
  try {
    return { seconds: await seconds(work), requests };
  } finally {
    sent.unsubscribe(count);
  }
}
