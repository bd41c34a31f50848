import { type AddressRange, addressRange, ipv4 } from '../../graph/values/address-range.ts';

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
