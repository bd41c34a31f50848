const secondsPerUnit: Record<string, number> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
};

/** The seconds of a Go duration (`1h30m`, `200s`); undefined if it is not valid. */
export function parseGoDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|ns))+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (secondsPerUnit[unit ?? ''] ?? 0),
    0,
  );
}

/** The shortest Go duration for whole seconds: 768h, 3m20s, 0s. */
export function formatGoDuration(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = seconds % 60;
  const parts = [hours > 0 ? `${hours}h` : '', minutes > 0 ? `${minutes}m` : '', rest > 0 ? `${rest}s` : ''];
  return parts.join('') || '0s';
}
