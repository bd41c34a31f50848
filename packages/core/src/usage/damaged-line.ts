import { jsonIn } from '../graph/values/json.ts';
import { isOfEntry, readAuditLine } from './audit-line.ts';

/** What is left of an entry that a log does not have whole. */
export interface Damage {
  /** Empty where that is lost, too. */
  id: string;
  /** What was asked for, below the namespace; undefined where that is lost. */
  path?: string;
  namespace?: string;
  /** Whether it is of a request, whose response stands on a line of its own. */
  isRequest: boolean;
}

/** Where an entry of any server may begin. */
const beginnings = /\{"(?=time":"|type":"re|auth":\{|request":\{|response":\{)/g;
/** Beginnings that are tried: fields of a request may look like one. */
const mostTried = 64;
/**
 * Takes a line apart that is no entry: into the entries that are whole, glued or behind half of another one, and what is left of
 * others.
 */
export function takenApart(line: string): { whole: string[]; damaged: Damage[] } {
  const whole: string[] = [];
  const damaged: Damage[] = [];
  let from = 0;
  const leave = (text: string) => {
    if (isOfEntry(text)) damaged.push(damageIn(text));
  };
  const starts = [...line.matchAll(beginnings)].slice(0, mostTried);
  for (const { index } of starts) {
    if (index < from) continue;
    const end = endOf(line, index);
    const text = end === undefined ? '' : line.slice(index, end);
    const read = text === '' ? 'cut' : readAuditLine(text);
    if (typeof read === 'string' && read !== 'request' && read !== 'in-clear') continue;
    leave(line.slice(from, index));
    whole.push(text);
    from = end ?? line.length;
  }
  leave(line.slice(from));
  // A line that is too long to be read, or ends with its first brace.
  if (whole.length === 0 && damaged.length === 0 && /^\s*\{\s*(?:"[^"]{0,16})?$/.test(line))
    damaged.push({ id: '', isRequest: false });
  return { whole, damaged };
}

/** Behind the brace that closes the one at `start`; undefined where none does. */
function endOf(line: string, start: number): number | undefined {
  let depth = 0;
  let isText = false;
  for (let at = start; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if (isText) {
      if (code === 92) at += 1;
      else if (code === 34) isText = false;
    } else if (code === 34) isText = true;
    else if (code === 123) depth += 1;
    else if (code === 125) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

/** Only what is there from quote to quote counts. */
export function damageIn(text: string): Damage {
  const [path, named] = [
    /"request":\{(?:(?!"(?:response|data)":).)*?"path":/s,
    /"namespace":\{"id":"[^"]*","path":/,
  ].map((start) => textAfter(text, start));
  const namespace = /"namespace":\{"id":"root"\}/.test(text) ? '' : named?.replace(/\/$/, '');
  return {
    id: /"request":\{[^{}]*?"id":"([^"]+)"/.exec(text)?.[1] ?? '',
    ...(path !== undefined && { path }),
    ...(namespace !== undefined && { namespace }),
    isRequest: /^[^{]*\{"time":"[^"]*","type":"request"/.test(text),
  };
}

function textAfter(text: string, start: RegExp): string | undefined {
  const found = start.exec(text);
  const quoted = found && /^"(?:[^"\\]|\\.)*"/.exec(text.slice(found.index + found[0].length))?.[0];
  const read = quoted ? jsonIn(quoted) : undefined;
  return typeof read === 'string' ? read : undefined;
}
