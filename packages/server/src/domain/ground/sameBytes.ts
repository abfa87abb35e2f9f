import { timingSafeEqual } from 'node:crypto'

/** The time does not depend on the bytes. Two undefined values are the same. */
export function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.length === other.length && timingSafeEqual(one, other)
}
