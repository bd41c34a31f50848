import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';

/** British spellings. */
const spellings = [
  /\b(?:behavi|col|fav|hon|neighb)our\w*/i,
  /\b(?:author|initial|normal|organ|recogn|sanit|serial|summar)is(?:e[ds]?|ing|ation)\b/i,
  /\b(?:cancelled|cancelling|labelled|modelled|analyse[ds]?|artefacts?|catalogues?)\b/i,
  /\b(?:centres?|defence|grey|judgement|licence|whilst)\b/i,
];
/** Words for people whom the team would name, and words that read as translated. A comment may have them. */
const foreign = [
  /\b(?:whoever|somebody|nobody who|those who|the one that)\b/i,
  /\b(?:is not told|(?:by|of) which|so it is|mend(?:s|ed|ing)?)\b/i,
];
const comment = /^\s*(?:\/\/|\/?\*)|\s\/\/ /;
/** Names that say nothing of what is held, and words for which others stand. */
const names =
  /\b(?:const|let|function|class|interface|type) (?:told|made|open|on|more|others|redrawn|Piece|\w*(?:[wW]aysIn|[cC]rowd|[hH]oldings?|[bB]earer|[aA]like|[bB]egun|[wW]hoever|[sS]omebody))\b/;

/** Tests quote what others write; a decision stays as it was written, and so does the specification. */
const isRead = (file: string) =>
  !/^(?:(?:packages\/[\w-]+\/)?test\/|CHANGELOG|docs\/adr\/|docs\/inside\/specification)/.test(file);
const patterns = ['*.ts', '*.mjs', '*.md'];
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));

describe('what is written here', () => {
  test('is spelled as Americans spell, and has none of the words that others stand for', () => {
    const lines = linesWith(files.filter(isRead), (line) => {
      const words = comment.test(line) ? spellings : [...spellings, ...foreign];
      return words.flatMap((word) => word.exec(line)?.[0] ?? []);
    });
    expect(lines).toEqual([]);
  });

  test('has no name that says nothing of what is held', () => {
    const sources = files.filter((file) => !file.endsWith('.md'));
    expect(linesWith(sources, (line) => names.exec(line)?.[0] ?? [])).toEqual([]);
  });
});

function linesWith(paths: readonly string[], look: (line: string) => string | string[]): string[] {
  return paths.flatMap((path) => {
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.flatMap((line, at) => [look(line)].flat().map((match) => `${path}:${at + 1}: ${match}`));
  });
}
