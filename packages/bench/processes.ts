import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setInterval } from 'node:timers';
import { type AtEnd, inTurn, median } from './frame.ts';

/** What a process takes; all but the time is 0 without Linux's /proc. */
export interface MeasuredRun {
  seconds: number;
  /** User and system CPU time, with that of its children; without the last 20 ms. */
  cpuSeconds: number;
  /** Peak resident memory in bytes of the process, and of its largest child. */
  peakBytes: number;
  childPeakBytes: number;
  /** Peak of all together; counts mapped files (Node itself) once. */
  peakTogetherBytes: number;
  stdout: string;
}

interface ProcessOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Standard input. Defaults to nothing. */
  input?: string;
}

const sampleMs = 20;

/** Runs Node to its end. @throws Error with its output if it does not exit with 0 */
export async function measureProcess(
  args: string[],
  { input = '', ...options }: ProcessOptions,
): Promise<MeasuredRun> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input);
  const { pid = 0 } = child;
  const peaks = new Map<number, number>();
  let [cpu, together] = [0, 0];
  const sample = () => {
    cpu = Math.max(cpu, cpuSeconds(pid));
    let [own, files] = [0, 0];
    const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);
    for (const one of [pid, ...children.map(Number)]) {
      const status = read(`/proc/${one}/status`);
      own += bytesIn(status, 'RssAnon') + bytesIn(status, 'RssShmem');
      files = Math.max(files, bytesIn(status, 'RssFile'));
      // The kernel's high-water mark includes the time between samples.
      peaks.set(one, Math.max(peaks.get(one) ?? 0, bytesIn(status, 'VmHWM')));
    }
    together = Math.max(together, own + files);
  };
  const sampler = setInterval(sample, sampleMs);
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]).finally(() => clearInterval(sampler));
  const seconds = (performance.now() - started) / 1000;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`);
  const { [pid]: peakBytes = 0, ...children } = Object.fromEntries(peaks);
  const childPeakBytes = Math.max(0, ...Object.values(children));
  return { seconds, cpuSeconds: cpu, peakBytes, childPeakBytes, peakTogetherBytes: together, stdout };
}

/** Runs processes in turn, and answers with the median of a side's field. */
export async function runsInTurn<Side extends string>(
  rounds: number,
  sides: Record<Side, () => Promise<MeasuredRun>>,
): Promise<(side: Side, field?: Exclude<keyof MeasuredRun, 'stdout'>) => number> {
  const runs = await inTurn(rounds, sides);
  return (side, field = 'seconds') => median(runs[side].map((run) => run[field]));
}

/** A server in another process. */
export interface ServerProcess {
  /** The first address that it printed. */
  address: string;
  pid: number;
}

/** @throws Error if it ends before it prints its address */
export async function startServer(
  atEnd: AtEnd,
  args: string[],
  options?: ProcessOptions,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  atEnd(() => child.kill('SIGKILL') && ended);
  let printed = '';
  for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    printed += chunk;
    const address = /http:\/\/[^\s"/]+/.exec(printed)?.[0];
    if (address === undefined) continue;
    child.stdout.resume();
    return { address, pid: child.pid ?? 0 };
  }
  throw new Error(`${args.join(' ')} ended and printed only: ${printed}`);
}

/** User and system CPU time of a process so far, with that of its children that ended. */
function cpuSeconds(pid: number): number {
  const [, fields = ''] = read(`/proc/${pid}/stat`).split(') ');
  const ticks = fields.split(' ').slice(11, 15).map(Number);
  return ticks.reduce((sum, field) => sum + field, 0) / 100;
}

export function residentMegabytes(pid: number): number {
  return bytesIn(read(`/proc/${pid}/status`), 'VmRSS') / 1024 ** 2;
}

function bytesIn(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) * 1024;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
