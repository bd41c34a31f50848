import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setInterval } from 'node:timers';

export interface MeasuredRun {
  seconds: number;
  /** User and system CPU time, with that of its children; without the last 20 ms. 0 without /proc. */
  cpuSeconds: number;
  /** Peak resident memory in bytes of the process, and of its largest child; 0 without /proc. */
  peakBytes: number;
  childPeakBytes: number;
  /** Peak of all together; counts mapped files (Node itself) once. */
  peakTogetherBytes: number;
  stdout: string;
}

interface MeasuredCommand {
  /** Arguments of Node. */
  args: string[];
  cwd: string;
  env?: NodeJS.ProcessEnv;
}

const sampleMs = 20;

/** Runs Node to its end. @throws Error with its output if it does not exit with 0 */
export async function measureProcess({
  args,
  cwd,
  env = process.env,
}: MeasuredCommand): Promise<MeasuredRun> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const memory = new PeakMemory(child.pid ?? 0);
  let cpu = 0;
  const sampler = setInterval(() => {
    memory.sample();
    cpu = Math.max(cpu, cpuSeconds(child.pid ?? 0));
  }, sampleMs);
  const [code] = await once(child, 'close').finally(() => clearInterval(sampler));
  const seconds = (performance.now() - started) / 1000;
  if (code !== 0)
    throw new Error(`${args.join(' ')} ended with ${code}:\n${output.stdout}\n${output.stderr}`);
  return { seconds, cpuSeconds: cpu, stdout: output.stdout, ...memory.peaks() };
}

/** The resident memory of a process and its children, from Linux's /proc. */
class PeakMemory {
  readonly #pid: number;
  readonly #peaks = new Map<number, number>();
  #together = 0;

  constructor(pid: number) {
    this.#pid = pid;
  }

  sample(): void {
    let own = 0;
    let files = 0;
    for (const pid of [this.#pid, ...childrenOf(this.#pid)]) {
      const status = read(`/proc/${pid}/status`);
      own += kilobytes(status, 'RssAnon') + kilobytes(status, 'RssShmem');
      files = Math.max(files, kilobytes(status, 'RssFile'));
      // The kernel's high-water mark includes the time between samples.
      this.#peaks.set(pid, Math.max(this.#peaks.get(pid) ?? 0, kilobytes(status, 'VmHWM')));
    }
    this.#together = Math.max(this.#together, own + files);
  }

  peaks(): Pick<MeasuredRun, 'peakBytes' | 'childPeakBytes' | 'peakTogetherBytes'> {
    const { [this.#pid]: own = 0, ...children } = Object.fromEntries(this.#peaks);
    return {
      peakBytes: own * 1024,
      childPeakBytes: Math.max(0, ...Object.values(children)) * 1024,
      peakTogetherBytes: this.#together * 1024,
    };
  }
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function kilobytes(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** A server in another process. */
export interface ServerProcess {
  /** The first address that it printed. */
  address: string;
  pid: number;
  /** Stops the process until `resume`, so that it does not disturb other measurements. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

/** @throws Error if it ends before it prints its address */
export async function startServer(args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  let address: string | undefined;
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += text;
    address = /http:\/\/[^\s"/]+/.exec(said)?.[0];
    if (address !== undefined) break;
  }
  if (address === undefined) throw new Error(`${args.join(' ')} ended and said only: ${said}`);
  child.stdout.resume();
  return {
    address,
    pid: child.pid ?? 0,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await ended;
    },
  } satisfies ServerProcess;
}

/** Clock ticks a second in /proc, on Linux. */
const ticks = 100;

/** User and system CPU time of a process so far, with that of its children that ended; 0 without /proc. */
export function cpuSeconds(pid: number): number {
  const [, fields = ''] = read(`/proc/${pid}/stat`).split(') ');
  return (
    fields
      .split(' ')
      .slice(11, 15)
      .reduce((sum, field) => sum + Number(field), 0) / ticks
  );
}

export function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}
