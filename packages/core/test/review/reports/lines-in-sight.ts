/** Lines of a comment between its answer with the worst finding and the first fold, as a reader counts them. */
export function linesInSight(markdown: string): number {
  const [inSight = ''] = markdown.split('<details');
  const [, first = '', ...others] = inSight
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('| ---'));
  const isWorst = /^(?:⛔|⚠️) \*\*/u.test(first);
  return (isWorst ? others : [first, ...others]).reduce((sum, line) => sum + linesOf(line), 0);
}

/** A row of a table has as many lines as its longest cell. */
function linesOf(line: string): number {
  if (!line.startsWith('|')) return line === '' ? 0 : 1;
  return Math.max(...line.split('|').map((cell) => cell.split('<br>').length));
}
