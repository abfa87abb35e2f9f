import { timingSafeEqual } from 'node:crypto'

/** Whether both are there with the same bytes, or neither is. How long it takes tells nothing of the bytes. */
export function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.length === other.length && timingSafeEqual(one, other)
}
