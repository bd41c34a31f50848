/**
 * First and last address of a range, as numbers; IPv4 addresses stand above all of IPv6. A range of one never holds an
 * address of the other (measured on OpenBao 2.7.2): `::/0` lets no one in by IPv4.
 */
export interface AddressRange {
  first: bigint;
  last: bigint;
}

/** The addresses of `10.0.0.0/8`, or of one address; undefined for what is neither. */
export function addressRange(cidr: string): AddressRange | undefined {
  const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(cidr.trim()) ?? [];
  const is4 = /^[\d.]+$/.test(address) && URL.parse(`http://${address}`)?.hostname === address;
  const value = is4 ? ipv4 | numberOf4(address) : numberOf6(address);
  const bits = is4 ? 32 : 128;
  const prefix = length === undefined ? bits : Number(length);
  if (value === undefined || prefix > bits) return undefined;
  const size = 1n << BigInt(bits - prefix);
  // An IPv4 address, written as IPv6 maps it.
  const isMapped = !is4 && prefix >= 96 && value >> 32n === 0xffffn;
  const start = isMapped ? ipv4 | (value & 0xffff_ffffn) : value;
  const first = start - (start % size);
  return { first, last: first + size - 1n };
}

/** Added to the number of an IPv4 address. */
export const ipv4 = 1n << 128n;

function numberOf4(address: string): bigint {
  return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

/** Undefined for what is no IPv6 address; one with a zone is none. */
function numberOf6(address: string): bigint | undefined {
  // A URL has the last 32 bits not as IPv4, and leaves out zeros once at most.
  const host = /^[\da-f:.]+$/i.test(address) ? URL.parse(`http://[${address}]`)?.hostname : undefined;
  if (host === undefined) return undefined;
  const [first = [], last = []] = host
    .slice(1, -1)
    .split('::')
    .map((text) => text.split(':').filter(Boolean));
  const zeros = Array<string>(8 - first.length - last.length).fill('0');
  return [...first, ...zeros, ...last].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}
