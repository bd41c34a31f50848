import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ListRewriter } from '../../../embedded/secrets/list-front.ts';

/** The output for a text that is split at these positions. */
function rewritten(text: string, cuts: number[] = []): string {
  const rewriter = new ListRewriter();
  const places = [...new Set([0, ...cuts.filter((at) => at < text.length), text.length])].sort(
    (a, b) => a - b,
  );
  const pieces = places.slice(1).map((end, at) => Buffer.from(text.slice(places[at], end), 'latin1'));
  return Buffer.concat([...pieces.map((piece) => rewriter.rewrite(piece)), rewriter.rest()]).toString(
    'latin1',
  );
}

const list = 'LIST /v1/a HTTP/1.1\r\nHost: x\r\n\r\n';
const asGet = 'GET /v1/a?list=true HTTP/1.1\r\nHost: x\r\n\r\n';
const post = (body: string) =>
  `POST /v1/a HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const chunked = (...chunks: string[]) =>
  `PUT /v1/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${[...chunks, '']
    .map((chunk) => `${chunk.length.toString(16)};x=y\r\n${chunk}${chunk === '' ? '' : '\r\n'}`)
    .join('')}\r\n`;
const withTrailer =
  'PUT /v1/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nLIST: /v1/a HTTP/1.1\r\n\r\n';

/** Input and output. */
const cases: [string, string, string][] = [
  ['a LIST', list, asGet],
  ['a LIST with a query', list.replace('/a', '/a?after=x'), asGet.replace('?', '?after=x&')],
  ['a LIST after a LIST (pipelined)', list + list, asGet + asGet],
  ['a GET', list.replace('LIST', 'GET'), list.replace('LIST', 'GET')],
  ['a method that begins like it', list.replace('LIST', 'LISTEN'), list.replace('LIST', 'LISTEN')],
  ['a LIST after a body that begins with LIST', post(list) + list, post(list) + asGet],
  ['a LIST after chunks that begin with LIST', chunked(list, list) + list, chunked(list, list) + asGet],
  ['a LIST after a trailer that looks like one', withTrailer + list, withTrailer + asGet],
  ['a LIST after an empty line', `\r\n${list}`, `\r\n${asGet}`],
];

/** After these, a second LIST passes unchanged to the HTTP server, which refuses it. */
const unclear: [string, string][] = [
  ['two lengths', 'POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n'],
  ['a length and chunks', 'POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ['another coding', 'POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n'],
  ['a length that is no number', 'POST / HTTP/1.1\r\nContent-Length: +3\r\n\r\n'],
  ['a header over two lines', 'POST / HTTP/1.1\r\nA: b\r\n c\r\n\r\n'],
  ['a blank before the colon', 'POST / HTTP/1.1\r\nContent-Length : 3\r\n\r\n'],
  ['a bare line feed', 'POST / HTTP/1.1\r\nA: b\nContent-Length: 3\r\n\r\n'],
  ['an upgrade', 'GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n'],
  ['a chunk of no size', 'PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n'],
  ['another protocol', 'LIST / SPDY/3\r\n\r\n'],
];

describe('the rewriting of LIST', () => {
  test.each(cases)('%s', (_, given, expected) => {
    expect(rewritten(given)).toBe(expected);
  });

  test.each(cases)('%s, in pieces of any size', (_, given, expected) => {
    fc.assert(
      fc.property(fc.array(fc.nat(given.length)), (cuts) => rewritten(given, cuts) === expected),
      { numRuns: 50 },
    );
  });

  test.each(unclear)('nothing is changed after %s', (_, given) => {
    expect(rewritten(given + list)).toBe(given + list);
  });

  test('bytes that hold no LIST pass as they are, in pieces of any size', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), fc.array(fc.nat(100)), (given, cuts) => {
        fc.pre(!given.includes('LIST '));
        return rewritten(given, cuts) === given;
      }),
    );
  });

  test('a head that does not end is passed on before it fills the memory', () => {
    const rewriter = new ListRewriter();
    const piece = Buffer.alloc(40_000, 'x');
    expect([piece, piece].map((one) => rewriter.rewrite(one).length)).toEqual([0, 80_000]);
  });
});
