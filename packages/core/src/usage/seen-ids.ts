/** Ids that were seen, in 16 bytes each: a large log has millions. */
export class SeenIds {
  #slots = new Float64Array(1 << 12);
  #size = 0;
  /** Ids that are no UUID. */
  readonly #texts = new Set<string>();

  /** @returns whether it was not there before. An empty id is always new. */
  add(id: string): boolean {
    if (id === '') return true;
    const number = numberOf(id);
    if (number === undefined) {
      const had = this.#texts.size;
      return this.#texts.add(id).size > had;
    }
    if (this.#size * 2 >= this.#slots.length) this.#grow();
    const at = this.#slotOf(number);
    if (this.#slots[at] === number) return false;
    this.#slots[at] = number;
    this.#size += 1;
    return true;
  }

  #slotOf(number: number): number {
    const mask = this.#slots.length - 1;
    let at = (number % this.#slots.length) & mask;
    while (this.#slots[at] !== 0 && this.#slots[at] !== number) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Float64Array(old.length * 2);
    for (const number of old) if (number !== 0) this.#slots[this.#slotOf(number)] = number;
  }
}

/** Thirteen digits of a UUID, from its random end: 52 bits; two of ten million are the same once in 90 times, if ever. */
function numberOf(id: string): number | undefined {
  if (id.length !== 36) return undefined;
  let found = 0;
  for (let at = 0; at < 14; at += 1) {
    const code = id.charCodeAt(at);
    if (at === 8 && code === 45) continue;
    const digit = code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 102 ? code - 87 : -1;
    if (digit === -1) return undefined;
    found = found * 16 + digit;
  }
  return found + 1;
}
