/** A number from 0 up to, not including, `limit`: the same for the same seed and place. */
export function seeded(seed: number, place: number, limit: number): number {
  return (Math.imul(seed * 31 + place, 2_654_435_761) >>> 0) % limit;
}
