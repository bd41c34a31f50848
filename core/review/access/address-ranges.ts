import { isIP } from 'node:net';

/** First and last address of a range, as numbers; an IPv4 address lies where IPv6 maps it to. */
export interface AddressRange {
  first: bigint;
  last: bigint;
}

/** The addresses of `10.0.0.0/8`, or of one address; undefined for what is neither. */
export function addressRange(cidr: string): AddressRange | undefined {
  const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(cidr.trim()) ?? [];
  const version = isIP(address);
  const bits = version === 4 ? 32 : 128;
  const prefix = length === undefined ? bits : Number(length);
  if (version === 0 || prefix > bits || address.includes('%')) return undefined;
  const value = version === 4 ? mapped | numberOf4(address) : numberOf6(address);
  const size = 1n << BigInt(bits - prefix);
  const first = value - (value % size);
  return { first, last: first + size - 1n };
}

/** Whether every address of `inner` is in one of `outer`, also where two of these only together cover it. */
export function includesRanges(outer: AddressRange[], inner: AddressRange[]): boolean {
  const sorted = outer.toSorted((a, b) => (a.first < b.first ? -1 : 1));
  return inner.every(({ first, last }) => {
    let next = first;
    for (const range of sorted) {
      if (range.first > next) break;
      if (range.last >= next) next = range.last + 1n;
    }
    return next > last;
  });
}

/** ::ffff:0:0 */
const mapped = 0xffffn << 32n;

function numberOf4(address: string): bigint {
  return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

function numberOf6(address: string): bigint {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const plain = dotted === null ? address : `${dotted[1]}${hex(numberOf4(dotted[2] ?? ''))}`;
  const [head = '', tail] = plain.split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const missing = 8 - groups(head).length - groups(tail).length;
  const all =
    tail === undefined ? groups(head) : [...groups(head), ...Array(missing).fill('0'), ...groups(tail)];
  return all.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

function hex(value: bigint): string {
  return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
}
