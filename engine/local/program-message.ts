import { stripVTControlCharacters } from 'node:util';

const frame = /^\s+at .+/;

/**
 * A program's error message without its stack trace; of that, only the place in the project is kept where it
 * came from.
 */
export function withoutStackTrace(message: string, directory: string): string {
  const lines = stripVTControlCharacters(message).split('\n');
  const place = lines.find(
    (line) => frame.test(line) && line.includes(`${directory}/`) && !line.includes('/node_modules/'),
  );
  const position =
    place === undefined
      ? undefined
      : /([^/(\s][^(\s]*:\d+:\d+)\)?\s*$/.exec(place.replace(`${directory}/`, ''));
  const text = lines
    .filter((line) => !frame.test(line))
    .join('\n')
    .replaceAll(`${directory}/`, '')
    .trim();
  const at = position?.[1]?.replace(/^file:\/\//, '');
  return at === undefined ? text : `${text}\n  at ${at}`;
}

/**
 * What the SDK found that the engine does not do; it speaks of the Pulumi CLI, whose place the engine takes.
 */
export function unsupportedFeature(message: string): string | undefined {
  return /The Pulumi CLI does not support (?:the )?(.+?)\. Please update/.exec(message)?.[1];
}
