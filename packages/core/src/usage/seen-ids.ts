/** Ids that were seen, in 16 to 32 bytes each: a large log has millions. */
export class SeenIds {
  /** Two numbers a slot, of all digits of a UUID. Both are 0 where it is free. */
  #slots = new Uint32Array(1 << 13);
  #size = 0;
  /** Ids that are not UUIDs. */
  readonly #texts = new Set<string>();

  /** @returns whether it was not there before. An empty id is always new. */
  add(id: string): boolean {
    if (id === '') return true;
    const start = halfOf(id, starts);
    const end = halfOf(id, ends);
    if (start === -1 || end === -1 || (start === 0 && end === 0)) {
      const sizeBefore = this.#texts.size;
      return this.#texts.add(id).size > sizeBefore;
    }
    if (this.#size * 4 >= this.#slots.length) this.#grow();
    const at = slotOf(this.#slots, start, end);
    if (this.#slots[at] !== 0 || this.#slots[at + 1] !== 0) return false;
    this.#slots[at] = start;
    this.#slots[at + 1] = end;
    this.#size += 1;
    return true;
  }

  #grow(): void {
    const slotsBefore = this.#slots;
    const slots = new Uint32Array(slotsBefore.length * 2);
    for (let slot = 0; slot < slotsBefore.length; slot += 2) {
      const start = slotsBefore[slot] ?? 0;
      const end = slotsBefore[slot + 1] ?? 0;
      if (start === 0 && end === 0) continue;
      const at = slotOf(slots, start, end);
      slots[at] = start;
      slots[at + 1] = end;
    }
    this.#slots = slots;
  }
}

/** The slot of an id, or the free one where it belongs. */
function slotOf(slots: Uint32Array, start: number, end: number): number {
  const mask = slots.length - 1;
  let at = ((Math.imul(start, 0x9e3779b1) ^ Math.imul(end, 0x85ebca6b)) << 1) & mask;
  while ((slots[at] !== 0 || slots[at + 1] !== 0) && (slots[at] !== start || slots[at + 1] !== end))
    at = (at + 2) & mask;
  return at;
}

/** Where the digits of two eights stand: a half has some of each random part, whatever the version. */
const starts = [0, 1, 2, 3, 4, 5, 6, 7, 14, 15, 16, 17, 19, 20, 21, 22];
const ends = [28, 29, 30, 31, 32, 33, 34, 35, 9, 10, 11, 12, 24, 25, 26, 27];

/** @returns -1 for what is no UUID */
function halfOf(id: string, places: readonly number[]): number {
  if (id.length !== 36) return -1;
  let half = 0;
  for (const at of places) {
    const code = id.charCodeAt(at);
    const digit = code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 102 ? code - 87 : -1;
    if (digit === -1) return -1;
    // The second eight meets the first one again.
    half = ((half << 4) | (half >>> 28)) ^ digit;
  }
  return half >>> 0;
}
