/**
 * A path that is asked about, also as people paste it: with blanks, a slash in front, `v1/`, or as the URL of a request; or
 * what is wrong with it.
 */
export function readAskedPath(text: string): { path: string; problem?: string } {
  const [, url = '', rest = ''] = /^(https?:\/\/[^/?#]*)?(.*)$/is.exec(text.trim()) ?? [];
  const requested = rest.replace(/[?#].*$/s, '').replace(/^\/*(?:v1(?:\/+|$))?/, '');
  const path = url === '' ? requested : unescaped(requested);
  if (path === '') return { path, problem: 'must not be empty' };
  return /\*.|\+\*$|\{\{/.test(path)
    ? { path, problem: 'takes a * only at its end, + for a segment, and no templates' }
    : { path };
}

/** The path of a URL as the service reads it; as it is, where it is no valid one. */
function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
