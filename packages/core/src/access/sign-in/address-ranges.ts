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

/**
 * The first address of `inner` that is in none of `outer`; undefined where all are, also where two of these only
 * together cover a range.
 */
export function addressOutside(outer: AddressRange[], inner: AddressRange[]): bigint | undefined {
  const covered = joined(outer);
  for (const { first, last } of inner) {
    const around = reaching(covered, first);
    const next = around !== undefined && around.first <= first ? around.last + 1n : first;
    if (next <= last) return next;
  }
  return undefined;
}

/** Whether an address is in both. */
export function overlap(one: readonly AddressRange[], other: readonly AddressRange[]): boolean {
  const covered = joined(other);
  return one.some(({ first, last }) => {
    const next = reaching(covered, first);
    return next !== undefined && next.first <= last;
  });
}

/** In order, with those as one that overlap or follow each other without a gap: roles have thousands. */
function joined(ranges: readonly AddressRange[]): AddressRange[] {
  const found: AddressRange[] = [];
  for (const { first, last } of ranges.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    const before = found.at(-1);
    if (before === undefined || first > before.last + 1n) found.push({ first, last });
    else if (last > before.last) before.last = last;
  }
  return found;
}

/** The first of joined ranges that ends at an address or after it. */
function reaching(ranges: readonly AddressRange[], address: bigint): AddressRange | undefined {
  let [from, to] = [0, ranges.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ranges[middle] as AddressRange).last < address) from = middle + 1;
    else to = middle;
  }
  return ranges[from];
}

/** Whether an address is in one of the ranges; any address is where there are no ranges. */
export function isAddressIn(address: string, cidrs: string[]): boolean {
  if (cidrs.length === 0) return true;
  const asked = addressRange(address);
  const ranges = cidrs.flatMap((cidr) => addressRange(cidr) ?? []);
  return asked !== undefined && addressOutside(ranges, [asked]) === undefined;
}

/** An address in words. */
export function addressText(address: bigint): string {
  if (address >= ipv4) {
    return [24n, 16n, 8n, 0n].map((by) => (address >> by) & 0xffn).join('.');
  }
  const groups = Array.from({ length: 8 }, (_, at) => (address >> BigInt(112 - 16 * at)) & 0xffffn);
  return new URL(`http://[${groups.map((group) => group.toString(16)).join(':')}]`).hostname.slice(1, -1);
}

/** Added to the number of an IPv4 address. */
const ipv4 = 1n << 128n;

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
